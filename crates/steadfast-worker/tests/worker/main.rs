//! The worker on real stores. Every scenario runs on each of them.

#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)]

mod cancelling;
mod claiming;
#[cfg(unix)]
mod commands;
mod guarding;
mod handling;
mod leasing;
mod limiting;
mod logging;
mod maintaining;
mod outages;
mod presence;
mod retrying;
mod steering;
mod stopping;
mod stores;
mod telling;
mod waking;
mod workers;
mod wrapped;
