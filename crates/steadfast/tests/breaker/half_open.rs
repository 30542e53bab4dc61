//! G1: half-open by share of probes.

use super::*;
use BreakerState::*;

fn two_of_three() -> BreakerSettings {
    BreakerSettings::consecutive(1, TIMEOUT).successes_of(2, 3)
}

/// G1: k of n probes must succeed; one of three may fail, whenever it does.
#[test]
fn share_of_successful_probes_closes_the_breaker() {
    for failed in 0..3 {
        let breaker = opened_at_0(two_of_three());
        let results = (0..3).map(|nth| match nth == failed {
            true => fail(&breaker, at(60)),
            false => succeed(&breaker, at(60)),
        });
        let last = results.take_while(Option::is_none).count();
        assert_eq!(breaker.state(at(60)), Closed, "probe {failed} failed, {last} before the last");
    }
}

/// G1: as soon as k successes are impossible, the breaker opens again.
#[test]
fn too_many_failed_probes_reopen_the_breaker() {
    let breaker = opened_at_0(two_of_three());
    assert_eq!(fail(&breaker, at(60)), None);
    assert_eq!(fail(&breaker, at(61)), change(HalfOpen, Open));
    assert_eq!(asked(&breaker, at(61)), rejected(Open, secs(60)));
    assert_eq!(fail(&breaker, at(121)), None, "counted afresh");
    assert_eq!(succeed(&breaker, at(122)), None);
    assert_eq!(succeed(&breaker, at(123)), change(HalfOpen, Closed));
}

/// G1: a slow probe counts as failed.
#[test]
fn slow_probe_counts_as_failed() {
    let breaker = opened_at_0(
        BreakerSettings::rate_over_calls(0.5, 10, TIMEOUT)
            .slow_calls(secs(2), 0.5)
            .successes_of(1, 2),
    );
    for expected in [None, change(HalfOpen, Open)] {
        let probe = breaker.acquire(at(60)).unwrap();
        assert_eq!(breaker.success(probe, at(63), Some(secs(3))), expected);
    }
}

/// G1: no more probes are sent than are counted.
#[test]
fn probes_are_limited_by_the_sample() {
    let breaker = opened_at_0(two_of_three().probes(10));
    let probes: Vec<_> = (0..3).map(|_| breaker.acquire(at(60)).unwrap()).collect();
    assert_eq!(asked(&breaker, at(60)), rejected(HalfOpen, secs(60)));
    assert_eq!(breaker.failure(probes[0], at(60), None), None);
    assert!(breaker.acquire(at(60)).is_err(), "a failed probe is one of the three");
    breaker.ignore(probes[1]);
    assert!(breaker.acquire(at(60)).is_ok(), "an ignored one is not");
}

/// G2: lost probes are replaced, whatever the sample.
#[test]
fn lost_probes_of_a_sample_are_replaced() {
    let breaker = opened_at_0(two_of_three().probes(3));
    for _ in 0..3 {
        let _lost = breaker.acquire(at(60)).unwrap();
    }
    assert_eq!(succeed(&breaker, at(120)), None);
    assert_eq!(succeed(&breaker, at(120)), change(HalfOpen, Closed));
}

/// G1: without a sample, one failed probe opens the breaker again, however many are in flight.
#[test]
fn one_failed_probe_reopens_without_a_sample() {
    let breaker = opened_at_0(BreakerSettings::consecutive(1, TIMEOUT).probes(5));
    let probes: Vec<_> = (0..5).map(|_| breaker.acquire(at(60)).unwrap()).collect();
    assert_eq!(breaker.failure(probes[3], at(60), None), change(HalfOpen, Open));
}
