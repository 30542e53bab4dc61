//! Metrics, logs and traces of a server (O1 to O5).

#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test may panic"
)]

mod child_process;
#[cfg(feature = "otlp")]
mod collector;
mod dashboards;
mod exposition;
mod logs;
mod metrics;
#[cfg(feature = "otlp")]
mod otlp;
mod program;
#[path = "../common/running.rs"]
mod running;
mod secrets;
