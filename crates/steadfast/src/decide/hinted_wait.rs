//! Waits that the other side asks for, such as by `Retry-After` (J2).
//!
//! A thousand clients that were sent `Retry-After: 30` would return in the same instant, so a policy
//! with jitter waits a little longer than the hint.

use std::time::Duration;

use super::delay::uniform;
use super::{LimitedEnv, Progress, Reason};
use crate::Class;
use crate::judge::Judgement;
use crate::policy::{Jitter, Policy, Timing};
use crate::time::saturating_nanos;

/// The longest jitter of a hinted wait, in nanoseconds.
const MAX_JITTER_NANOS: u64 = 5_000_000_000;

impl Progress {
    /// Whether the fault leads to a hinted wait that consumes no attempt.
    #[inline(always)]
    pub(super) fn is_free_wait(
        &self,
        policy: &Policy,
        judgement: &Judgement,
        env: &impl LimitedEnv,
    ) -> bool {
        judgement.class == Class::RateLimited
            && judgement.wait().is_some()
            && self.rate_limit_waits
                < policy.max_rate_limit_waits.unwrap_or_else(|| env.limits().max_rate_limit_waits)
    }

    /// Counts a hinted wait that consumes no attempt, unless the session gives up.
    #[cold]
    pub(super) fn count_free_wait(&mut self, waits: bool) {
        if waits {
            self.rate_limit_waits = self.rate_limit_waits.saturating_add(1);
        } else {
            self.attempts = self.attempt();
        }
    }
}

/// The delay of a hinted wait in nanoseconds: the hint and its jitter.
#[cold]
pub(super) fn delay(
    policy: &Policy,
    default_max_hint: Option<Duration>,
    class: Class,
    hint: Duration,
    draw: impl FnOnce() -> u64,
) -> Result<u64, Reason> {
    if policy.max_hint.or(default_max_hint).is_some_and(|longest| hint > longest) {
        return Err(Reason::HintTooLong);
    }
    let hint = saturating_nanos(hint);
    if !policy.timing_on(class).has_jitter() {
        return Ok(hint);
    }
    let jitter = uniform(0, (hint / 10).min(MAX_JITTER_NANOS), draw());
    Ok(hint.saturating_add(jitter))
}

impl Timing {
    /// Whether delays vary.
    fn has_jitter(&self) -> bool {
        match self.jitter {
            Jitter::None => false,
            Jitter::Additive(max) => !max.is_zero(),
            _ => self.jitter_amount > 0.0,
        }
    }
}
