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
mod cache;
mod embedded_worker;
mod error;
mod http;
mod limits;
mod reload;
mod router;
mod server;
mod telemetry;
mod web;

pub use self::http::proxy::{NotAProxy, Proxy};
pub use self::http::tls::TlsError;
pub use auth::{
    FreshToken, NoToken, Role, Token, TokenProblem, TokenProblems, Tokens, UnknownRole,
};
pub use error::ServeError;
pub use server::{Bound, Server};
pub use telemetry::logs::{LogError, LogFormat, Logs, init_logs, log_lines};
