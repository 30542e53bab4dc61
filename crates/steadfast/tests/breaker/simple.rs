//! G1: the simple form.

use super::*;
use BreakerState::*;

/// G1: threshold consecutive failures open it.
#[test]
fn consecutive_failures_open_the_breaker() {
    let breaker = breaker(BreakerSettings::consecutive(3, TIMEOUT));
    assert_eq!(fail(&breaker, at(0)), None);
    assert_eq!(fail(&breaker, at(1)), None);
    assert_eq!(breaker.state(at(1)), Closed);
    assert_eq!(fail(&breaker, at(2)), change(Closed, Open));
    assert_eq!(breaker.state(at(2)), Open);
}

/// G1: consecutive, so a success in between starts the count again.
#[test]
fn success_resets_consecutive_failures() {
    let breaker = breaker(BreakerSettings::consecutive(2, TIMEOUT));
    for second in 0..10 {
        assert_eq!(fail(&breaker, at(second)), None);
        assert_eq!(succeed(&breaker, at(second)), None);
    }
    fail(&breaker, at(10));
    assert_eq!(fail(&breaker, at(10)), change(Closed, Open));
}

/// G1: the seed's defaults, 5 failures and 60 seconds.
#[test]
fn default_settings_match_the_specification() {
    let breaker = breaker(BreakerSettings::default());
    for _ in 0..4 {
        assert_eq!(fail(&breaker, at(0)), None);
    }
    assert_eq!(fail(&breaker, at(0)), change(Closed, Open));
    assert_eq!(asked(&breaker, at(0)), rejected(Open, secs(60)));
}

/// G1: timeout later one probe. G2: a rejection carries the time until then.
#[test]
fn one_probe_is_permitted_after_the_timeout() {
    let breaker = opened_at_0(BreakerSettings::consecutive(1, TIMEOUT));
    assert_eq!(asked(&breaker, at(0)), rejected(Open, secs(60)));
    assert_eq!(asked(&breaker, at(45)), rejected(Open, secs(15)));
    assert_eq!(breaker.state(at(59)), Open);
    assert_eq!(breaker.state(at(60)), HalfOpen);

    let probe = breaker.acquire(at(60)).unwrap();
    assert!(probe.is_probe());
    assert_eq!(probe.transition(), change(Open, HalfOpen));
    assert_eq!(asked(&breaker, at(61)), rejected(HalfOpen, secs(59)));
}

/// G1: the probe decides.
#[test]
fn probe_result_closes_or_reopens_the_breaker() {
    let breaker = opened_at_0(BreakerSettings::consecutive(2, TIMEOUT));
    assert_eq!(fail(&breaker, at(60)), change(HalfOpen, Open));
    assert_eq!(asked(&breaker, at(61)), rejected(Open, secs(59)));
    assert_eq!(succeed(&breaker, at(120)), change(HalfOpen, Closed));
    assert_eq!(breaker.state(at(120)), Closed);
    assert_eq!(fail(&breaker, at(121)), None, "the run starts from nothing");
}

/// I10: a closed breaker needs no clock.
#[test]
fn closed_breaker_permits_calls_without_the_time() {
    let breaker = breaker(BreakerSettings::consecutive(1, TIMEOUT));
    assert!(!breaker.needs_clock_on_success());
    let permit = breaker.try_acquire().unwrap();
    assert!(!permit.is_probe());
    assert_eq!(permit.transition(), None);
    assert_eq!(breaker.success(permit, Moment::ORIGIN, None), None);
    breaker.open(at(0));
    assert_eq!(breaker.try_acquire(), None);
    assert_eq!(breaker.try_acquire(), None, "not even when its time is over");
}
