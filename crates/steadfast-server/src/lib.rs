//! Steadfast over HTTP.
//!
//! A library reaches the programs that are written in its language; a server reaches all of
//! them. This one is the outside of a store: what [`steadfast_api`] can be asked, as JSON under
//! `/api/v1`, described at `/openapi.json`. A worker runs beside it, so that one process is a
//! whole system, and workers in any language can claim tasks from it (D19).
//!
//! ```no_run
//! use steadfast_server::Server;
//! use steadfast_store::Store;
//!
//! # async fn interrupted() {}
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let store = Store::open("sqlite:steadfast.db").await?;
//! Server::new(store).run_until(interrupted()).await?;
//! # Ok(())
//! # }
//! ```
//!
//! # How it is made
//!
//! ```text
//!   connection ──▶ serving ──▶ router ──▶ api/ a file a resource ──▶ steadfast_api::Local ──▶ store
//!                                │          ▲ body, query, path_parameters: what was sent, or a problem
//!                                │          └ ask ◀ caller ◀ auth: who asks, and what they may
//!                                ├─ page/ the same for people
//!                                └─ health: alive, ready
//! ```
//!
//! - A handler takes apart what was sent, asks [`Local`](steadfast_api::Local) and answers.
//! - Whatever goes wrong is a `problem`, as JSON, with what, where and what next.
//! - The routes and their description are one thing, so neither lacks what the other has.

mod api;
mod app;
mod audit;
mod auth;
mod body;
mod body_budget;
mod caller;
mod client_network;
mod error;
mod event_feed;
mod extract;
mod fair_share;
mod file_watcher;
mod files;
mod headers;
mod health;
mod idempotency;
mod logs;
mod media;
mod metrics;
mod mutations;
mod openapi;
#[cfg(feature = "otlp")]
mod otlp;
mod path_parameters;
mod problem;
mod proxies;
mod query;
mod query_cache;
mod read_permits;
mod request;
mod route_roles;
mod router;
mod server;
mod serving;
mod shared_poller;
mod snapshots;
mod tls;
mod traceparent;
mod web;
mod work;

pub use auth::{
    FreshToken, NoToken, Role, Token, TokenProblem, TokenProblems, Tokens, UnknownRole,
};
pub use error::ServeError;
pub use logs::{LogError, LogFormat, Logs, init_logs, log_lines};
pub use proxies::{NotAProxy, Proxy};
pub use server::{Bound, Server};
pub use tls::TlsError;
