//! Runs the tasks of a store.

#[cfg(all(feature = "command", unix))]
pub mod handlers;
