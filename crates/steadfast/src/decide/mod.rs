//! The decision core: counts attempts, computes delays and decides when to give up.
//!
//! A pure state machine. Its inputs are the time, a judgement and, on demand, a random number; its
//! output is *retry after d* or *give up because of r*. The async and blocking drivers, the store's
//! worker, the simulator and `policy plan` all use it; none of them computes a delay or counts an
//! attempt itself.
//!
//! A failure is decided by the first of these steps that applies:
//!
//! 1. class `final`: give up.
//! 2. an inner session has retried, or an outer session will: give up (I7).
//! 3. the policy is disabled: give up.
//! 4. class `unknown_outcome` and not safe to repeat: give up (J9).
//! 5. no hinted wait left, or else no attempt left: give up.
//! 6. the delay is the hint, or else the backoff; the hint is too long: give up.
//! 7. the retry would start after the deadline: give up without waiting (P5).
//! 8. the budget is exhausted: give up (G3).
//! 9. retry.

mod delay;
mod plan;
mod reason;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::judge::Judgement;
use crate::policy::Policy;
use crate::time::saturating_nanos;
use crate::{Class, Moment};

pub use plan::PlannedAttempt;
pub use reason::Reason;

/// The environment of a decision. Each method is called only when its answer is needed.
pub trait DecisionEnv {
    /// A random number, uniform over all of `u64`.
    fn draw(&mut self) -> u64;

    /// Withdraws one retry from the budget; `false` if the budget is exhausted.
    fn withdraw(&mut self) -> bool {
        true
    }

    /// The reason not to retry because of an outer or an inner session, if there is one.
    fn nesting(&mut self) -> Option<Reason> {
        None
    }
}

/// The limits of a session, beside those of its policy.
///
/// ```
/// use std::time::Duration;
/// use steadfast::decide::{self, Progress, SessionLimits};
/// use steadfast::{Moment, Policy};
///
/// let policy = Policy::immediate()
///     .max_attempts(1)
///     .max_duration(Duration::from_secs(10))
///     .attempt_timeout(Duration::from_secs(60))
///     .build()?;
/// let limits = SessionLimits::default();
/// assert_eq!(decide::deadline(&policy, &limits), Some(Moment::from_nanos(10_000_000_000)));
/// let limit = Progress::attempt_limit(&policy, &limits, Moment::ORIGIN);
/// assert_eq!(limit, Some(Duration::from_secs(10)), "limited by max_duration");
/// assert!(Progress::default().is_last_attempt(&policy));
/// # Ok::<(), steadfast::policy::PolicyError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionLimits {
    /// When the session started.
    pub started: Moment,
    /// When it must end.
    pub expires_at: Option<Moment>,
    /// The longest hint that is honoured where the policy sets no `max_hint`.
    pub max_hint: Option<Duration>,
    /// Whether the operation uses its idempotency key, so that repeating it is safe.
    pub key_in_use: bool,
}

impl SessionLimits {
    /// The limits of a session within one process: hints of up to an hour, unless its policy sets
    /// `max_hint`.
    pub const IN_PROCESS: Self = Self {
        started: Moment::ORIGIN,
        expires_at: None,
        max_hint: Some(Duration::from_secs(3600)),
        key_in_use: false,
    };
}

/// The decision after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Retry after this delay.
    Retry(Duration),
    /// Give up.
    GiveUp(Reason),
}

/// The progress of a session. Plain data, so that a store can save it with a task.
///
/// ```
/// use std::time::Duration;
/// use steadfast::decide::{Decision, Progress, DecisionEnv, SessionLimits};
/// use steadfast::{Fault, Moment, Policy, Reason, judge};
///
/// struct Middle;
/// impl DecisionEnv for Middle {
///     fn draw(&mut self) -> u64 {
///         u64::MAX / 2
///     }
/// }
///
/// let policy = Policy::exponential(Duration::from_secs(1)).max_attempts(2).build()?;
/// let judgement = judge::judge(policy.rules(), &Fault::http(503));
/// let mut progress = Progress::default();
/// let mut decide = || progress.decide(&policy, &SessionLimits::default(), Moment::ORIGIN, &judgement, &mut Middle);
/// assert_eq!(decide(), Decision::Retry(Duration::from_secs(1)));
/// assert_eq!(decide(), Decision::GiveUp(Reason::AttemptsExhausted));
/// # Ok::<(), steadfast::policy::PolicyError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Progress {
    /// The attempts used.
    pub attempts: u32,
    /// The hinted waits, which consume no attempt.
    pub rate_limit_waits: u32,
    /// The last delay with decorrelated jitter, in nanoseconds.
    pub previous: u64,
}

impl Progress {
    /// The number of the current or next attempt.
    #[must_use]
    pub const fn attempt(&self) -> u32 {
        self.attempts.saturating_add(1)
    }

    /// Whether the current attempt is the last one, whatever its fault.
    #[must_use]
    pub const fn is_last_attempt(&self, policy: &Policy) -> bool {
        !policy.is_enabled() || self.attempt() >= policy.max_attempts()
    }

    /// Counts the failure of the current attempt and decides what follows.
    #[inline(always)]
    pub fn decide(
        &mut self,
        policy: &Policy,
        limits: &SessionLimits,
        now: Moment,
        judgement: &Judgement,
        env: &mut impl DecisionEnv,
    ) -> Decision {
        match self.try_decide(policy, limits, now, judgement, env) {
            Ok(nanos) => Decision::Retry(Duration::from_nanos(nanos)),
            Err(reason) => Decision::GiveUp(reason),
        }
    }

    /// The same, with the delay in nanoseconds.
    #[inline(always)]
    pub(crate) fn try_decide(
        &mut self,
        policy: &Policy,
        limits: &SessionLimits,
        now: Moment,
        judgement: &Judgement,
        env: &mut impl DecisionEnv,
    ) -> Result<u64, Reason> {
        let hinted = judgement.is_hinted_wait();
        if !hinted {
            self.attempts = self.attempt();
        }
        let decided = self.evaluate(policy, limits, now, judgement, env);
        if hinted {
            self.count_hinted(decided.is_ok());
        }
        decided
    }

    /// A wait that the other side asked for consumes no attempt (J2), unless the session gives up.
    #[cold]
    fn count_hinted(&mut self, waits: bool) {
        if waits {
            self.rate_limit_waits = self.rate_limit_waits.saturating_add(1);
        } else {
            self.attempts = self.attempt();
        }
    }

    #[inline(always)]
    fn evaluate(
        &mut self,
        policy: &Policy,
        limits: &SessionLimits,
        now: Moment,
        judgement: &Judgement,
        env: &mut impl DecisionEnv,
    ) -> Result<u64, Reason> {
        if judgement.class == Class::Final {
            return Err(Reason::Final);
        }
        if let Some(reason) = env.nesting() {
            return Err(reason);
        }
        if !policy.enabled {
            return Err(Reason::Disabled);
        }
        if judgement.class == Class::UnknownOutcome && !policy.idempotent && !limits.key_in_use {
            return Err(Reason::NotSafeToRetry);
        }
        self.check_count(policy, judgement.is_hinted_wait())?;
        let delay = match judgement.hint {
            Some(hint) => saturating_nanos(hinted(policy, limits, hint)?),
            None => self.backoff(policy, judgement.class, env),
        };
        if is_too_late(policy, limits, now.plus_nanos(delay)) {
            return Err(Reason::OutOfTime);
        }
        if !env.withdraw() {
            return Err(Reason::BudgetExhausted);
        }
        Ok(delay)
    }

    /// Checks that the policy allows another hinted wait, or else another attempt.
    #[inline(always)]
    fn check_count(&self, policy: &Policy, hinted: bool) -> Result<(), Reason> {
        if hinted {
            let exhausted = self.rate_limit_waits >= policy.max_rate_limit_waits;
            return if exhausted { Err(Reason::RateLimitWaitsExhausted) } else { Ok(()) };
        }
        if self.attempts >= policy.max_attempts { Err(Reason::AttemptsExhausted) } else { Ok(()) }
    }

    #[inline(always)]
    fn backoff(&mut self, policy: &Policy, class: Class, env: &mut impl DecisionEnv) -> u64 {
        let timing = policy.timing_on(class);
        timing.nanos(self.attempts, &mut self.previous, || env.draw())
    }

    /// How long the attempt that starts now may take: the policy's `attempt_timeout`,
    /// limited by the rest of `max_duration`.
    #[must_use]
    pub fn attempt_limit(policy: &Policy, limits: &SessionLimits, now: Moment) -> Option<Duration> {
        let limit = policy.attempt_timeout()?;
        match deadline(policy, limits) {
            Some(deadline) => Some(limit.min(deadline.since(now))),
            None => Some(limit),
        }
    }
}

#[cold]
fn hinted(policy: &Policy, limits: &SessionLimits, hint: Duration) -> Result<Duration, Reason> {
    match policy.max_hint.or(limits.max_hint) {
        Some(longest) if hint > longest => Err(Reason::HintTooLong),
        _ => Ok(hint),
    }
}

/// Whether an attempt that starts then starts after the deadline (P5).
#[inline]
#[must_use]
pub fn is_too_late(policy: &Policy, limits: &SessionLimits, start: Moment) -> bool {
    deadline(policy, limits).is_some_and(|deadline| start >= deadline)
}

/// The session's deadline, if it has one.
#[inline]
#[must_use]
pub fn deadline(policy: &Policy, limits: &SessionLimits) -> Option<Moment> {
    let by_policy = policy.max_duration.map(|longest| limits.started + longest);
    match (by_policy, limits.expires_at) {
        (Some(left), Some(right)) => Some(left.min(right)),
        (left, right) => left.or(right),
    }
}
