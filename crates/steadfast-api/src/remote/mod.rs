//! A client for a Steadfast server.
//!
//! [`Remote`] implements [`Api`](crate::Api) over HTTP, so a program does not depend on where the
//! store is. Responses and errors are those of the server's own store.
//!
//! ```no_run
//! # async fn example() -> Result<(), steadfast_api::ApiError> {
//! use steadfast_api::remote::Remote;
//! use steadfast_api::{Api, NewTask};
//!
//! let server = Remote::new("http://127.0.0.1:7700")?;
//! let task = NewTask::from_json(r#"{"kind": "http", "payload": {"url": "https://a.example/"}}"#)?;
//! println!("{}", server.submit(task).await?.task.id);
//! # Ok(())
//! # }
//! ```
//!
//! Requests that are safe to repeat are retried for some seconds: reads, idempotent commands, and
//! submits, which carry a task id or an idempotency key. Other requests are retried only if the
//! server cannot have received them (J9).

mod address;
mod api;
mod client;
mod event_stream;
mod request;
mod request_error;
mod tls;

pub use client::Remote;
pub use event_stream::{EventStream, Gap};
