//! The decision: everything that counts, delays or gives up.
//!
//! A pure state machine. It is told the time, a judgement and, when it asks, a
//! random draw, and answers *retry after d* or *give up because*. The async and
//! blocking drivers, the worker of a store, the simulator and `policy plan` feed
//! it and obey it; none of them computes a delay or counts an attempt itself.
//!
//! One failure is decided in this order, the first that applies:
//!
//! 1. class `final`: give up.
//! 2. a session inside has retried already, or one around will: give up (I7).
//! 3. the policy is disabled: give up.
//! 4. class `unknown_outcome` and not safe to repeat: give up (J9).
//! 5. count: a hinted wait, or else an attempt; none left: give up.
//! 6. the hint, if there is one, or else the backoff; a hint too long: give up.
//! 7. the retry could not start in time: give up, without waiting (P5).
//! 8. the budget has nothing left: give up (G3).
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

/// What the core may ask of whoever drives it, and only when it needs it.
pub trait DecisionEnv {
    /// A random number, uniform over all of `u64`.
    fn draw(&mut self) -> u64;

    /// Draws one retry from the budget; `false` if there is none left.
    fn withdraw(&mut self) -> bool {
        true
    }

    /// Whether a session around or inside this one makes a retry here pointless.
    fn nesting(&mut self) -> Option<Reason> {
        None
    }
}

/// What a session may use, beside its policy.
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
/// let terms = SessionLimits::default();
/// assert_eq!(decide::deadline(&policy, &terms), Some(Moment::from_nanos(10_000_000_000)));
/// let limit = Progress::attempt_limit(&policy, &terms, Moment::ORIGIN);
/// assert_eq!(limit, Some(Duration::from_secs(10)), "clipped by what is left");
/// assert!(Progress::default().is_last_attempt(&policy));
/// # Ok::<(), steadfast::policy::PolicyError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionLimits {
    /// When the session started.
    pub started: Moment,
    /// When it must have ended.
    pub expires_at: Option<Moment>,
    /// The longest hint that is honoured where the policy does not say.
    pub max_hint: Option<Duration>,
    /// Whether the operation uses its idempotency key, so that repeating it is safe.
    pub key_in_use: bool,
}

impl SessionLimits {
    /// Those of a session in a process: no hint of more than an hour, unless its policy says
    /// otherwise.
    pub const IN_PROCESS: Self = Self {
        started: Moment::ORIGIN,
        expires_at: None,
        max_hint: Some(Duration::from_secs(3600)),
        key_in_use: false,
    };
}

/// What follows from a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Try again after this long.
    Retry(Duration),
    /// Stop.
    GiveUp(Reason),
}

/// How far a session has come. Plain data, so that a task can keep it in its row.
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
    /// Attempts that have been used up.
    pub attempts: u32,
    /// Hinted waits, which use up no attempt.
    pub rate_limit_waits: u32,
    /// The last decorrelated draw, in nanoseconds.
    pub previous: u64,
}

impl Progress {
    /// The number of the attempt under way or to come.
    #[must_use]
    pub const fn attempt(&self) -> u32 {
        self.attempts.saturating_add(1)
    }

    /// Whether the attempt under way is the last one, whatever it fails with.
    #[must_use]
    pub const fn is_last_attempt(&self, policy: &Policy) -> bool {
        !policy.is_enabled() || self.attempt() >= policy.max_attempts()
    }

    /// Counts the failure of the attempt under way and says what follows.
    #[inline(always)]
    pub fn decide(
        &mut self,
        policy: &Policy,
        terms: &SessionLimits,
        now: Moment,
        judgement: &Judgement,
        surroundings: &mut impl DecisionEnv,
    ) -> Decision {
        match self.try_decide(policy, terms, now, judgement, surroundings) {
            Ok(nanos) => Decision::Retry(Duration::from_nanos(nanos)),
            Err(reason) => Decision::GiveUp(reason),
        }
    }

    /// The same, with the delay in nanoseconds.
    #[inline(always)]
    pub(crate) fn try_decide(
        &mut self,
        policy: &Policy,
        terms: &SessionLimits,
        now: Moment,
        judgement: &Judgement,
        surroundings: &mut impl DecisionEnv,
    ) -> Result<u64, Reason> {
        let hinted = judgement.is_hinted_wait();
        if !hinted {
            self.attempts = self.attempt();
        }
        let decided = self.evaluate(policy, terms, now, judgement, surroundings);
        if hinted {
            self.count_hinted(decided.is_ok());
        }
        decided
    }

    /// A wait that the other side asked for uses up no attempt (J2); what is not waited for
    /// is an attempt like any other.
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
        terms: &SessionLimits,
        now: Moment,
        judgement: &Judgement,
        surroundings: &mut impl DecisionEnv,
    ) -> Result<u64, Reason> {
        if judgement.class == Class::Final {
            return Err(Reason::Final);
        }
        if let Some(reason) = surroundings.nesting() {
            return Err(reason);
        }
        if !policy.enabled {
            return Err(Reason::Disabled);
        }
        if judgement.class == Class::UnknownOutcome && !policy.idempotent && !terms.key_in_use {
            return Err(Reason::NotSafeToRetry);
        }
        self.check_count(policy, judgement.is_hinted_wait())?;
        let delay = match judgement.hint {
            Some(hint) => saturating_nanos(hinted(policy, terms, hint)?),
            None => self.backoff(policy, judgement.class, surroundings),
        };
        if is_too_late(policy, terms, now.plus_nanos(delay)) {
            return Err(Reason::OutOfTime);
        }
        if !surroundings.withdraw() {
            return Err(Reason::BudgetExhausted);
        }
        Ok(delay)
    }

    /// Whether the policy has another hinted wait, or else another attempt.
    #[inline(always)]
    fn check_count(&self, policy: &Policy, hinted: bool) -> Result<(), Reason> {
        if hinted {
            let exhausted = self.rate_limit_waits >= policy.max_rate_limit_waits;
            return if exhausted { Err(Reason::RateLimitWaitsExhausted) } else { Ok(()) };
        }
        if self.attempts >= policy.max_attempts { Err(Reason::AttemptsExhausted) } else { Ok(()) }
    }

    #[inline(always)]
    fn backoff(
        &mut self,
        policy: &Policy,
        class: Class,
        surroundings: &mut impl DecisionEnv,
    ) -> u64 {
        let timing = policy.timing_on(class);
        timing.nanos(self.attempts, &mut self.previous, || surroundings.draw())
    }

    /// How long the attempt that starts now may take: the policy's `attempt_timeout`,
    /// clipped by what is left of `max_duration`.
    #[must_use]
    pub fn attempt_limit(policy: &Policy, terms: &SessionLimits, now: Moment) -> Option<Duration> {
        let limit = policy.attempt_timeout()?;
        match deadline(policy, terms) {
            Some(deadline) => Some(limit.min(deadline.since(now))),
            None => Some(limit),
        }
    }
}

#[cold]
fn hinted(policy: &Policy, terms: &SessionLimits, hint: Duration) -> Result<Duration, Reason> {
    match policy.max_hint.or(terms.max_hint) {
        Some(longest) if hint > longest => Err(Reason::HintTooLong),
        _ => Ok(hint),
    }
}

/// Whether an attempt that starts then would not start in time (P5).
#[inline]
#[must_use]
pub fn is_too_late(policy: &Policy, terms: &SessionLimits, start: Moment) -> bool {
    deadline(policy, terms).is_some_and(|deadline| start >= deadline)
}

/// When the session must be over, if ever.
#[inline]
#[must_use]
pub fn deadline(policy: &Policy, terms: &SessionLimits) -> Option<Moment> {
    let by_policy = policy.max_duration.map(|longest| terms.started + longest);
    match (by_policy, terms.expires_at) {
        (Some(left), Some(right)) => Some(left.min(right)),
        (left, right) => left.or(right),
    }
}
