//! G1: initial states, the disabled state, and open times set by hand.

use super::*;
use BreakerState::*;
use steadfast::guard::breaker::InitialState;

/// G1: a disabled breaker permits every call and counts none.
#[test]
fn disabled_breaker_permits_and_counts_nothing() {
    let breaker = breaker(BreakerSettings::consecutive(1, TIMEOUT));
    let before = breaker.acquire(at(0)).unwrap();
    assert_eq!(breaker.disable(at(0)), change(Closed, Disabled));
    assert_eq!(breaker.failure(before, at(0), None), None, "of an earlier state");
    for _ in 0..10 {
        assert_eq!(fail(&breaker, at(1)), None);
        assert_eq!(succeed(&breaker, at(1)), None);
    }
    assert_eq!(breaker.state(at(1_000_000)), Disabled);
    assert_eq!(breaker.snapshot(at(2)).failure_count, 0);

    let under_way = breaker.acquire(at(2)).unwrap();
    assert_eq!(breaker.close(at(2)), change(Disabled, Closed));
    assert_eq!(breaker.failure(under_way, at(2), None), None, "of an earlier state");
    assert_eq!(fail(&breaker, at(2)), change(Closed, Open));
    assert_eq!(breaker.disable(at(3)), change(Open, Disabled));
    assert_eq!(breaker.open(at(4)), change(Disabled, Open));
    assert_eq!(asked(&breaker, at(4)), rejected(Open, TIMEOUT));
}

/// G1: a breaker can start open: its timeout starts with the first call.
#[test]
fn breaker_can_start_open() {
    let settings = BreakerSettings::consecutive(1, TIMEOUT).initial_state(InitialState::Open);
    let breaker = breaker(settings);
    assert_eq!(breaker.state(at(1_000)), Open);
    assert_eq!(breaker.snapshot(at(1_000)).retry_after, Some(TIMEOUT));
    assert_eq!(asked(&breaker, at(1_000)), rejected(Open, secs(60)));
    assert_eq!(asked(&breaker, at(1_045)), rejected(Open, secs(15)));
    let adapted = breaker.with_settings(BreakerSettings::consecutive(9, TIMEOUT)).unwrap();
    assert_eq!(asked(&adapted, at(1_045)), rejected(Open, secs(15)));
    assert_eq!(succeed(&breaker, at(1_060)), change(HalfOpen, Closed));
    assert_eq!(fail(&breaker, at(1_061)), change(Closed, Open));
}

/// G1: or disabled.
#[test]
fn breaker_can_start_disabled() {
    let settings = BreakerSettings::consecutive(1, TIMEOUT).initial_state(InitialState::Disabled);
    let breaker = breaker(settings);
    assert_eq!(fail(&breaker, at(0)), None);
    assert_eq!(breaker.state(at(0)), Disabled);
    breaker.close(at(1));
    assert_eq!(fail(&breaker, at(1)), change(Closed, Open));
}

/// G1, P1: the initial state in a file.
#[cfg(feature = "serde")]
#[test]
fn initial_state_is_read_by_name() {
    let read = |json| serde_json::from_str::<BreakerSettings>(json);
    let open = read(r#"{"initial_state": "open", "half_open_calls": 5, "success_threshold": 3}"#);
    let built = BreakerSettings::default().initial_state(InitialState::Open).successes_of(3, 5);
    assert_eq!(open.unwrap(), built);
    let written = serde_json::to_string(&built).unwrap();
    assert_eq!(read(&written).unwrap(), built);
    assert!(read(r#"{"initial_state": "half_open"}"#).is_err());
}

/// G1: an open time set by hand replaces the timeout, once.
#[test]
fn breaker_can_be_opened_for_a_given_time() {
    let breaker = breaker(BreakerSettings::consecutive(1, TIMEOUT));
    assert_eq!(breaker.open_for(secs(600), at(0)), change(Closed, Open));
    assert_eq!(asked(&breaker, at(60)), rejected(Open, secs(540)));
    assert_eq!(breaker.state(at(599)), Open);
    let due = breaker.snapshot(at(700));
    assert_eq!((due.state, due.last_state_change), (HalfOpen, Some(at(600))));
    let adapted = breaker.with_settings(*breaker.settings()).unwrap();
    assert_eq!(asked(&adapted, at(60)), rejected(Open, secs(540)));

    assert_eq!(fail(&breaker, at(700)), change(HalfOpen, Open));
    assert_eq!(asked(&breaker, at(700)), rejected(Open, TIMEOUT));
    assert_eq!(breaker.open_for(secs(1), at(700)), None);
    assert_eq!(asked(&breaker, at(700)), rejected(Open, secs(1)), "also a shorter time");
    assert_eq!(breaker.open(at(700)), None);
    assert_eq!(asked(&breaker, at(700)), rejected(Open, TIMEOUT));
    breaker.open_for(Duration::MAX, at(700));
    assert!(breaker.acquire(at(1_000_000)).is_err());
}
