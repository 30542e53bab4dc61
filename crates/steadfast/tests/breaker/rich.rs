//! G1: the rich form.

use super::*;
use BreakerState::*;

/// G1: failure rate over a count window.
#[test]
fn failure_rate_over_calls_opens_the_breaker() {
    let settings = BreakerSettings::rate_over_calls(0.5, 4, TIMEOUT).minimum_volume(4);
    let breaker = breaker(settings);
    fail(&breaker, at(0));
    for _ in 0..3 {
        succeed(&breaker, at(0));
    }
    // F S S S: the first failure leaves the window as the next one comes.
    assert_eq!(fail(&breaker, at(0)), None);
    // S S S F, then S S F F.
    assert_eq!(fail(&breaker, at(0)), change(Closed, Open));
}

/// G1: failure rate over a time window.
#[test]
fn failure_rate_over_time_opens_the_breaker() {
    let settings = BreakerSettings::rate_over_time(0.5, secs(10), TIMEOUT).minimum_volume(4);
    let breaker = breaker(settings);
    for _ in 0..3 {
        assert_eq!(fail(&breaker, at(0)), None);
    }
    // Ten seconds later those three are out of the window.
    for _ in 0..3 {
        assert_eq!(fail(&breaker, at(10)), None);
    }
    assert_eq!(fail(&breaker, at(12)), change(Closed, Open));
}

/// G1: a success that brings the window to its minimum volume opens the breaker, if the rate is
/// reached; later successes do not.
#[test]
fn success_that_fills_the_window_opens_the_breaker() {
    let by_calls = BreakerSettings::rate_over_calls(0.5, 10, TIMEOUT).minimum_volume(4);
    let by_time = BreakerSettings::rate_over_time(0.5, secs(10), TIMEOUT).minimum_volume(4);
    for settings in [by_calls, by_time] {
        let breaker = breaker(settings);
        fail(&breaker, at(0));
        fail(&breaker, at(0));
        assert_eq!(succeed(&breaker, at(0)), None, "below the volume");
        assert_eq!(succeed(&breaker, at(0)), change(Closed, Open));
    }
    let breaker = breaker(by_calls);
    fail(&breaker, at(0));
    for _ in 0..20 {
        assert_eq!(succeed(&breaker, at(0)), None, "below the rate");
    }
}

/// G1: successes that leave a window of time raise the rate of those that stay.
#[test]
fn success_after_others_expired_opens_the_breaker() {
    let settings = BreakerSettings::rate_over_time(0.5, secs(10), TIMEOUT).minimum_volume(2);
    let breaker = breaker(settings);
    for _ in 0..5 {
        succeed(&breaker, at(0));
    }
    assert_eq!(fail(&breaker, at(5)), None);
    assert_eq!(succeed(&breaker, at(11)), change(Closed, Open));
}

/// G1: with a minimum volume.
#[test]
fn rate_is_ignored_below_minimum_volume() {
    let settings = BreakerSettings::rate_over_calls(0.1, 100, TIMEOUT).minimum_volume(20);
    let breaker = breaker(settings);
    for _ in 0..19 {
        assert_eq!(fail(&breaker, at(0)), None);
    }
    assert_eq!(fail(&breaker, at(0)), change(Closed, Open));
}

/// G1: the default volume is limited by the window.
#[test]
fn small_window_limits_minimum_volume() {
    let breaker = breaker(BreakerSettings::rate_over_calls(1.0, 3, TIMEOUT));
    assert_eq!(fail(&breaker, at(0)), None);
    assert_eq!(fail(&breaker, at(0)), None);
    assert_eq!(fail(&breaker, at(0)), change(Closed, Open));
}

/// G1: a rate is reached exactly, not a rounding error later.
#[test]
fn rate_is_reached_exactly() {
    for percent in 1..=100_u32 {
        let rate: f64 = format!("{}.{:02}", percent / 100, percent % 100).parse().unwrap();
        let settings = BreakerSettings::rate_over_calls(rate, 100, TIMEOUT).minimum_volume(100);
        let breaker = breaker(settings);
        for _ in 0..100 - percent {
            assert_eq!(succeed(&breaker, at(0)), None);
        }
        for _ in 1..percent {
            assert_eq!(fail(&breaker, at(0)), None, "rate {rate}");
        }
        assert_eq!(fail(&breaker, at(0)), change(Closed, Open), "rate {rate}");
    }
}

/// G1: a rate alone leaves a run of failures alone; both together are both.
#[test]
fn rate_and_threshold_can_be_combined() {
    let rate = BreakerSettings::rate_over_calls(1.0, 100, TIMEOUT).minimum_volume(50);
    let alone = breaker(rate);
    for _ in 0..49 {
        assert_eq!(fail(&alone, at(0)), None);
    }
    let mut settings = rate;
    settings.threshold = Some(7);
    let both = breaker(settings);
    for _ in 0..6 {
        assert_eq!(fail(&both, at(0)), None);
    }
    assert_eq!(fail(&both, at(0)), change(Closed, Open));
}

/// G1: slow calls, good or bad.
#[test]
fn slow_call_rate_opens_the_breaker() {
    let settings = BreakerSettings::rate_over_calls(1.0, 10, TIMEOUT)
        .minimum_volume(4)
        .slow_calls(secs(2), 0.5);
    let breaker = breaker(settings);
    assert!(breaker.needs_clock_on_success());
    let call = |took| {
        let permit = breaker.acquire(at(0)).unwrap();
        breaker.success(permit, at(0), Some(took))
    };
    for took in [2, 3, 2, 2, 3] {
        assert_eq!(call(secs(took)), None, "two seconds are not longer than two");
    }
    assert_eq!(call(secs(3)), change(Closed, Open));
}

/// G1: a probe that succeeds slowly has not shown that the service is well.
#[test]
fn slow_probe_reopens_the_breaker() {
    let breaker =
        opened_at_0(BreakerSettings::rate_over_calls(0.5, 10, TIMEOUT).slow_calls(secs(2), 0.5));
    let probe = breaker.acquire(at(60)).unwrap();
    assert_eq!(breaker.success(probe, at(63), Some(secs(3))), change(HalfOpen, Open));
}

/// G1: N probes.
#[test]
fn probes_in_flight_are_limited() {
    let breaker =
        opened_at_0(BreakerSettings::consecutive(1, TIMEOUT).probes(3).success_threshold(4));
    let probes: Vec<_> = (0..3).map(|_| breaker.acquire(at(60)).unwrap()).collect();
    assert_eq!(probes[0].transition(), change(Open, HalfOpen));
    assert_eq!(probes[1].transition(), None, "reported once");
    assert_eq!(asked(&breaker, at(60)), rejected(HalfOpen, secs(60)));
    assert_eq!(breaker.success(probes[1], at(61), None), None);
    assert!(breaker.acquire(at(61)).is_ok(), "one came back, one goes");
    assert!(breaker.acquire(at(61)).is_err());
}

/// G1: success threshold.
#[test]
fn success_threshold_closes_the_breaker() {
    let breaker = opened_at_0(BreakerSettings::consecutive(1, TIMEOUT).success_threshold(3));
    assert_eq!(succeed(&breaker, at(60)), None);
    assert_eq!(succeed(&breaker, at(61)), None);
    assert_eq!(fail(&breaker, at(62)), change(HalfOpen, Open));
    for second in [122, 123] {
        assert_eq!(succeed(&breaker, at(second)), None, "counted afresh");
    }
    assert_eq!(succeed(&breaker, at(124)), change(HalfOpen, Closed));
}

/// G1: growing open time, which a close ends.
#[test]
fn open_time_grows_with_each_failed_probe() {
    let settings = BreakerSettings::consecutive(1, secs(10)).growing(3.0, secs(100));
    let breaker = opened_at_0(settings);
    let mut now = at(0);
    for open_time in [10, 30, 90, 100, 100] {
        assert_eq!(asked(&breaker, now), rejected(Open, secs(open_time)));
        now = now + secs(open_time);
        fail(&breaker, now);
    }
    now = now + secs(100);
    assert_eq!(succeed(&breaker, now), change(HalfOpen, Closed));
    assert_eq!(fail(&breaker, now), change(Closed, Open));
    assert_eq!(asked(&breaker, now), rejected(Open, secs(10)));
}

/// G1: opening by hand what is open already neither ends the growth nor adds
/// to it.
#[test]
fn reopening_keeps_the_grown_open_time() {
    let settings = BreakerSettings::consecutive(1, secs(10)).growing(3.0, secs(100));
    let breaker = opened_at_0(settings);
    fail(&breaker, at(10));
    breaker.open(at(20));
    assert_eq!(asked(&breaker, at(20)), rejected(Open, secs(30)));
}

/// G1: growth without a limit of its own ends at an hour.
#[test]
fn open_time_is_limited() {
    let mut settings = BreakerSettings::consecutive(1, secs(10));
    settings.timeout_multiplier = 1e300;
    let breaker = opened_at_0(settings);
    let mut now = at(10);
    for _ in 0..300 {
        fail(&breaker, now);
        assert_eq!(asked(&breaker, now), rejected(Open, secs(3600)));
        now = now + secs(3600);
    }
}

/// G1: manual open, close, isolate.
#[test]
fn breaker_can_be_controlled_manually() {
    let breaker = breaker(BreakerSettings::consecutive(2, TIMEOUT));
    assert_eq!(breaker.isolate(at(0)), change(Closed, Isolated));
    assert_eq!(asked(&breaker, at(1_000_000)), Err((Isolated, None)));
    assert_eq!(breaker.open(at(10)), change(Isolated, Open));
    assert_eq!(breaker.open(at(20)), None);
    assert_eq!(asked(&breaker, at(70)), rejected(Open, secs(10)));
    assert_eq!(breaker.close(at(70)), change(Open, Closed));
    assert_eq!(breaker.close(at(70)), None);

    fail(&breaker, at(71));
    breaker.close(at(71));
    assert_eq!(fail(&breaker, at(71)), None, "closing resets the failures");
}
