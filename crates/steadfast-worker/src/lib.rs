//! A worker that runs the tasks of a store.
//!
//! A [`Worker`] claims due tasks under a lease, runs the handler that is registered for their kind,
//! and settles them with the outcome. What a failure means and when the next attempt is due is
//! decided by [`steadfast::decide`], as for every other session: this crate counts, delays and
//! classifies nothing.
//!
//! ```
//! use std::io;
//! use steadfast_store::{Status, Store, Task};
//! use steadfast_worker::Worker;
//! use tokio::sync::Notify;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), steadfast_store::StoreError> {
//! let store = Store::open("sqlite::memory:").await?;
//! let greeting = store.submit(Task::new("greet", "world").policy("patient")).await?;
//!
//! static DONE: Notify = Notify::const_new();
//! async fn greet(name: String) -> io::Result<String> {
//!     DONE.notify_one();
//!     Ok(format!("hello, {name}"))
//! }
//!
//! // Runs until the first greeting is done; a service would wait for a stop signal.
//! Worker::new(store.clone()).handle("greet", greet).run_until(DONE.notified()).await?;
//!
//! let task = store.task(greeting.id).await?;
//! assert_eq!((task.status, task.result), (Status::Completed, Some("hello, world".into())));
//! # Ok(())
//! # }
//! ```
//!
//! # Structure
//!
//! ```text
//!   store ──claims──▶ claim ──▶ prefetch ──▶ runner ──▶ settle ──settlements──▶ store
//!     ▲                 ▲                      │
//!     │                 └── notifications      ├─ attempt: handler, time limit, panic
//!     ├── lease: heartbeat                     └─ context: key, fencing token, cancellation
//!     ├── report: events, registration, breakers, budgets
//!     └── maintenance: promote, reclaim, prune, compress, rollup
//! ```
//!
//! - `claim` claims as many tasks as will start soon and continues after the last batch.
//! - `run` has one runner for each task that may run at a time.
//! - `settle` writes results in batches that grow while the store is slow.
//! - `store_retry` retries a store that is unreachable.
//! - `runtime` starts all of these and shuts them down in order.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod claim;
mod config;
#[cfg(any(feature = "http", all(feature = "command", unix)))]
pub mod handlers;
mod lease;
mod maintenance;
mod notifications;
mod report;
mod run;
mod runtime;
mod settle;
mod state;
mod store_clock;
mod store_retry;
mod sync;
mod worker;

pub use maintenance::Maintenance;
#[doc(hidden)]
pub use run::{Attempt, Outcome};
pub use run::{Context, Handler};
pub use steadfast_store::Retention;
pub use worker::Worker;
