//! The Steadfast HTTP server: REST API, web UI and embedded worker.
//!
//! The server exposes a store to programs in any language: the operations of [`steadfast_api`] as JSON
//! under `/api/v1`, described at `/openapi.json`. An embedded worker makes one process a whole system,
//! and workers in any language can claim tasks over HTTP (D19).
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
//! # Architecture
//!
//! ```text
//!   connection ──▶ http/listener ──▶ router ──▶ api/  one file per resource ──▶ steadfast_api::Local ──▶ store
//!                                      │          ▲ http/{body, query, path_parameters}: parse or reject
//!                                      │          └ auth/: caller and role
//!                                      ├─ web/  the same for browsers
//!                                      └─ api/health: liveness and readiness
//! ```
//!
//! - A handler parses the request, calls [`Local`](steadfast_api::Local) and returns the result.
//! - Every error is an RFC 9457 problem that says what is wrong, where, and what to do next.
//! - Routes and their OpenAPI description come from the same code, so they cannot diverge.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod api;
mod app;
mod audit;
mod auth;
mod cache;
mod embedded_worker;
mod error;
mod http;
mod limits;
mod lock;
mod payload_check;
mod reload;
mod router;
mod server;
mod telemetry;
mod web;

pub use self::http::{ParseProxyError, Proxy, TlsError};
pub use auth::{NewToken, NewTokenError, Role, Token, Tokens, UnknownRoleError};
pub use error::ServeError;
pub use server::{BoundServer, Server};
pub use telemetry::logs::{LogError, LogFormat, Logs, init_logs, log_layer};
