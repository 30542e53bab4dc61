//! The worker on real stores. Every scenario runs on each of them.

mod cancelling;
mod claiming;
mod guarding;
mod handling;
mod leasing;
mod limiting;
mod logging;
mod maintaining;
mod outages;
mod retrying;
mod stopping;
mod stores;
mod waking;
mod workers;
mod wrapped;
