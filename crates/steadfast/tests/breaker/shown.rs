//! Snapshots, and state across changed settings.

use super::*;
use BreakerState::*;

/// G1: the fields of the seed's circuit breaker state.
#[test]
fn snapshot_has_all_fields() {
    let breaker = breaker(BreakerSettings::consecutive(3, TIMEOUT));
    let fresh = breaker.snapshot(at(5));
    assert_eq!((fresh.state, fresh.failure_count), (Closed, 0));
    assert_eq!((fresh.last_failure, fresh.last_state_change), (None, None));
    assert_eq!((fresh.threshold, fresh.timeout), (Some(3), TIMEOUT));

    fail(&breaker, at(6));
    fail(&breaker, at(7));
    let closed = breaker.snapshot(at(8));
    assert_eq!(closed.failure_count, 2);
    assert_eq!(closed.last_failure, Some(at(7)));

    fail(&breaker, at(9));
    let open = breaker.snapshot(at(10));
    assert_eq!((open.state, open.failure_count), (Open, 3));
    assert_eq!(open.last_state_change, Some(at(9)));
    assert_eq!(open.retry_after, Some(secs(59)));

    let due = breaker.snapshot(at(80));
    assert_eq!((due.state, due.retry_after), (HalfOpen, None));
    assert_eq!(due.last_state_change, Some(at(69)));

    fail(&breaker, at(80));
    assert_eq!(breaker.snapshot(at(80)).failure_count, 4);
    succeed(&breaker, at(140));
    assert_eq!(breaker.snapshot(at(140)).failure_count, 0);
}

/// G4: state survives a policy reload.
#[test]
fn changed_settings_keep_the_state() {
    let old = breaker(BreakerSettings::consecutive(3, TIMEOUT));
    fail(&old, at(0));
    fail(&old, at(0));
    let closed = old.with_settings(BreakerSettings::consecutive(4, TIMEOUT)).unwrap();
    assert_eq!(fail(&closed, at(1)), None);
    assert_eq!(fail(&closed, at(1)), change(Closed, Open));

    fail(&old, at(10));
    let open = old.with_settings(BreakerSettings::consecutive(3, secs(100))).unwrap();
    assert_eq!(asked(&open, at(60)), rejected(Open, secs(50)));
    let probe = old.acquire(at(70)).unwrap();
    let half_open = old.with_settings(*old.settings()).unwrap();
    assert!(half_open.acquire(at(70)).is_err());
    assert_eq!(half_open.success(probe, at(71), None), change(HalfOpen, Closed));
}
