//! G2: late and lost results.

use super::*;
use BreakerState::*;

/// G2: a cancelled or ignored probe releases its permit.
#[test]
fn ignored_probe_releases_its_permit_only() {
    let breaker = opened_at_0(BreakerSettings::consecutive(1, TIMEOUT).success_threshold(2));
    assert_eq!(succeed(&breaker, at(60)), None);
    let probe = breaker.acquire(at(61)).unwrap();
    assert!(breaker.acquire(at(61)).is_err());
    breaker.ignore(probe);
    assert_eq!(breaker.state(at(61)), HalfOpen);
    assert_eq!(succeed(&breaker, at(61)), change(HalfOpen, Closed));
}

/// G2: an ignored call of a closed breaker neither counts nor ends a run.
#[test]
fn ignored_call_keeps_consecutive_failures() {
    let breaker = breaker(BreakerSettings::consecutive(2, TIMEOUT));
    fail(&breaker, at(0));
    breaker.ignore(breaker.acquire(at(0)).unwrap());
    assert_eq!(fail(&breaker, at(0)), change(Closed, Open));
}

/// G2: a result from before the last state change changes nothing.
#[test]
fn results_of_an_earlier_state_change_nothing() {
    let settings = BreakerSettings::consecutive(1, TIMEOUT);
    let breaker = breaker(settings);
    let old: Vec<_> = (0..6).map(|_| breaker.acquire(at(0)).unwrap()).collect();
    breaker.failure(old[0], at(0), None);

    let opened = breaker.snapshot(at(1));
    assert_eq!(breaker.failure(old[1], at(1), None), None);
    assert_eq!(breaker.success(old[2], at(1), None), None);
    assert_eq!(breaker.snapshot(at(1)), opened, "while open");

    let probe = breaker.acquire(at(60)).unwrap();
    let half_open = breaker.snapshot(at(61));
    assert_eq!(breaker.failure(old[3], at(61), None), None);
    assert_eq!(breaker.success(old[4], at(61), None), None);
    assert_eq!(breaker.snapshot(at(61)), half_open, "while half open");

    breaker.success(probe, at(62), None);
    let closed = breaker.snapshot(at(63));
    assert_eq!(breaker.failure(old[5], at(63), None), None);
    assert_eq!(breaker.failure(probe, at(63), None), None);
    assert_eq!(breaker.snapshot(at(63)), closed, "while closed again");
}

/// G2: the same for the window.
#[test]
fn results_of_an_earlier_state_are_not_in_the_window() {
    let settings = BreakerSettings::rate_over_time(0.5, secs(600), TIMEOUT).minimum_volume(2);
    let breaker = breaker(settings);
    let old = breaker.acquire(at(0)).unwrap();
    fail(&breaker, at(0));
    assert_eq!(fail(&breaker, at(0)), change(Closed, Open));
    succeed(&breaker, at(60));
    assert_eq!(fail(&breaker, at(61)), None, "earlier failures are reset");
    breaker.failure(old, at(61), None);
    assert_eq!(breaker.snapshot(at(61)).failure_count, 1);
}

/// G2: half-open can't get stuck.
#[test]
fn lost_probe_is_replaced_after_the_timeout() {
    let breaker = opened_at_0(BreakerSettings::consecutive(1, TIMEOUT));
    let lost = breaker.acquire(at(60)).unwrap();
    assert_eq!(asked(&breaker, at(119)), rejected(HalfOpen, secs(1)));
    let second = breaker.acquire(at(120)).unwrap();
    assert_eq!(second.transition(), None, "it was half open all along");
    assert_eq!(asked(&breaker, at(120)), rejected(HalfOpen, secs(60)));
    // It comes back after all: heard as evidence, but it has no permit to give
    // back.
    breaker.ignore(lost);
    assert!(breaker.acquire(at(120)).is_err());
    assert_eq!(breaker.success(second, at(121), None), change(HalfOpen, Closed));
}

/// G2: all that were lost are replaced, by no more than there were.
#[test]
fn lost_probes_are_replaced_in_full() {
    let settings = BreakerSettings::consecutive(1, TIMEOUT).probes(2);
    let breaker = opened_at_0(settings);
    for round in 1..1500 {
        let now = at(60 * round);
        assert!(breaker.acquire(now).is_ok());
        assert!(breaker.acquire(now).is_ok());
        assert_eq!(asked(&breaker, now), rejected(HalfOpen, secs(60)));
    }
}

/// G2: nor by probes that take longer than the timeout.
#[test]
fn slow_probes_can_still_close_the_breaker() {
    let breaker = opened_at_0(BreakerSettings::consecutive(1, TIMEOUT).success_threshold(2));
    let first = breaker.acquire(at(60)).unwrap();
    let second = breaker.acquire(at(120)).unwrap();
    assert_eq!(breaker.success(first, at(150), None), None);
    assert!(breaker.acquire(at(150)).is_err(), "the second is still out");
    assert_eq!(breaker.success(second, at(200), None), change(HalfOpen, Closed));
}

/// G2: a probe that is sent late is not taken for lost early.
#[test]
fn probe_is_lost_by_its_own_age() {
    let breaker = opened_at_0(BreakerSettings::consecutive(1, TIMEOUT).success_threshold(3));
    assert_eq!(succeed(&breaker, at(60)), None);
    // Half open for ten minutes, then the next probe.
    let _probe = breaker.acquire(at(660)).unwrap();
    assert_eq!(asked(&breaker, at(661)), rejected(HalfOpen, secs(59)));
}

/// G2: final errors do not count unless configured: the caller checks the settings.
#[test]
fn final_errors_count_only_if_configured() {
    assert!(!BreakerSettings::default().count_final);
    assert!(BreakerSettings::default().count_final(true).count_final);
}

/// G2: a rejection reads as what it is.
#[test]
fn rejection_has_retry_after() {
    let breaker = opened_at_0(BreakerSettings::consecutive(1, Duration::from_millis(1500)));
    let text = breaker.acquire(at(0)).unwrap_err().to_string();
    assert_eq!(text, "circuit breaker is open by hand, next probe in 1.5s");
    breaker.isolate(at(0));
    let text = breaker.acquire(at(0)).unwrap_err().to_string();
    assert_eq!(text, "circuit breaker is isolated until it is closed by hand");
}
