//! G2, P5: the decision after a rejection by a circuit breaker.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::time::Duration;

use proptest::prelude::*;
use steadfast::decide::{self, Decision, DecisionEnv, SessionLimits};
use steadfast::guard::{Breaker, BreakerSettings, Rejection};
use steadfast::policy::{Draft, OnOpen};
use steadfast::{Jitter, Moment, Policy, Reason};

use Decision::{GiveUp, Retry};

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const OPEN: Decision = GiveUp(Reason::BreakerOpen);

fn at(seconds: u64) -> Moment {
    Moment::ORIGIN + Duration::from_secs(seconds)
}

struct Draw(u64);

impl DecisionEnv for Draw {
    fn draw(&mut self) -> u64 {
        self.0
    }

    fn withdraw(&mut self) -> bool {
        panic!("a rejection draws on no budget")
    }
}

fn waiting() -> Draft {
    Policy::exponential(SECOND).on_open(OnOpen::Wait)
}

fn opened() -> Breaker {
    let breaker = Breaker::new(BreakerSettings::consecutive(1, MINUTE)).unwrap();
    breaker.open(at(0));
    breaker
}

/// The rejection of a breaker that has been open for ten seconds.
fn rejection() -> Rejection {
    opened().acquire(at(10)).unwrap_err()
}

/// The decision of a session that started at 0 and is rejected at 10, `before` times before.
fn decided(draft: Draft, rejection: &Rejection, before: u32, draw: u64) -> Decision {
    let policy = draft.build().unwrap();
    let limits = SessionLimits::default();
    decide::on_rejection(&policy, &limits, at(10), rejection, before, &mut Draw(draw))
}

/// G2: a rejection ends a session unless its policy waits.
#[test]
fn session_waits_only_if_its_policy_says_so() {
    assert_eq!(decided(Policy::exponential(SECOND), &rejection(), 0, 0), OPEN);
    assert_eq!(decided(waiting().on_open(OnOpen::GiveUp), &rejection(), 0, 0), OPEN);
    assert_eq!(decided(waiting(), &rejection(), 0, 0), Retry(50 * SECOND));
    assert_eq!(decided(waiting().enabled(false), &rejection(), 0, 0), OPEN);
}

/// G1: an isolated breaker has no next probe to wait for.
#[test]
fn isolated_breaker_is_not_waited_for() {
    let breaker = opened();
    breaker.isolate(at(5));
    assert_eq!(decided(waiting(), &breaker.acquire(at(10)).unwrap_err(), 0, 0), OPEN);
}

/// P5: a wait that could not end before the deadline gives up at once.
#[test]
fn wait_past_the_deadline_is_not_begun() {
    let within = |limit: u32| decided(waiting().max_duration(limit * SECOND), &rejection(), 0, 0);
    assert_eq!(within(61), Retry(50 * SECOND), "the probe at 60 is before 61");
    assert_eq!(within(60), OPEN);
    let policy = waiting().build().unwrap();
    let limits = SessionLimits::default().expires_at(Some(at(59)));
    let decision = decide::on_rejection(&policy, &limits, at(10), &rejection(), 0, &mut Draw(0));
    assert_eq!(decision, OPEN);
}

/// G2: without a deadline, `max_attempts` rejections in a row are enough.
#[test]
fn rejections_in_a_row_are_limited() {
    let draft = waiting().max_attempts(2);
    assert_eq!(decided(draft.clone(), &rejection(), 1, 0), Retry(50 * SECOND));
    assert_eq!(decided(draft.clone(), &rejection(), 2, 0), OPEN);
    assert_eq!(decided(draft, &rejection(), u32::MAX, 0), OPEN);
}

/// Not all sessions return for the same probe, if the policy has jitter: up to a tenth of the wait
/// is added, at most 5 s.
#[test]
fn wait_has_jitter_if_the_policy_has() {
    let jittered = |draw| decided(waiting().jitter(Jitter::Full), &rejection(), 0, draw);
    assert_eq!(jittered(0), Retry(50 * SECOND));
    assert_eq!(jittered(1 << 63), Retry(Duration::from_millis(52_500)));
    assert_eq!(jittered(u64::MAX), Retry(55 * SECOND));
    assert_eq!(decided(waiting(), &rejection(), 0, u64::MAX), Retry(50 * SECOND));

    let long = opened();
    long.open_for(60 * MINUTE, at(10));
    let draft = waiting().jitter(Jitter::Full);
    let rejection = long.acquire(at(10)).unwrap_err();
    assert_eq!(decided(draft, &rejection, 0, u64::MAX), Retry(60 * MINUTE + 5 * SECOND));
}

/// A probe in flight usually ends sooner than the time after which it counts as lost: the session
/// asks again after its backoff.
#[test]
fn half_open_breaker_is_asked_after_the_backoff() {
    let breaker = opened();
    let _probe = breaker.acquire(at(60)).unwrap();
    let half_open = breaker.acquire(at(60)).unwrap_err();
    assert_eq!(half_open.retry_after, Some(MINUTE));
    let waits = |draft: Draft, before| decided(draft, &half_open, before, 0);
    assert_eq!(waits(waiting(), 0), Retry(SECOND));
    assert_eq!(waits(waiting(), 2), Retry(4 * SECOND));
    let long = Policy::fixed(60 * MINUTE).on_open(OnOpen::Wait);
    assert_eq!(waits(long, 0), Retry(MINUTE), "no longer than the probe may take");
    let immediate = Policy::immediate().on_open(OnOpen::Wait);
    assert_eq!(waits(immediate, 0), Retry(MINUTE / 100), "but not at once");
}

/// Asks until it gets a permit, and returns when that was; nothing if it gives up.
fn wait_for_permit(breaker: &Breaker, policy: &Policy, start: Moment) -> Option<Moment> {
    let limits = SessionLimits::default().started(start);
    let (mut now, mut rejections) = (start, 0);
    loop {
        let rejection = match breaker.acquire(now) {
            Ok(permit) => {
                breaker.success(permit, now, None);
                return Some(now);
            }
            Err(rejection) => rejection,
        };
        match decide::on_rejection(policy, &limits, now, &rejection, rejections, &mut Draw(0)) {
            Retry(wait) => now = now + wait,
            GiveUp(reason) => {
                assert_eq!(reason, Reason::BreakerOpen);
                return None;
            }
        }
        rejections += 1;
    }
}

/// G2: a session that waits becomes the probe that closes the breaker.
#[test]
fn waiting_session_becomes_the_probe() {
    let breaker = opened();
    let policy = waiting().build().unwrap();
    assert_eq!(wait_for_permit(&breaker, &policy, at(10)), Some(at(60)));
    assert!(breaker.try_acquire().is_some());
}

proptest! {
    /// P5, G2: whatever the policy, waiting ends: with a permit before the deadline, or after at
    /// most `max_attempts` waits.
    #[test]
    fn waiting_always_ends(
        base in 0..100_000_u64,
        attempts in 1..20_u32,
        limit in proptest::option::of(0..200_000_u64),
        open in 1..100_000_u64,
        half_open in any::<bool>(),
    ) {
        let millis = Duration::from_millis;
        let breaker = Breaker::new(BreakerSettings::consecutive(1, millis(open))).unwrap();
        breaker.open(at(0));
        if half_open {
            let _lost = breaker.acquire(at(0) + millis(open)).unwrap();
        }
        let mut draft = Policy::fixed(millis(base)).max_attempts(attempts).on_open(OnOpen::Wait);
        if let Some(limit) = limit {
            draft = draft.max_duration(millis(limit.max(base)));
        }
        let policy = draft.build().unwrap();
        let start = if half_open { at(0) + millis(open) } else { at(0) };
        let deadline = policy.max_duration().map(|longest| start + longest);
        if let Some(permitted) = wait_for_permit(&breaker, &policy, start) {
            prop_assert!(deadline.is_none_or(|deadline| permitted < deadline));
        }
    }
}
