//! A policy as it was written: every field may be absent, nothing is checked yet.
//!
//! Separate from [`Policy`](super::Policy) so that a policy that exists is a policy that is
//! valid. Range rules are `const`, so a policy written as a constant or in an
//! attribute is refused by the compiler with the same words as one in a file.

use std::collections::BTreeMap;
use std::time::Duration;

use super::Nested;
use super::timing::{BackoffType, Jitter, TimingDraft};
use crate::Class;
use crate::guard::budget::BudgetDraft;
use crate::guard::{BreakerSettings, BudgetSettings};
use crate::judge::{Rule, RuleError};

/// A policy being written. [`Policy`](super::Policy)'s constructors start one,
/// [`build`](Self::build) checks it.
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
/// // Everything else that can be said of one with numbers and words.
/// let thorough = Draft::new()
///     .id("calls")
///     .name("Calls")
///     .enabled(true)
///     .max_retries(4)
///     .backoff_type(BackoffType::Linear)
///     .base_delay(Duration::from_secs(1))
///     .multiplier(2.0)
///     .increment(Duration::from_secs(2))
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
pub struct Draft {
    pub(crate) id: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) enabled: Option<bool>,
    pub(crate) max_attempts: Option<u32>,
    pub(crate) max_retries: Option<u32>,
    pub(crate) timing: TimingDraft,
    pub(crate) max_duration: Option<Duration>,
    pub(crate) attempt_timeout: Option<Duration>,
    pub(crate) retry_on: Option<Vec<Rule>>,
    pub(crate) abort_on: Option<Vec<Rule>>,
    pub(crate) idempotent: Option<bool>,
    pub(crate) max_hint: Option<Duration>,
    pub(crate) max_rate_limit_waits: Option<u32>,
    pub(crate) nested: Option<Nested>,
    pub(crate) enable_circuit_breaker: Option<bool>,
    pub(crate) circuit_breaker_threshold: Option<u32>,
    pub(crate) circuit_breaker_timeout: Option<Duration>,
    pub(crate) breaker: Option<BreakerSettings>,
    pub(crate) budget: Option<BudgetDraft>,
    pub(crate) on: Option<BTreeMap<Class, TimingDraft>>,
    pub(crate) durable: Option<Box<Draft>>,
    pub(crate) unreadable: Option<RuleError>,
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
    /// Nothing written: every field has its default.
    pub const fn new() -> Self {
        Self {
            id: None,
            name: None,
            description: None,
            enabled: None,
            max_attempts: None,
            max_retries: None,
            timing: TimingDraft::EMPTY,
            max_duration: None,
            attempt_timeout: None,
            retry_on: None,
            abort_on: None,
            idempotent: None,
            max_hint: None,
            max_rate_limit_waits: None,
            nested: None,
            enable_circuit_breaker: None,
            circuit_breaker_threshold: None,
            circuit_breaker_timeout: None,
            breaker: None,
            budget: None,
            on: None,
            durable: None,
            unreadable: None,
        }
    }

    setters! {
        /// `false`: run once, never retry.
        enabled: bool;
        /// How many attempts at most, the first one counted.
        max_attempts: u32;
        /// How many attempts after the first.
        max_retries: u32;
        /// The longest the whole session may take, attempts and waits.
        max_duration: Duration;
        /// The longest one attempt may take.
        attempt_timeout: Duration;
        /// Whether doing it twice is as good as doing it once. `false`: an attempt
        /// that may have taken effect is not repeated.
        idempotent: bool;
        /// The longest hint that is honoured; a longer one ends the session.
        max_hint: Duration;
        /// How many hinted waits, which consume no attempt.
        max_rate_limit_waits: u32;
        /// Who retries when one session runs inside another.
        nested: Nested;
        /// Whether failures in a row stop all sessions of this policy for a while.
        enable_circuit_breaker: bool;
        /// How many failures in a row.
        circuit_breaker_threshold: u32;
        /// For how long.
        circuit_breaker_timeout: Duration;
    }

    timing_setters! {
        /// How delays grow.
        backoff_type: BackoffType;
        /// The delay before the first retry.
        base_delay: Duration;
        /// What an exponential delay grows by.
        multiplier: f64;
        /// What a linear delay grows by.
        increment: Duration;
        /// The longest delay.
        max_delay: Duration;
        /// The randomness in the delays, in full strength.
        jitter: Jitter;
        /// The randomness in the delays, as strong as [`jitter_amount`](Self::jitter_amount) says.
        jitter_type: Jitter;
        /// How much of the jitter is applied, from 0 to 1.
        jitter_amount: f64;
    }

    /// The name by which the policy is found and its breaker and budget are shared.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// The name for people.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// When to use this policy, and why.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = Some(description.into());
        self
    }

    /// The delays of a custom backoff.
    pub fn schedule(mut self, delays: impl IntoIterator<Item = Duration>) -> Self {
        self.timing.schedule = Some(delays.into_iter().collect());
        self
    }

    /// What is retried, instead of what the default rules would retry: it is the whole list. To
    /// add to those, leave it out and give a class in code with [`judge`](crate::Retry::judge),
    /// or repeat in the list what you want of them, such as `timeout`, `connection`, `5xx`.
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

    /// What is not retried, beside what the default rules would not.
    pub fn abort_on<'r>(mut self, rules: impl IntoIterator<Item = &'r str>) -> Self {
        self.abort_on = Some(self.rules(rules));
        self
    }

    /// The first text that is no rule is kept for [`build`](Self::build) to report.
    fn rules<'r>(&mut self, texts: impl IntoIterator<Item = &'r str>) -> Vec<Rule> {
        texts
            .into_iter()
            .filter_map(|text| match text.parse() {
                Ok(rule) => Some(rule),
                Err(error) => {
                    self.unreadable.get_or_insert(error);
                    None
                }
            })
            .collect()
    }

    /// A breaker in its richer form.
    pub fn breaker(mut self, breaker: BreakerSettings) -> Self {
        self.breaker = Some(breaker);
        self
    }

    /// A budget that the retries of all sessions of this policy draw from.
    pub fn budget(mut self, budget: BudgetSettings) -> Self {
        self.budget = Some(budget.into());
        self
    }

    /// Other timing for one class of fault: the fields that `timing` sets replace this
    /// policy's own.
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
        let written = timing(Self::new()).timing;
        self.on.get_or_insert_default().insert(class, written);
        self
    }

    /// The policy that goes on in a store when this one is exhausted.
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
