//! Runs the tasks of a store.
//!
//! A store keeps tasks; somebody has to do them. A [`Worker`] takes due tasks under a lease,
//! runs the function that is registered for their kind, and writes down what became of them.
//! What a failure means and when the next attempt is due is decided where it is decided for
//! every session, in [`steadfast::decide`]; nothing here counts, delays or judges.
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
//! // Until the first greeting is done; a program would wait for a signal to stop.
//! Worker::new(store.clone()).handle("greet", greet).run_until(DONE.notified()).await?;
//!
//! let task = store.task(greeting.id).await?;
//! assert_eq!((task.status, task.result), (Status::Completed, Some("hello, world".into())));
//! # Ok(())
//! # }
//! ```
//!
//! # How it is made
//!
//! ```text
//!   store ──claims──▶ claiming ──▶ prefetch ──▶ runner ──▶ settling ──settlements──▶ store
//!     ▲                  ▲                        │
//!     │                  └── wake: ready, due     ├─ attempt: handler, time limit, panic
//!     ├── heartbeat: leases                       └─ context: key, version, cancelled
//!     └── maintenance: promote, reclaim, prune, compress
//! ```
//!
//! - `claiming` asks for as much as will be started soon (`pace`), and goes on behind the last
//!   batch (`line`).
//! - A `runner` for each task that may run at a time.
//! - `settling` writes in batches, as big as the store is slow.
//! - `patience` waits for a store that is away.
//! - A `shift` begins all that, and ends it in order.

mod attempt;
mod breaker_sync;
mod budgets;
mod claim_cursor;
mod claiming;
mod clock;
mod context;
mod handler;
#[cfg(any(feature = "http", all(feature = "command", unix)))]
pub mod handlers;
mod heartbeat;
mod inbox;
mod kinds;
mod leases;
mod maintenance;
mod prefetch;
mod prefetch_depth;
mod registration;
mod reporting;
mod runner;
mod running;
mod runtime;
mod settings;
mod settling;
mod shared;
mod span;
mod store_retry;
mod task_result;
mod wake;
mod worker;

pub use context::Context;
pub use handler::Handler;
#[doc(hidden)]
pub use handler::{Attempt, Outcome};
pub use maintenance::Maintenance;
pub use steadfast_store::Retention;
pub use worker::Worker;
