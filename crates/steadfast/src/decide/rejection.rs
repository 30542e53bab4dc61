//! The decision after a rejection by a circuit breaker (`on_open`).

use std::time::Duration;

use super::delay::uniform;
use super::{Decision, DecisionEnv, Reason, SessionLimits, is_too_late};
use crate::guard::Rejection;
use crate::guard::breaker::BreakerState;
use crate::policy::{Jitter, OnOpen, Policy};
use crate::time::saturating_nanos;
use crate::{Class, Moment};

/// The random part of a wait, as a divisor, and its longest: if all sessions returned at the next
/// probe, the first would be the probe and the others be rejected again.
const JITTER_DIVISOR: u64 = 10;
const MAX_JITTER: u64 = 5_000_000_000;

/// The shortest wait for a probe in flight, as a divisor of the time after which it counts as lost.
const PROBE_POLL_DIVISOR: u64 = 100;

/// Decides what follows a rejection: to wait for the breaker's next probe and ask again, or to give
/// up with [`Reason::BreakerOpen`]. `rejections` is the number of rejections before this one without
/// an attempt in between.
///
/// A rejection is not an attempt, draws on no budget and is not judged. A session waits only under a
/// policy with [`OnOpen::Wait`], and gives up where
///
/// - the policy is disabled,
/// - the breaker is isolated, which has no end that is known,
/// - the wait would not end before the session's deadline,
/// - `max_attempts` rejections came before: a session without a deadline does not wait forever.
///
/// The wait for an open breaker is the rest of its open time. A half-open breaker waits for the
/// result of its probe, which usually takes less time than is reserved for it; the session asks again
/// after the policy's backoff, or after that time if it is shorter. If the policy has jitter, up to a
/// tenth of the wait, at most 5 s, is added.
///
/// ```
/// use std::time::Duration;
/// use steadfast::decide::{self, Decision, DecisionEnv, SessionLimits};
/// use steadfast::guard::{Breaker, BreakerSettings};
/// use steadfast::policy::OnOpen;
/// use steadfast::{Moment, Policy};
///
/// struct Middle;
/// impl DecisionEnv for Middle {
///     fn draw(&mut self) -> u64 {
///         u64::MAX / 2
///     }
/// }
///
/// let minute = Duration::from_secs(60);
/// let breaker = Breaker::new(BreakerSettings::consecutive(5, minute))?;
/// breaker.open(Moment::ORIGIN);
/// let now = Moment::ORIGIN + minute / 4;
/// let rejection = breaker.acquire(now).unwrap_err();
///
/// let policy = Policy::immediate().on_open(OnOpen::Wait).build()?;
/// let limits = SessionLimits::default().started(now);
/// let decision = decide::on_rejection(&policy, &limits, now, &rejection, 0, &mut Middle);
/// assert_eq!(decision, Decision::Retry(minute * 3 / 4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[cold]
pub fn on_rejection(
    policy: &Policy,
    limits: &SessionLimits,
    now: Moment,
    rejection: &Rejection,
    rejections: u32,
    env: &mut impl DecisionEnv,
) -> Decision {
    let exhausted = rejections >= policy.max_attempts;
    if policy.on_open != OnOpen::Wait || !policy.enabled || exhausted {
        return Decision::GiveUp(Reason::BreakerOpen);
    }
    let Some(retry_after) = rejection.retry_after.map(saturating_nanos) else {
        return Decision::GiveUp(Reason::BreakerOpen);
    };
    let wait = match rejection.state {
        BreakerState::HalfOpen => probe_poll_delay(policy, rejections, retry_after),
        _ => retry_after,
    };
    let wait = match policy.timing.jitter {
        Jitter::None => wait,
        _ => wait.saturating_add(uniform(0, (wait / JITTER_DIVISOR).min(MAX_JITTER), env.draw())),
    };
    if is_too_late(policy, limits, now.plus_nanos(wait)) {
        return Decision::GiveUp(Reason::BreakerOpen);
    }
    Decision::Retry(Duration::from_nanos(wait))
}

/// The backoff of the policy, within the time after which the probe in flight counts as lost.
fn probe_poll_delay(policy: &Policy, rejections: u32, retry_after: u64) -> u64 {
    let timing = policy.timing_on(Class::Retryable);
    let backoff = saturating_nanos(timing.base_delay(rejections.saturating_add(1)));
    backoff.max(retry_after / PROBE_POLL_DIVISOR).min(retry_after)
}
