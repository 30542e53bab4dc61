//! Workflows on both stores: what each must do, case by case (section 8).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[macro_use]
mod harness;

mod audited;
mod chain;
mod failing;
mod killed;
mod large;
mod list;
mod missed;
mod pruning;
mod running;
mod starting;
mod steering;
mod stuck;
mod together;
