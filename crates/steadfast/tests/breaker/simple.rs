//! G1: the simple form.

use super::*;
use BreakerState::*;

/// G1: threshold consecutive failures open it.
#[test]
fn the_threshold_of_failures_in_a_row_opens_it() {
    let breaker = breaker(BreakerSettings::consecutive(3, TIMEOUT));
    assert_eq!(fail(&breaker, at(0)), None);
    assert_eq!(fail(&breaker, at(1)), None);
    assert_eq!(breaker.state(at(1)), Closed);
    assert_eq!(fail(&breaker, at(2)), change(Closed, Open));
    assert_eq!(breaker.state(at(2)), Open);
}

/// G1: consecutive, so a success in between starts the count again.
#[test]
fn a_success_ends_the_run_of_failures() {
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
fn settings_that_say_nothing_are_those_of_the_seed() {
    let breaker = breaker(serde_json::from_str("{}").unwrap());
    for _ in 0..4 {
        assert_eq!(fail(&breaker, at(0)), None);
    }
    assert_eq!(fail(&breaker, at(0)), change(Closed, Open));
    assert_eq!(breaker.acquire(at(0)), rejected(Open, secs(60)));
}

/// G1: timeout later one probe. G2: a rejection carries the time until then.
#[test]
fn after_the_timeout_one_probe_is_let_through() {
    let breaker = opened_at_0(BreakerSettings::consecutive(1, TIMEOUT));
    assert_eq!(breaker.acquire(at(0)), rejected(Open, secs(60)));
    assert_eq!(breaker.acquire(at(45)), rejected(Open, secs(15)));
    assert_eq!(breaker.state(at(59)), Open);
    assert_eq!(breaker.state(at(60)), HalfOpen);

    let probe = breaker.acquire(at(60)).unwrap();
    assert!(probe.is_probe());
    assert_eq!(probe.transition(), change(Open, HalfOpen));
    assert_eq!(breaker.acquire(at(61)), rejected(HalfOpen, secs(59)));
}

/// G1: the probe decides.
#[test]
fn a_good_probe_closes_it_and_a_bad_one_opens_it_again() {
    let breaker = opened_at_0(BreakerSettings::consecutive(2, TIMEOUT));
    assert_eq!(fail(&breaker, at(60)), change(HalfOpen, Open));
    assert_eq!(breaker.acquire(at(61)), rejected(Open, secs(59)));
    assert_eq!(succeed(&breaker, at(120)), change(HalfOpen, Closed));
    assert_eq!(breaker.state(at(120)), Closed);
    assert_eq!(fail(&breaker, at(121)), None, "the run starts from nothing");
}

/// I10: a closed breaker needs no clock.
#[test]
fn a_closed_breaker_is_passed_without_asking_the_time() {
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
