//! G1, G2, G4: transitions of a breaker, permits and invariants.

#![cfg(not(loom))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

mod late;
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

fn rejected(state: BreakerState, retry_after: Duration) -> Result<Permit, Rejection> {
    Err(Rejection { state, retry_after: Some(retry_after) })
}
