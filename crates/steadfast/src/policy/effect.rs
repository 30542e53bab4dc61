//! Settings that would silently have no effect.
//!
//! `Policy::immediate().base_delay(…)` cannot be what its author meant, so a policy that is built in
//! code is refused with such a setting. A file may have them: its policies inherit fields from the
//! global defaults, and a type of backoff may be changed for a day.

use std::time::Duration;

use super::error::Value;
use super::timing::{BackoffType, DEFAULT_CAP, Jitter, TimingDraft};
use super::{Draft, PolicyError, RangeError};

impl Draft {
    /// The settings without an effect, those of classes excluded.
    pub(super) const fn effect_checks(&self) -> [Option<RangeError>; 7] {
        if matches!(self.allows_ineffective, Some(true)) {
            return [None; 7];
        }
        let [base_delay, growth, multiplier, increment, amount] =
            self.timing.effect_checks(self.attempts());
        let threshold = match self.circuit_breaker_threshold {
            Some(count) => self.unused_by_breaker("circuit_breaker_threshold", count_of(count)),
            None => None,
        };
        let timeout = match self.circuit_breaker_timeout {
            Some(time) => self.unused_by_breaker("circuit_breaker_timeout", Value::Duration(time)),
            None => None,
        };
        [base_delay, growth, multiplier, increment, amount, threshold, timeout]
    }

    /// The settings of classes without an effect.
    pub(super) fn class_effects(&self) -> Vec<PolicyError> {
        if self.allows_ineffective == Some(true) {
            return Vec::new();
        }
        let classes = self.on.iter().flatten();
        let problems = classes.flat_map(|(class, own)| {
            let checks = own.in_context_of(&self.timing).effect_checks(self.attempts());
            checks.into_iter().flatten().map(|problem| PolicyError::from(problem).on(*class))
        });
        problems.collect()
    }

    const fn unused_by_breaker(&self, field: &'static str, value: Value) -> Option<RangeError> {
        let rule = match (self.enable_circuit_breaker, &self.breaker) {
            (Some(false), _) | (Some(true), None) => return None,
            (_, Some(_)) => "has no effect with breaker",
            (None, None) => "has no effect without enable_circuit_breaker",
        };
        Some(RangeError::new(field, value, rule))
    }
}

const fn count_of(count: u32) -> Value {
    Value::Count(count as u64)
}

impl TimingDraft {
    const fn effect_checks(&self, attempts: u32) -> [Option<RangeError>; 5] {
        [
            self.base_delay_effect(),
            self.growth_effect(attempts),
            self.multiplier_effect(),
            self.increment_effect(),
            self.jitter_amount_effect(),
        ]
    }

    const fn base_delay_effect(&self) -> Option<RangeError> {
        match self.base_delay {
            Some(base) if !self.backoff_type().uses_base_delay() => {
                Some(self.unused("base_delay", Value::Duration(base)))
            }
            _ => None,
        }
    }

    const fn multiplier_effect(&self) -> Option<RangeError> {
        match (self.multiplier, self.backoff_type()) {
            (None, _) | (_, BackoffType::Exponential) => None,
            (Some(factor), _) => Some(self.unused("multiplier", Value::Number(factor))),
        }
    }

    const fn increment_effect(&self) -> Option<RangeError> {
        match (self.increment, self.backoff_type()) {
            (None, _) | (_, BackoffType::Linear) => None,
            (Some(step), _) => Some(self.unused("increment", Value::Duration(step))),
        }
    }

    const fn unused(&self, field: &'static str, value: Value) -> RangeError {
        RangeError::new(field, value, "has no effect with backoff_type")
            .bound(Value::Name(self.backoff_type().name()))
    }

    /// The default `max_delay` is the base delay if that is longer than a minute: nothing grows.
    const fn growth_effect(&self, attempts: u32) -> Option<RangeError> {
        let Some(base) = self.base_delay else {
            return None;
        };
        let is_capped = self.max_delay.is_none() && base.as_nanos() >= DEFAULT_CAP.as_nanos();
        // Before the third attempt nothing has grown.
        if !is_capped || !self.grows() || attempts <= 2 {
            return None;
        }
        let rule = "does not grow under the default max_delay; set max_delay, or use fixed";
        Some(RangeError::new("base_delay", Value::Duration(base), rule))
    }

    const fn grows(&self) -> bool {
        match (self.backoff_type(), self.multiplier, self.increment) {
            (BackoffType::Exponential, Some(1.0), _) => false,
            (BackoffType::Linear, _, Some(Duration::ZERO)) => false,
            (BackoffType::Exponential | BackoffType::Linear | BackoffType::Fibonacci, ..) => true,
            _ => false,
        }
    }

    const fn jitter_amount_effect(&self) -> Option<RangeError> {
        let Some(amount) = self.jitter_amount else {
            return None;
        };
        match (self.jitter, self.jitter_type) {
            (None, Some(jitter)) if jitter.has_amount() => None,
            _ => Some(RangeError::new(
                "jitter_amount",
                Value::Number(amount),
                "has no effect without jitter_type",
            )),
        }
    }

    /// The settings of a class, with what decides about their effect from the policy.
    fn in_context_of(&self, policy: &Self) -> Self {
        let all = self.over(policy);
        Self {
            backoff_type: Some(all.backoff_type()),
            max_delay: all.max_delay,
            jitter: all.jitter,
            jitter_type: all.jitter_type,
            ..self.clone()
        }
    }
}

impl Jitter {
    /// Whether `jitter_amount` scales it.
    pub(super) const fn has_amount(self) -> bool {
        !matches!(self, Self::None | Self::Additive(_))
    }
}
