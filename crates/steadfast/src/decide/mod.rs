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
//! 5. no attempt left, unless a hinted wait follows that consumes none: give up (J2).
//! 6. the delay is the hint, or else the backoff; the hint is too long: give up.
//! 7. the retry would start after the deadline: give up without waiting (P5).
//! 8. the budget is exhausted: give up (G3).
//! 9. retry.

mod delay;
mod hinted_wait;
mod plan;
mod reason;
mod rejection;

use std::time::Duration;

use crate::judge::Judgement;
use crate::policy::Policy;
use crate::{Class, Moment};

pub use plan::PlannedAttempt;
pub use reason::Reason;
pub use rejection::on_rejection;

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
/// # Ok::<(), steadfast::policy::PolicyError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SessionLimits {
    /// When the session started.
    pub started: Moment,
    /// When it must end.
    pub expires_at: Option<Moment>,
    /// The longest hint that is honoured where the policy sets no `max_hint`.
    pub max_hint: Option<Duration>,
    /// The hinted waits that consume no attempt where the policy sets no `max_rate_limit_waits`.
    pub max_rate_limit_waits: u32,
    /// Whether the operation uses its idempotency key, so that repeating it is safe.
    pub key_in_use: bool,
    /// Whether the operation is idempotent, where the policy does not say and the caller knows.
    pub idempotent: Option<bool>,
}

impl SessionLimits {
    /// The limits of a session within one process: hints of up to an hour, and each hinted wait
    /// consumes an attempt, unless its policy says otherwise.
    pub const IN_PROCESS: Self = Self {
        started: Moment::ORIGIN,
        expires_at: None,
        max_hint: Some(Duration::from_secs(3600)),
        max_rate_limit_waits: 0,
        key_in_use: false,
        idempotent: None,
    };

    /// The limits of a task in a store: hints of up to a day, and 100 hinted waits that consume no
    /// attempt, unless its policy says otherwise.
    pub const IN_STORE: Self = Self {
        max_hint: Some(Duration::from_secs(24 * 3600)),
        max_rate_limit_waits: 100,
        ..Self::IN_PROCESS
    };

    /// Sets when the session started.
    #[must_use]
    pub const fn started(mut self, at: Moment) -> Self {
        self.started = at;
        self
    }

    /// Sets when the session must end.
    #[must_use]
    pub const fn expires_at(mut self, at: Option<Moment>) -> Self {
        self.expires_at = at;
        self
    }

    /// Sets whether the operation uses its idempotency key.
    #[must_use]
    pub const fn key_in_use(mut self, in_use: bool) -> Self {
        self.key_in_use = in_use;
        self
    }

    /// Sets whether the operation is idempotent, if that is known.
    #[must_use]
    pub const fn idempotent(mut self, idempotent: Option<bool>) -> Self {
        self.idempotent = idempotent;
        self
    }

    /// Whether an attempt that may have taken effect is safe to repeat (J9): a key in use makes it
    /// safe; otherwise the policy decides, or else what is known of the operation. An operation
    /// of which nothing is known is repeated.
    #[inline]
    #[must_use]
    pub fn may_repeat(&self, policy: &Policy) -> bool {
        self.key_in_use || policy.idempotent.or(self.idempotent).unwrap_or(true)
    }
}

/// The environment of a decision that also has the limits of the session. They are asked for only
/// where they matter: most failures need none of them.
pub(crate) trait LimitedEnv: DecisionEnv {
    fn limits(&self) -> SessionLimits;
}

struct WithLimits<'d, Env>(&'d SessionLimits, &'d mut Env);

impl<Env: DecisionEnv> DecisionEnv for WithLimits<'_, Env> {
    fn draw(&mut self) -> u64 {
        self.1.draw()
    }

    fn withdraw(&mut self) -> bool {
        self.1.withdraw()
    }

    fn nesting(&mut self) -> Option<Reason> {
        self.1.nesting()
    }
}

impl<Env: DecisionEnv> LimitedEnv for WithLimits<'_, Env> {
    fn limits(&self) -> SessionLimits {
        *self.0
    }
}

/// The decision after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Retry after this delay.
    Retry(Duration),
    /// Give up.
    GiveUp(Reason),
}

/// The progress of a session. Plain data, so that a store can save it with a task; it has no other
/// fields, so that a store saves all of it.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
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

    /// The number of calls so far: the attempts, and the calls that ended in a hinted wait.
    #[must_use]
    pub const fn calls(&self) -> u32 {
        self.attempts.saturating_add(self.rate_limit_waits)
    }

    /// Whether the current attempt is the last one, whatever its fault, unless that is a hinted
    /// wait which consumes no attempt.
    #[must_use]
    pub(crate) const fn is_last_attempt(&self, policy: &Policy) -> bool {
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
        match self.try_decide(policy, Some(now), judgement, &mut WithLimits(limits, env)) {
            Ok(nanos) => Decision::Retry(Duration::from_nanos(nanos)),
            Err(reason) => Decision::GiveUp(reason),
        }
    }

    /// The same, with the delay in nanoseconds. A session without a deadline needs no time.
    #[inline(always)]
    pub(crate) fn try_decide(
        &mut self,
        policy: &Policy,
        now: Option<Moment>,
        judgement: &Judgement,
        env: &mut impl LimitedEnv,
    ) -> Result<u64, Reason> {
        let is_free = self.is_free_wait(policy, judgement, env);
        if !is_free {
            self.attempts = self.attempt();
        }
        let decided = self.evaluate(policy, now, judgement, is_free, env);
        if is_free {
            self.count_free_wait(decided.is_ok());
        }
        decided
    }

    #[inline(always)]
    fn evaluate(
        &mut self,
        policy: &Policy,
        now: Option<Moment>,
        judgement: &Judgement,
        is_free: bool,
        env: &mut impl LimitedEnv,
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
        if judgement.class == Class::UnknownOutcome && !env.limits().may_repeat(policy) {
            return Err(Reason::NotSafeToRetry);
        }
        if !is_free && self.attempts >= policy.max_attempts {
            return Err(Reason::AttemptsExhausted);
        }
        let delay = match judgement.wait() {
            Some(hint) => {
                let (max_hint, class) = (env.limits().max_hint, judgement.class);
                hinted_wait::delay(policy, max_hint, class, hint, || env.draw())?
            }
            None => self.backoff(policy, judgement.class, env),
        };
        if now.is_some_and(|now| is_too_late(policy, &env.limits(), now.plus_nanos(delay))) {
            return Err(Reason::OutOfTime);
        }
        if !env.withdraw() {
            return Err(Reason::BudgetExhausted);
        }
        Ok(delay)
    }

    #[inline(always)]
    fn backoff(&mut self, policy: &Policy, class: Class, env: &mut impl DecisionEnv) -> u64 {
        let timing = policy.timing_on(class);
        timing.nanos(self.attempts, &mut self.previous, || env.draw())
    }

    /// How long the attempt that starts now may take: the policy's `attempt_timeout`, or the time
    /// that is left of the session if that is shorter (P5).
    #[must_use]
    pub fn attempt_limit(policy: &Policy, limits: &SessionLimits, now: Moment) -> Option<Duration> {
        let left = deadline(policy, limits).map(|deadline| deadline.since(now));
        match (policy.attempt_timeout, left) {
            (Some(timeout), Some(left)) => Some(timeout.min(left)),
            (timeout, left) => timeout.or(left),
        }
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
