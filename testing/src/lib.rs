//! Real components for tests, benchmarks and the fault suite.
//!
//! What Steadfast promises about a database is proved on that database, not on
//! something that resembles it. So this starts the component as its makers ship it,
//! in a directory of its own, and sees that it is gone when whoever asked for it is
//! gone, even by `kill -9`.
//!
//! Each component is a module, and so is a [`process`] of our own that is killed. What they share: a home on disk (`home.rs`), a process
//! that does not outlive us (`guarded.rs`), a port that nobody else is given (`port.rs`),
//! and an [`Error`] that says what to do next.

pub mod clickhouse;
mod error;
mod guarded;
mod home;
mod patience;
mod port;
pub mod postgres;
pub mod process;

pub use error::Error;
