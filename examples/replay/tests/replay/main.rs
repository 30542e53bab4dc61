//! X1: the replay daemon on its embedded store and a real service, as S1 describes it.
//!
//! The tests do not wait for delays of minutes and hours: they read the due time from the view, and
//! `Store::run_now` makes a run due.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod bench;
mod commands;
mod crash;
mod discovery;
mod fairness;
mod rate_limits;
mod retrying;
mod verdicts;
