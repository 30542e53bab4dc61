//! Workflows on both stores, case by case (section 8).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[macro_use]
mod harness;

mod audit;
mod chain;
mod concurrency;
mod control;
mod crashes;
mod failures;
mod large;
mod list;
mod missed_completions;
mod pruning;
mod running;
mod start;
mod stuck;
