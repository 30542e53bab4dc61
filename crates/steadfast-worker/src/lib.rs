//! Runs the tasks of a store.

#[cfg(any(feature = "http", all(feature = "command", unix)))]
pub mod handlers;
