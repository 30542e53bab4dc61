//! Requirements of simulations (section 13).

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod contention;
mod determinism;
mod guards;
mod invalid_scenarios;
mod service;
mod storm;

use std::time::Duration;

use steadfast::Policy;
use steadfast_sim::{Outcome, Scenario, simulate};

const fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

/// A policy with a fixed delay of a second.
fn every_second(attempts: u32) -> Policy {
    Policy::fixed(secs(1)).max_attempts(attempts).build().unwrap()
}

fn played(scenario: &Scenario, policy: &Policy) -> Outcome {
    simulate(scenario, "it", policy).unwrap()
}
