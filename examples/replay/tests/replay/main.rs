//! X1: the replay daemon on its embedded store and a real service, as S1 describes it.
//!
//! Waits of minutes and hours are looked at, not waited for: the view says when a run is due, and
//! `Store::run_now` has its time come.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod bench;
mod commands;
mod crash;
mod discovery;
mod fairness;
mod rate_limits;
mod retrying;
mod verdicts;
