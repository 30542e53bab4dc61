//! The conformance suite: every case runs on each engine (D1).
//!
//! A case is an `async fn` on an empty store. [`cases!`] makes a test of it for each engine. After
//! every case the store is checked: each task has exactly one status, and the counts agree
//! (`harness/invariants.rs`).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

#[macro_use]
mod harness;

mod activity;
mod audit;
mod breakers;
mod caller_transaction;
mod cancel;
mod categories;
mod claim;
mod claim_fencing;
mod completion_feed;
mod compress;
mod concurrency;
mod expiry;
mod handover;
mod heartbeat;
mod history;
mod hold_category;
mod idempotency;
mod latest_ended;
mod limits;
mod list;
mod migrations;
mod order;
mod pause;
mod prior_attempts;
mod promote;
mod reclaim;
mod records;
mod reports;
mod requeue;
mod requeue_all;
mod retention;
mod rollup;
mod run_now;
mod settle;
mod stats;
mod status_table;
mod submit;
mod wake;
mod worker_status;
