//! A policy before validation: every field may be absent.
//!
//! Separate from [`Policy`](super::Policy), so that every [`Policy`](super::Policy) is valid. Range
//! rules are `const`, so an invalid policy in a constant or an attribute is a compile error with the
//! same message as one in a file.

use std::collections::BTreeMap;
use std::time::Duration;

use super::timing::{BackoffType, Jitter, TimingDraft};
use super::{Nested, OnOpen};
use crate::Class;
use crate::guard::budget::BudgetDraft;
use crate::guard::{BreakerSettings, BudgetSettings};
use crate::judge::{Rule, RuleError};

/// Declares a struct of optional fields, and the value in which none is set. The struct after `with`
/// is a part of it.
macro_rules! optional_fields {
    (
        $(#[$meta:meta])*
        $vis:vis struct $name:ident $(with $part:ident: $part_type:ident)? {
            $($field:ident: $type:ty,)*
        }
    ) => {
        $(#[$meta])*
        $vis struct $name {
            $(pub(crate) $part: $part_type,)?
            $(pub(crate) $field: Option<$type>,)*
        }

        impl $name {
            pub(crate) const EMPTY: Self =
                Self { $($part: $part_type::EMPTY,)? $($field: None,)* };
        }
    };
}
pub(super) use optional_fields;

optional_fields! {
    /// The builder of a [`Policy`](super::Policy), whose constructors create it; [`build`](Self::build)
    /// validates it.
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::policy::{BackoffType, Draft};
    /// use steadfast::{Jitter, Policy};
    ///
    /// let policy = Policy::exponential(Duration::from_millis(500))
    ///     .max_attempts(4)
    ///     .jitter(Jitter::Full)
    ///     .build()?;
    /// assert_eq!(policy.max_attempts(), 4);
    ///
    /// let wrong = Policy::fixed(Duration::from_secs(2)).max_delay(Duration::from_secs(1)).build();
    /// assert_eq!(wrong.unwrap_err().to_string(), "max_delay 1s is shorter than base_delay 2s");
    ///
    /// // Of two calls that set the same, the later one wins.
    /// let patient = Policy::patient().max_attempts(5).jitter(Jitter::Full).build()?;
    /// assert_eq!(patient.max_attempts(), 5);
    ///
    /// // A setting without an effect is refused.
    /// let useless = Policy::immediate().base_delay(Duration::from_secs(5)).build();
    /// let error = "base_delay 5s has no effect with backoff_type immediate";
    /// assert_eq!(useless.unwrap_err().to_string(), error);
    ///
    /// // The other settings.
    /// let thorough = Draft::new()
    ///     .id("calls")
    ///     .name("Calls")
    ///     .enabled(true)
    ///     .max_retries(4)
    ///     .backoff_type(BackoffType::Linear)
    ///     .base_delay(Duration::from_secs(1))
    ///     .increment(Duration::from_secs(2))
    ///     .min_delay(Duration::from_millis(100))
    ///     .jitter_type(Jitter::Equal)
    ///     .jitter_amount(0.5)
    ///     .max_hint(Duration::from_secs(600))
    ///     .max_rate_limit_waits(10)
    ///     .enable_circuit_breaker(true)
    ///     .circuit_breaker_threshold(5)
    ///     .circuit_breaker_timeout(Duration::from_secs(60))
    ///     .build()?;
    /// assert_eq!(thorough.name(), Some("Calls"));
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    #[derive(Clone, Debug, PartialEq)]
    #[must_use = "a draft does nothing until it is built"]
    pub struct Draft with timing: TimingDraft {
        id: String,
        name: String,
        description: String,
        enabled: bool,
        max_attempts: u32,
        max_retries: u32,
        max_duration: Duration,
        attempt_timeout: Duration,
        retry_on: Vec<Rule>,
        abort_on: Vec<Rule>,
        idempotent: bool,
        max_hint: Duration,
        max_rate_limit_waits: u32,
        nested: Nested,
        enable_circuit_breaker: bool,
        circuit_breaker_threshold: u32,
        circuit_breaker_timeout: Duration,
        breaker: BreakerSettings,
        on_open: OnOpen,
        budget: BudgetDraft,
        on: BTreeMap<Class, TimingDraft>,
        durable: Box<Draft>,
        rule_error: RuleError,
        allows_ineffective: bool,
    }
}

macro_rules! setters {
    ($($(#[doc = $doc:literal])* $field:ident: $type:ty;)*) => {
        $($(#[doc = $doc])*
        pub const fn $field(mut self, $field: $type) -> Self {
            self.$field = Some($field);
            self
        })*
    };
}

macro_rules! timing_setters {
    ($($(#[doc = $doc:literal])* $field:ident: $type:ty;)*) => {
        $($(#[doc = $doc])*
        pub const fn $field(mut self, $field: $type) -> Self {
            self.timing.$field = Some($field);
            self
        })*
    };
}

impl Draft {
    /// A draft in which every field has its default.
    pub const fn new() -> Self {
        Self::EMPTY
    }

    setters! {
        /// Whether to retry at all; `false` runs the operation once.
        enabled: bool;
        /// The longest the whole session may take, attempts and waits.
        max_duration: Duration;
        /// The longest one attempt may take.
        attempt_timeout: Duration;
        /// Whether the operation is safe to repeat. If `false`, an attempt that may have taken effect
        /// is not repeated. If unset, what is known of the operation decides: a `POST` is not repeated,
        /// a plain closure is. `docs/unknown-outcomes.md` in the repository has all cases.
        idempotent: bool;
        /// The longest hint that is honoured; a longer one ends the session.
        max_hint: Duration;
        /// The number of hinted waits that consume no attempt. A further one is an attempt like any
        /// other.
        max_rate_limit_waits: u32;
        /// Which session retries when one runs inside another.
        nested: Nested;
        /// Whether consecutive failures open a circuit breaker for all sessions of this policy.
        enable_circuit_breaker: bool;
        /// The number of consecutive failures that open the circuit breaker.
        circuit_breaker_threshold: u32;
        /// How long the circuit breaker stays open.
        circuit_breaker_timeout: Duration;
        /// What a session does when a circuit breaker rejects its attempt: give up, or wait for the
        /// next probe.
        on_open: OnOpen;
    }

    timing_setters! {
        /// The delay before the first retry.
        base_delay: Duration;
        /// The factor by which an exponential delay grows.
        multiplier: f64;
        /// The duration by which a linear delay grows.
        increment: Duration;
        /// The shortest delay, whatever the jitter.
        min_delay: Duration;
        /// The longest delay.
        max_delay: Duration;
    }

    /// Maximum number of attempts, including the first.
    pub const fn max_attempts(mut self, max_attempts: u32) -> Self {
        self.max_attempts = Some(max_attempts);
        self.max_retries = None;
        self
    }

    /// Maximum number of attempts after the first.
    pub const fn max_retries(mut self, max_retries: u32) -> Self {
        self.max_retries = Some(max_retries);
        self.max_attempts = None;
        self
    }

    /// How delays grow. The delays that only another type uses are reset.
    pub const fn backoff_type(mut self, backoff_type: BackoffType) -> Self {
        self.timing.backoff_type = Some(backoff_type);
        if !backoff_type.uses_base_delay() {
            self.timing.base_delay = None;
        }
        if !matches!(backoff_type, BackoffType::Exponential) {
            self.timing.multiplier = None;
        }
        if !matches!(backoff_type, BackoffType::Linear) {
            self.timing.increment = None;
        }
        self
    }

    /// The randomness of the delays, at full strength.
    pub const fn jitter(mut self, jitter: Jitter) -> Self {
        self.timing.jitter = Some(jitter);
        self.timing.jitter_type = None;
        self.timing.jitter_amount = None;
        self
    }

    /// The randomness of the delays, at the strength of [`jitter_amount`](Self::jitter_amount).
    pub const fn jitter_type(mut self, jitter_type: Jitter) -> Self {
        self.timing.jitter_type = Some(jitter_type);
        self.timing.jitter = None;
        if !jitter_type.has_amount() {
            self.timing.jitter_amount = None;
        }
        self
    }

    /// How much of the jitter is applied, from 0 to 1.
    pub const fn jitter_amount(mut self, jitter_amount: f64) -> Self {
        self.timing.jitter_type = self.long_form_jitter();
        self.timing.jitter_amount = Some(jitter_amount);
        self
    }

    /// The name for lookups, under which the breaker and the budget are shared.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// The display name.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// When to use this policy, and why.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The delays of a custom backoff, which replaces another type of backoff.
    pub fn schedule(mut self, delays: impl IntoIterator<Item = Duration>) -> Self {
        self = self.backoff_type(BackoffType::Custom);
        self.timing.schedule = Some(delays.into_iter().collect());
        self
    }

    /// The complete list of what is retried; it replaces the retryable part of the default rules. To
    /// extend the default rules instead, give a class in code with [`judge`](crate::Retry::judge), or
    /// repeat default rules in the list, such as `timeout`, `connection`, `5xx`.
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::Policy;
    ///
    /// let policy = Policy::fixed(Duration::from_secs(1))
    ///     .retry_on(["5xx", "408", "429"])
    ///     .abort_on(["4xx"])
    ///     .build()?;
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn retry_on<'r>(mut self, rules: impl IntoIterator<Item = &'r str>) -> Self {
        self.retry_on = Some(self.rules(rules));
        self
    }

    /// What is not retried, in addition to the default rules.
    pub fn abort_on<'r>(mut self, rules: impl IntoIterator<Item = &'r str>) -> Self {
        self.abort_on = Some(self.rules(rules));
        self
    }

    /// Stores the first invalid rule for [`build`](Self::build) to report.
    fn rules<'r>(&mut self, texts: impl IntoIterator<Item = &'r str>) -> Vec<Rule> {
        texts
            .into_iter()
            .filter_map(|text| match text.parse() {
                Ok(rule) => Some(rule),
                Err(error) => {
                    self.rule_error.get_or_insert(error);
                    None
                }
            })
            .collect()
    }

    /// A circuit breaker with all its settings.
    pub fn breaker(mut self, breaker: BreakerSettings) -> Self {
        self.breaker = Some(breaker);
        self.enable_circuit_breaker = None;
        self
    }

    /// A retry budget that all sessions of this policy share.
    pub fn budget(mut self, budget: BudgetSettings) -> Self {
        self.budget = Some(budget.into());
        self
    }

    /// Other delays for one class of fault: the fields that `timing` sets replace those of this
    /// policy.
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::{Class, Policy};
    ///
    /// let policy = Policy::exponential(Duration::from_millis(100))
    ///     .on(Class::RateLimited, |timing| timing.base_delay(Duration::from_secs(5)))
    ///     .build()?;
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    pub fn on(mut self, class: Class, timing: impl FnOnce(Self) -> Self) -> Self {
        let timing = timing(Self::new()).timing;
        self.on.get_or_insert_default().insert(class, timing);
        self
    }

    /// The policy that continues in a store when this one is exhausted.
    pub fn durable(mut self, durable: Self) -> Self {
        self.durable = Some(Box::new(durable));
        self
    }
}

impl Default for Draft {
    fn default() -> Self {
        Self::new()
    }
}
