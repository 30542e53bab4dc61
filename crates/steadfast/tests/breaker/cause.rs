//! G2: a rejection says what opened the breaker.

use super::*;
use steadfast::guard::breaker::{Cause, FaultCode, InitialState, Trigger};
use steadfast::{Fault, Kind};

fn cause(breaker: &Breaker, now: Moment) -> Cause {
    breaker.acquire(now).unwrap_err().cause.unwrap()
}

fn trigger(breaker: &Breaker) -> Trigger {
    cause(breaker, at(0)).trigger
}

/// G2: each condition that opens a breaker is named.
#[test]
fn rejection_names_the_trigger() {
    let consecutive = breaker(BreakerSettings::consecutive(1, TIMEOUT));
    fail(&consecutive, at(0));
    assert_eq!(trigger(&consecutive), Trigger::ConsecutiveFailures);

    let rate = breaker(BreakerSettings::rate_over_calls(0.5, 2, TIMEOUT));
    fail(&rate, at(0));
    succeed(&rate, at(0));
    assert_eq!(trigger(&rate), Trigger::FailureRate);

    let slow = breaker(BreakerSettings::rate_over_calls(1.0, 2, TIMEOUT).slow_calls(secs(1), 0.5));
    for _ in 0..2 {
        let permit = slow.acquire(at(0)).unwrap();
        slow.success(permit, at(0), Some(secs(2)));
    }
    assert_eq!(trigger(&slow), Trigger::SlowCallRate);

    slow.close(at(0));
    slow.open(at(0));
    assert_eq!(trigger(&slow), Trigger::Manual);
    let initial = BreakerSettings::default().initial_state(InitialState::Open);
    assert_eq!(trigger(&breaker(initial)), Trigger::InitialState);
}

/// G2: the failure that opened it is named, also while it is half open, and after a failed probe the
/// failure of that one.
#[test]
fn rejection_names_the_failure() {
    let breaker = breaker(BreakerSettings::consecutive(1, TIMEOUT));
    fail(&breaker, at(0));
    breaker.record_cause(&Fault::http(503));
    breaker.record_cause(&Fault::http(500));
    assert_eq!(cause(&breaker, at(0)).code, Some(FaultCode::Http(503)), "the first one");
    let text = breaker.acquire(at(0)).unwrap_err().to_string();
    assert_eq!(
        text,
        "circuit breaker is open after consecutive failures (HTTP 503), next probe in 1m"
    );

    let probe = breaker.acquire(at(60)).unwrap();
    assert_eq!(cause(&breaker, at(60)).code, Some(FaultCode::Http(503)), "while half open");
    breaker.failure(probe, at(61), None);
    assert_eq!(cause(&breaker, at(61)), cause_of_probe(None));
    breaker.record_cause(&Fault::of(Kind::Timeout));
    assert_eq!(cause(&breaker, at(61)), cause_of_probe(Some(FaultCode::Kind(Kind::Timeout))));
    let adapted = breaker.with_settings(BreakerSettings::consecutive(9, TIMEOUT)).unwrap();
    assert_eq!(cause(&adapted, at(61)), cause(&breaker, at(61)));
}

fn cause_of_probe(code: Option<FaultCode>) -> Cause {
    let breaker = opened_at_0(BreakerSettings::consecutive(1, TIMEOUT));
    fail(&breaker, at(60));
    if let Some(FaultCode::Kind(kind)) = code {
        breaker.record_cause(&Fault::of(kind));
    }
    cause(&breaker, at(60))
}

/// G2: a breaker opened by hand has no failure as its cause.
#[test]
fn breaker_opened_by_hand_has_no_failure() {
    let breaker = opened_at_0(BreakerSettings::consecutive(1, TIMEOUT));
    breaker.record_cause(&Fault::http(503));
    assert_eq!(cause(&breaker, at(0)).code, None);
}
