//! Validation of a draft, and the defaults of its fields.

use std::time::Duration;

use super::error::Value;
use super::timing::{Timing, TimingDraft};
use super::{Draft, Nested, OnOpen, Policy, PolicyError, RangeError};
use crate::Class;
use crate::guard::budget::BudgetDraft;
use crate::guard::{BreakerSettings, GuardCell};
use crate::judge::Rules;

const DEFAULT_MAX_ATTEMPTS: u32 = 3;
const DEFAULT_BREAKER_THRESHOLD: u32 = 5;
const DEFAULT_BREAKER_TIMEOUT: Duration = Duration::from_secs(60);

impl Draft {
    /// Validates the draft and builds the policy.
    ///
    /// # Errors
    /// The first problem; [`problems`](Self::problems) lists all of them.
    pub fn build(mut self) -> Result<Policy, PolicyError> {
        if let Some(problem) = self.problems().into_iter().next() {
            return Err(problem);
        }
        let on = self.class_timings();
        let durable = match self.durable.take() {
            Some(durable) => Some(Box::new(durable.build()?)),
            None => None,
        };
        let rules = Rules::new(self.retry_on.take(), self.abort_on.take().unwrap_or_default());
        let budget = self.budget.and_then(|budget| budget.settings().ok());
        self.on = None;
        let policy = self.assemble();
        let plain = policy.plain && rules.are_default();
        let retries_by_default_rules = policy.retries_by_default_rules && rules.are_default();
        let guarded = policy.breaker.is_some() || budget.is_some();
        let guards = if guarded { GuardCell::unresolved() } else { GuardCell::NONE };
        Ok(Policy { on, durable, rules, plain, retries_by_default_rules, budget, guards, ..policy })
    }

    /// Builds a policy in a `static`, validated by the compiler. A `const` would be a new policy at
    /// each use.
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::Policy;
    ///
    /// static UPLOAD: Policy =
    ///     Policy::exponential(Duration::from_millis(100)).max_attempts(5).constant();
    /// # assert_eq!(UPLOAD.max_attempts(), 5);
    /// ```
    ///
    /// A policy with a breaker, a budget or rules is built at its first use:
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use steadfast::Policy;
    /// use std::sync::LazyLock;
    /// use steadfast::guard::BudgetSettings;
    ///
    /// static CALLS: LazyLock<Policy> = LazyLock::new(|| {
    ///     let budget = BudgetSettings::Rate { retries_per_second: 10.0 };
    ///     Policy::grpc().budget(budget).build().unwrap_or_default()
    /// });
    /// # assert!(CALLS.budget().is_some());
    /// ```
    ///
    /// ```compile_fail
    /// # use std::time::Duration;
    /// # use steadfast::Policy;
    /// static UPLOAD: Policy =
    ///     Policy::exponential(Duration::from_millis(100)).max_attempts(0).constant();
    /// # assert_eq!(UPLOAD.max_attempts(), 0);
    /// ```
    ///
    /// # Panics
    /// The draft is invalid. In a `const` or `static` that is a compile error; for values that are
    /// known only at run time use [`build`](Self::build).
    #[must_use]
    #[allow(clippy::panic, reason = "a panic rejects a constant at compile time")]
    pub const fn constant(self) -> Policy {
        reject_in_const(&self.checks());
        reject_in_const(&self.effect_checks());
        if self.on.is_some() || self.durable.is_some() {
            panic!("`on` and `durable` cannot be constants: use `build`");
        }
        if matches!(self.enable_circuit_breaker, Some(true)) || self.breaker.is_some() {
            panic!("a breaker cannot be a constant: use `build`");
        }
        if self.budget.is_some() {
            panic!("a budget cannot be a constant: use `build`");
        }
        if self.retry_on.is_some() || self.abort_on.is_some() {
            panic!("`retry_on` and `abort_on` cannot be constants: use `build`");
        }
        self.assemble()
    }

    /// All problems, in the order of the fields.
    #[must_use]
    pub fn problems(&self) -> Vec<PolicyError> {
        let mut problems: Vec<PolicyError> =
            self.checks().into_iter().flatten().map(Into::into).collect();
        problems.extend(self.rule_error.clone().map(PolicyError::from));
        let breaker = self.breaker.iter().flat_map(BreakerSettings::problems);
        problems.extend(breaker.map(|problem| PolicyError::from(problem).within("breaker.")));
        problems.extend(self.budget_problems());
        for (class, timing) in self.on.iter().flatten() {
            let timing = timing.over(&self.timing);
            let found = timing.checks().into_iter().flatten();
            problems.extend(found.map(|problem| PolicyError::from(problem).on(*class)));
        }
        if let Some(durable) = &self.durable {
            problems.extend(durable.problems().into_iter().map(PolicyError::in_durable));
        }
        problems.extend(self.effect_checks().into_iter().flatten().map(PolicyError::from));
        problems.extend(self.class_effects());
        problems
    }

    fn budget_problems(&self) -> Vec<PolicyError> {
        match self.budget.map(BudgetDraft::settings) {
            None => Vec::new(),
            Some(Err(reason)) => vec![PolicyError::invalid("budget", reason)],
            Some(Ok(budget)) => {
                let problems = budget.problems().into_iter().map(PolicyError::from);
                problems.map(|problem| problem.within("budget.")).collect()
            }
        }
    }

    /// The violations of the range rules, in the order of the fields.
    pub(super) const fn checks(&self) -> [Option<RangeError>; 12] {
        let (threshold, timeout) = match self.has_simple_breaker() {
            true => (self.circuit_breaker_threshold, self.circuit_breaker_timeout),
            false => (None, None),
        };
        let [multiplier, min_delay, max_delay, amount, jitter, missing, unused] =
            self.timing.checks();
        [
            RangeError::if_zero("max_attempts", self.max_attempts),
            self.attempts_and_retries_problem(),
            self.timing.unless_room_for_base("max_duration", self.max_duration),
            RangeError::if_zero("circuit_breaker_threshold", threshold),
            RangeError::if_empty("circuit_breaker_timeout", timeout),
            multiplier,
            min_delay,
            max_delay,
            amount,
            jitter,
            missing,
            unused,
        ]
    }

    /// The settings of a disabled breaker are not validated.
    const fn has_simple_breaker(&self) -> bool {
        matches!(self.enable_circuit_breaker, Some(true))
    }

    const fn attempts_and_retries_problem(&self) -> Option<RangeError> {
        match (self.max_attempts, self.max_retries) {
            (Some(attempts), Some(_)) => Some(RangeError::new(
                "max_attempts",
                Value::Count(attempts as u64),
                "set only one of max_attempts and max_retries",
            )),
            _ => None,
        }
    }

    pub(super) const fn attempts(&self) -> u32 {
        match (self.max_attempts, self.max_retries) {
            (Some(attempts), _) => attempts,
            (None, Some(retries)) => retries.saturating_add(1),
            (None, None) => DEFAULT_MAX_ATTEMPTS,
        }
    }

    fn class_timings(&self) -> [Option<Box<Timing>>; 4] {
        Class::ALL.map(|class| {
            let timing = self.on.as_ref()?.get(&class)?;
            Some(Box::new(timing.over(&self.timing).resolve()))
        })
    }

    /// The policy with its defaults filled in. The caller has checked every rule and has taken out
    /// the rules, the budget, `on` and `durable`, which a constant cannot have.
    const fn assemble(mut self) -> Policy {
        let max_attempts = self.attempts();
        let breaker = match self.breaker {
            _ if matches!(self.enable_circuit_breaker, Some(false)) => None,
            Some(rich) => Some(rich),
            None if self.has_simple_breaker() => Some(BreakerSettings::consecutive(
                or(self.circuit_breaker_threshold, DEFAULT_BREAKER_THRESHOLD),
                match self.circuit_breaker_timeout {
                    Some(timeout) => timeout,
                    None => DEFAULT_BREAKER_TIMEOUT,
                },
            )),
            None => None,
        };
        let enabled = !matches!(self.enabled, Some(false));
        let nested = match self.nested {
            Some(nested) => nested,
            None => Nested::Outer,
        };
        let may_repeat = !matches!(self.idempotent, Some(false));
        let retries_by_default_rules =
            enabled && may_repeat && max_attempts > 1 && matches!(nested, Nested::Outer);
        let clockless = self.max_duration.is_none()
            && self.attempt_timeout.is_none()
            && breaker.is_none()
            && self.budget.is_none()
            && may_repeat
            && !matches!(nested, Nested::Inner);
        let policy = Policy {
            plain: retries_by_default_rules && clockless,
            retries_by_default_rules,
            clockless,
            enabled,
            max_attempts,
            timing: std::mem::replace(&mut self.timing, TimingDraft::EMPTY).resolve(),
            max_duration: self.max_duration,
            attempt_timeout: self.attempt_timeout,
            rules: Rules::DEFAULT,
            idempotent: self.idempotent,
            max_hint: self.max_hint,
            max_rate_limit_waits: self.max_rate_limit_waits,
            nested,
            on_open: match self.on_open {
                Some(on_open) => on_open,
                None => OnOpen::GiveUp,
            },
            breaker,
            budget: None,
            on: [None, None, None, None],
            durable: None,
            id: self.id.take(),
            name: self.name.take(),
            description: self.description.take(),
            guards: GuardCell::NONE,
        };
        // Nothing is left in it, but a constant cannot run its destructor.
        std::mem::forget(self);
        policy
    }
}

const fn reject_in_const(mut checks: &[Option<RangeError>]) {
    while let [check, rest @ ..] = checks {
        if let Some(problem) = check {
            problem.panic_in_const();
        }
        checks = rest;
    }
}

const fn or(value: Option<u32>, default: u32) -> u32 {
    match value {
        Some(value) => value,
        None => default,
    }
}

impl TimingDraft {
    /// These fields where they are set, those of `base` otherwise.
    pub(crate) fn over(&self, base: &Self) -> Self {
        let sets_jitter = self.jitter.is_some() || self.jitter_type.is_some();
        let sets_schedule = self.backoff_type.is_some() || self.schedule.is_some();
        let unless = |replaced: bool, of: &Self| if replaced { Self::EMPTY } else { of.clone() };
        let jitter = unless(sets_jitter, base);
        let growth = unless(sets_schedule, base);
        Self {
            backoff_type: self.backoff_type.or(growth.backoff_type),
            base_delay: self.base_delay.or(base.base_delay),
            multiplier: self.multiplier.or(base.multiplier),
            increment: self.increment.or(base.increment),
            min_delay: self.min_delay.or(base.min_delay),
            max_delay: self.max_delay.or(self.room_for(base)),
            schedule: self.schedule.clone().or(growth.schedule),
            jitter: self.jitter.or(jitter.jitter),
            jitter_type: self.jitter_type.or(jitter.jitter_type),
            jitter_amount: self.jitter_amount.or(base.jitter_amount),
        }
    }

    /// A longer base delay of one class raises the inherited cap.
    fn room_for(&self, base: &Self) -> Option<Duration> {
        match (base.max_delay, self.base_delay) {
            (Some(cap), Some(own)) => Some(cap.max(own)),
            (cap, _) => cap,
        }
    }
}
