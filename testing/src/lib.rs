//! Real components for tests, benchmarks and the fault suite.
//!
//! Guarantees about a database are tested on that database, not on a substitute. So this crate starts
//! the component as it is shipped, in its own directory, and ends it together with the test process,
//! even after `kill -9`.
//!
//! Each component is a module. [`process`] is a child process that a test can kill, and [`poll`] waits
//! for conditions without a signal. The components share a directory (`home.rs`), a process with a
//! watchdog (`watched_process.rs`), a reserved port (`port.rs`), and an [`Error`] with a hint.

pub mod clickhouse;
mod error;
mod home;
pub mod poll;
mod port;
pub mod postgres;
pub mod process;
mod store_database;
mod watched_process;

pub use error::Error;
pub use store_database::{StoreDatabase, sqlite_url};
