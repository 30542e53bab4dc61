//! G1, G2, G4: transitions of a breaker, permits and invariants.

#![cfg(not(loom))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod cause;
mod half_open;
mod late;
mod manual;
mod properties;
mod rich;
mod settings;
mod shown;
mod simple;
mod threads;

use std::time::Duration;

use steadfast::Moment;
use steadfast::guard::breaker::{
    Breaker, BreakerSettings, BreakerState, Permit, Rejection, Transition,
};

const TIMEOUT: Duration = Duration::from_secs(60);

fn at(seconds: u64) -> Moment {
    Moment::ORIGIN + Duration::from_secs(seconds)
}

fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

fn breaker(settings: BreakerSettings) -> Breaker {
    Breaker::new(settings).unwrap()
}

fn change(from: BreakerState, to: BreakerState) -> Option<Transition> {
    Some(Transition { from, to })
}

fn fail(breaker: &Breaker, now: Moment) -> Option<Transition> {
    let permit = breaker.acquire(now).unwrap();
    breaker.failure(permit, now, None)
}

fn succeed(breaker: &Breaker, now: Moment) -> Option<Transition> {
    let permit = breaker.acquire(now).unwrap();
    breaker.success(permit, now, None)
}

fn opened_at_0(settings: BreakerSettings) -> Breaker {
    let breaker = breaker(settings);
    assert_eq!(breaker.open(at(0)), change(BreakerState::Closed, BreakerState::Open));
    breaker
}

/// Whether a call is permitted, and if not, the state and the time until the next probe.
fn asked(breaker: &Breaker, now: Moment) -> Result<(), (BreakerState, Option<Duration>)> {
    let rejected = |rejection: Rejection| (rejection.state, rejection.retry_after);
    breaker.acquire(now).map(drop).map_err(rejected)
}

fn rejected(
    state: BreakerState,
    retry_after: Duration,
) -> Result<(), (BreakerState, Option<Duration>)> {
    Err((state, Some(retry_after)))
}
