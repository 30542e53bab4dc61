//! The worker on real stores. Every scenario runs on SQLite and PostgreSQL.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod breaker_sync;
mod cancelling;
mod claiming;
#[cfg(unix)]
mod commands;
mod events;
mod faulty_engine;
mod guarding;
mod handling;
mod leasing;
mod limiting;
mod logging;
mod maintaining;
mod notifications;
mod outages;
mod registration;
mod retrying;
mod stopping;
mod stores;
mod workers;
