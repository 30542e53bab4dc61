//! G2: random calls in random order under random settings.

use proptest::prelude::*;

use super::*;
use BreakerState::*;

#[derive(Clone, Copy, Debug)]
enum Step {
    Wait(Duration),
    Acquire,
    Succeed(usize, Option<Duration>),
    Fail(usize, Option<Duration>),
    Ignore(usize),
    Lose(usize),
    Open,
    Close,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let millis = (0..4000_u64).prop_map(Duration::from_millis);
    let took = proptest::option::of((0..4000_u64).prop_map(Duration::from_millis));
    let step = prop_oneof![
        3 => millis.prop_map(Step::Wait),
        6 => Just(Step::Acquire),
        2 => (any::<usize>(), took.clone()).prop_map(|(which, took)| Step::Succeed(which, took)),
        4 => (any::<usize>(), took).prop_map(|(which, took)| Step::Fail(which, took)),
        1 => any::<usize>().prop_map(Step::Ignore),
        1 => any::<usize>().prop_map(Step::Lose),
        1 => prop_oneof![Just(Step::Open), Just(Step::Close)],
    ];
    proptest::collection::vec(step, 0..120)
}

fn settings() -> impl Strategy<Value = BreakerSettings> {
    let millis = |range: std::ops::Range<u64>| range.prop_map(Duration::from_millis);
    let opens = (1..5_u32, 1..8_u32, millis(10..5000), 0.01..1.0_f64, 0..4_u8);
    let sample = proptest::option::of(0..3_u32);
    let recovers = (millis(1..3000), 1..4_u32, 1..4_u32, 1.0..3.0_f64, sample);
    (opens, recovers).prop_map(|((threshold, calls, window, rate, kind), recovers)| {
        let (timeout, probes, successes, multiplier, tolerated) = recovers;
        let settings = match kind {
            0 => BreakerSettings::consecutive(threshold, timeout),
            1 => BreakerSettings::rate_over_calls(rate, calls, timeout),
            2 => BreakerSettings::rate_over_time(rate, window, timeout).minimum_volume(calls),
            _ => BreakerSettings::rate_over_calls(rate, calls, timeout).slow_calls(window, rate),
        };
        let settings = match tolerated {
            Some(failures) => settings.successes_of(successes, successes + failures),
            None => settings.success_threshold(successes),
        };
        settings.probes(probes).growing(multiplier, timeout * 4)
    })
}

/// A call that is in flight, or lost.
#[derive(Clone, Copy, Debug)]
struct Call {
    permit: Permit,
    sent: Moment,
    /// How many changes there had been when it was let through.
    period: usize,
    lost: bool,
}

/// A breaker, its clock, and the calls that it let through.
struct World {
    breaker: Breaker,
    now: Moment,
    changes: usize,
    calls: Vec<Call>,
}

impl World {
    fn new(settings: BreakerSettings) -> Self {
        Self { breaker: breaker(settings), now: at(1), changes: 0, calls: Vec::new() }
    }

    fn take(&mut self, step: Step) {
        match step {
            Step::Wait(time) => self.now = self.now + time,
            Step::Acquire => self.acquire(),
            Step::Open => {
                self.breaker.open(self.now);
                self.changes += 1;
            }
            Step::Close => {
                self.breaker.close(self.now);
                self.changes += 1;
            }
            Step::Lose(which) => {
                let mut under_way = self.calls.iter_mut().filter(|call| !call.lost);
                if let Some(call) = under_way.nth(which % 8) {
                    call.lost = true;
                }
            }
            Step::Succeed(which, _) | Step::Fail(which, _) | Step::Ignore(which) => {
                self.end(which, step);
            }
        }
    }

    fn acquire(&mut self) {
        let settings = *self.breaker.settings();
        match self.breaker.acquire(self.now) {
            Ok(permit) => {
                self.changes += usize::from(permit.transition().is_some());
                self.calls.push(Call { permit, sent: self.now, period: self.changes, lost: false });
                assert!(self.young_probes() <= settings.probes as usize);
            }
            Err(rejection) => {
                let wait = rejection.retry_after.unwrap();
                assert!(wait > Duration::ZERO && wait <= settings.max_timeout.unwrap());
            }
        }
    }

    /// The probes of this period that are not yet declared lost.
    fn young_probes(&self) -> usize {
        let timeout = self.breaker.settings().timeout;
        let is_young = |call: &&Call| {
            call.permit.is_probe()
                && call.period == self.changes
                && self.now.since(call.sent) < timeout
        };
        self.calls.iter().filter(is_young).count()
    }

    fn end(&mut self, which: usize, step: Step) {
        let under_way: Vec<_> =
            (0..self.calls.len()).filter(|&nth| !self.calls[nth].lost).collect();
        if under_way.is_empty() {
            return;
        }
        let call = self.calls.remove(under_way[which % under_way.len()]);
        let before = self.breaker.snapshot(self.now);
        let change = match step {
            Step::Succeed(_, took) => self.breaker.success(call.permit, self.now, took),
            Step::Fail(_, took) => self.breaker.failure(call.permit, self.now, took),
            _ => {
                self.breaker.ignore(call.permit);
                None
            }
        };
        if call.period != self.changes {
            assert_eq!(change, None, "a late result changes nothing");
            assert_eq!(self.breaker.snapshot(self.now), before);
        }
        if let Some(change) = change {
            assert_eq!(self.breaker.state(self.now), change.to);
            self.changes += 1;
        }
    }
}

proptest! {
    /// G1: never more probes in flight than allowed, but for those declared
    /// for lost. G2: results of an earlier state change nothing.
    #[test]
    fn probes_are_bounded_and_late_results_ignored(
        settings in settings(),
        steps in steps(),
    ) {
        let mut world = World::new(settings);
        for step in steps {
            world.take(step);
        }
    }

    /// G2: half-open cannot get stuck: from any state that rejects calls, waiting for `retry_after`
    /// and then succeeding closes the breaker.
    #[test]
    fn success_can_always_close_the_breaker(settings in settings(), steps in steps()) {
        let mut world = World::new(settings);
        for step in steps {
            world.take(step);
        }
        let World { breaker, mut now, .. } = world;
        for _ in 0..settings.success_threshold {
            if breaker.state(now) == Closed {
                break;
            }
            let permit = breaker.acquire(now).or_else(|rejection| {
                now = now + rejection.retry_after.unwrap();
                breaker.acquire(now)
            });
            prop_assert!(permit.is_ok(), "waited for retry_after, and got {:?}", permit);
            breaker.success(permit.unwrap(), now, None);
        }
        prop_assert_eq!(breaker.state(now), Closed);
    }

    /// G1: the simple form does what its two numbers say, and nothing else.
    #[test]
    fn simple_breaker_matches_its_model(
        threshold in 1..6_u32,
        timeout in 1..20_u64,
        calls in proptest::collection::vec((0..8_u64, any::<bool>()), 0..200),
    ) {
        let breaker = breaker(BreakerSettings::consecutive(threshold, secs(timeout)));
        let (mut now, mut run, mut open_until) = (0, 0, None::<u64>);
        for (wait, good) in calls {
            now += wait;
            let permit = match (breaker.acquire(at(now)), open_until) {
                (Err(rejection), Some(until)) if now < until => {
                    prop_assert_eq!(rejection.retry_after, Some(secs(until - now)));
                    continue;
                }
                (Ok(permit), None) => permit,
                (Ok(permit), Some(until)) if now >= until => permit,
                (answer, model) => panic!("{answer:?} at {now}, open until {model:?}"),
            };
            if good {
                breaker.success(permit, at(now), None);
                (run, open_until) = (0, None);
            } else {
                breaker.failure(permit, at(now), None);
                run += 1;
                if run >= threshold || open_until.is_some() {
                    open_until = Some(now + timeout);
                }
            }
        }
    }

    /// G1: a rate over calls opens the breaker exactly when the last calls reach it, whichever call
    /// is the last.
    #[test]
    fn rate_over_calls_matches_its_model(
        window in 1..12_u32,
        below in 0..12_u32,
        percent in 1..=100_u32,
        calls in proptest::collection::vec(any::<bool>(), 0..300),
    ) {
        let volume = window - below % window;
        let rate = f64::from(percent) / 100.0;
        let settings = BreakerSettings::rate_over_calls(rate, window, TIMEOUT);
        let breaker = breaker(settings.minimum_volume(volume));
        let mut last = std::collections::VecDeque::new();
        for good in calls {
            let change = if good { succeed(&breaker, at(0)) } else { fail(&breaker, at(0)) };
            last.push_back(good);
            if last.len() > window as usize {
                last.pop_front();
            }
            let failed = last.iter().filter(|good| !**good).count();
            let reached = failed as f64 / last.len() as f64 >= rate;
            prop_assert_eq!(change.is_some(), reached && last.len() >= volume as usize);
            if change.is_some() {
                breaker.close(at(0));
                last.clear();
            }
        }
    }

    /// G1: of n probes, in any order, k must succeed.
    #[test]
    fn share_of_probes_matches_its_model(
        successes in 1..6_u32,
        tolerated in 0..6_u32,
        results in proptest::collection::vec(any::<bool>(), 12),
    ) {
        let sample = successes + tolerated;
        let settings = BreakerSettings::consecutive(1, TIMEOUT).successes_of(successes, sample);
        let breaker = opened_at_0(settings);
        let (mut good, mut bad) = (0, 0);
        for result in results {
            let change = if result { succeed(&breaker, at(60)) } else { fail(&breaker, at(60)) };
            if result { good += 1 } else { bad += 1 }
            if good >= successes {
                prop_assert_eq!(change, super::change(HalfOpen, Closed));
                break;
            }
            if bad > tolerated {
                prop_assert_eq!(change, super::change(HalfOpen, Open));
                break;
            }
            prop_assert_eq!(change, None);
        }
        prop_assert!(good + bad <= sample);
    }

    /// As in P3: no value causes a panic.
    #[test]
    fn extreme_settings_and_moments_do_not_panic(
        (threshold, calls, volume) in (any::<u32>(), any::<u16>(), any::<u32>()),
        (timeout, window) in (any::<Duration>(), any::<Duration>()),
        (rate, multiplier) in (any::<f64>(), any::<f64>()),
        (probes, successes) in (any::<u32>(), 0..251_u32),
        moments in proptest::collection::vec(any::<u64>(), 0..50),
    ) {
        let mut all = vec![
            BreakerSettings::consecutive(threshold, timeout),
            BreakerSettings::rate_over_calls(rate, u32::from(calls), timeout),
            BreakerSettings::rate_over_time(rate, window, timeout).minimum_volume(volume),
        ];
        all.push(all[0].probes(probes).success_threshold(successes).growing(multiplier, window));
        all.push(all[1].growing(1e308, Duration::MAX).slow_calls(window, rate));
        all.push(all[0].successes_of(successes, probes % 251).probes(250));
        for settings in all {
            let Ok(breaker) = Breaker::new(settings) else {
                prop_assert!(!settings.problems().is_empty());
                continue;
            };
            for (nth, &nanos) in moments.iter().chain(&[0, u64::MAX, 0]).enumerate() {
                let now = Moment::from_nanos(nanos);
                if let Ok(permit) = breaker.acquire(now) {
                    match nth % 4 {
                        0 => drop(breaker.success(permit, now, Some(window))),
                        1 => breaker.ignore(permit),
                        2 => drop(breaker.failure(permit, now, Some(timeout))),
                        _ if nth % 8 == 3 => drop(breaker.open_for(window, now)),
                        _ => drop(breaker.open(now)),
                    }
                }
                let snapshot = breaker.snapshot(now);
                prop_assert_eq!(snapshot.state, breaker.state(now));
            }
        }
    }
}
