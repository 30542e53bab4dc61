//! What is wrong with a setting: its field, its value, and the rule it breaks.
//!
//! Range checks are `const` and copy nothing, so that the same rule refuses a
//! value in a file at run time and in a `const` or an attribute at compile time.
//!
//! ```
//! use steadfast::guard::{Breaker, BreakerSettings};
//! use steadfast::policy::{OutOfRange, Value};
//!
//! let settings = BreakerSettings::consecutive(0, std::time::Duration::from_secs(1));
//! let OutOfRange { field, value, .. } = Breaker::new(settings).unwrap_err();
//! assert_eq!((field, value), ("threshold", Value::Count(0)));
//! ```

use std::fmt;
use std::time::Duration;

use super::setting::Refusal;
use crate::Class;
use crate::duration;
use crate::judge::RuleError;

/// A value as it was written.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// A count.
    Count(u64),
    /// A fraction or a factor.
    Number(f64),
    /// A length of time.
    Duration(Duration),
    /// A name from a fixed set.
    Name(&'static str),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Count(count) => count.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Duration(duration) => duration::format(duration).fmt(f),
            Self::Name(name) => name.fmt(f),
        }
    }
}

/// A setting outside its range: reads as `max_delay 1s is shorter than base_delay 2s`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OutOfRange {
    /// The field, as a policy spells it.
    pub field: &'static str,
    /// What it was set to.
    pub value: Value,
    /// The rule it breaks, such as `is below`.
    pub rule: &'static str,
    /// The other side of the rule, where it has one.
    pub bound: Option<Value>,
}

impl OutOfRange {
    pub(crate) const fn new(
        field: &'static str,
        value: Value,
        rule: &'static str,
        bound: Option<Value>,
    ) -> Self {
        Self { field, value, rule, bound }
    }

    /// `count` must be at least `least`.
    pub(crate) const fn unless_at_least(
        field: &'static str,
        count: u64,
        least: u64,
    ) -> Option<Self> {
        if count >= least {
            return None;
        }
        Some(Self::new(field, Value::Count(count), "is below", Some(Value::Count(least))))
    }

    /// `fraction` must lie in 0.0..=1.0.
    pub(crate) const fn unless_fraction(field: &'static str, fraction: f64) -> Option<Self> {
        if fraction >= 0.0 && fraction <= 1.0 {
            return None;
        }
        Some(Self::new(field, Value::Number(fraction), "is outside 0.0..=1.0", None))
    }

    /// `duration` must be longer than nothing.
    pub(crate) const fn unless_positive(field: &'static str, duration: Duration) -> Option<Self> {
        if !duration.is_zero() {
            return None;
        }
        Some(Self::new(field, Value::Duration(duration), "must be longer than 0s", None))
    }
}

impl fmt::Display for OutOfRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.field, self.value, self.rule)?;
        match self.bound {
            Some(bound) => write!(f, " {bound}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for OutOfRange {}

impl OutOfRange {
    /// Stops the compiler.
    #[allow(clippy::panic, reason = "a panic is how a constant is refused at compile time")]
    pub(crate) const fn refuse_constant(&self) -> ! {
        panic!("{}", self.in_words())
    }

    /// The rule in words, for the compiler: its message cannot hold numbers.
    pub(crate) const fn in_words(&self) -> &'static str {
        match self.field.as_bytes() {
            b"max_attempts" => "max_attempts must be at least 1, and not stand beside max_retries",
            b"multiplier" => "multiplier must be a finite number of at least 1",
            b"max_delay" => "max_delay must not be shorter than base_delay",
            b"max_duration" => "max_duration must not be shorter than base_delay",
            b"jitter_amount" => "jitter_amount must lie in 0.0..=1.0",
            b"jitter" => "jitter and jitter_type are two ways to write the same",
            b"schedule" => "schedule needs delays, and backoff_type custom",
            b"circuit_breaker_threshold" => "circuit_breaker_threshold must be at least 1",
            b"circuit_breaker_timeout" => "circuit_breaker_timeout must be longer than 0s",
            _ => "a policy's setting is out of range",
        }
    }
}

/// Why a draft is no policy.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyError {
    /// Where in the policy, such as `on.rate_limited.`; empty at its top.
    place: String,
    problem: Problem,
}

#[derive(Clone, Debug, PartialEq)]
enum Problem {
    OutOfRange(OutOfRange),
    Rule(RuleError),
    Unreadable { field: String, why: Refusal },
}

impl PolicyError {
    pub(crate) fn unreadable(field: impl Into<String>, why: impl fmt::Display) -> Self {
        Self::refused(field, why.to_string().into())
    }

    pub(crate) fn refused(field: impl Into<String>, why: Refusal) -> Self {
        let problem = Problem::Unreadable { field: field.into(), why };
        Self { place: String::new(), problem }
    }

    pub(crate) fn on(self, class: Class) -> Self {
        self.within(&format!("on.{class}."))
    }

    pub(crate) fn in_durable(self) -> Self {
        self.within("durable.")
    }

    pub(crate) fn within(mut self, place: &str) -> Self {
        self.place.insert_str(0, place);
        self
    }

    /// The field that is wrong, with the path to it.
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::Policy;
    ///
    /// let error = Policy::fixed(Duration::ZERO).max_attempts(0).build().unwrap_err();
    /// assert_eq!(error.field(), "max_attempts");
    /// assert_eq!(error.to_string(), "max_attempts 0 is below 1");
    /// ```
    #[must_use]
    pub fn field(&self) -> String {
        let field = match &self.problem {
            Problem::OutOfRange(problem) => problem.field,
            Problem::Rule(_) => "retry_on, abort_on",
            Problem::Unreadable { field, .. } => field,
        };
        format!("{}{field}", self.place)
    }

    /// What is wrong with it, without the path to it and without what was probably meant.
    ///
    /// ```
    /// use steadfast::policy::Draft;
    ///
    /// let error = Draft::new().set("backoff_type", &"expnential".into()).unwrap_err();
    /// assert!(error.message().starts_with("`expnential` is none of exponential, linear"));
    /// assert_eq!(error.suggestion(), Some("exponential"));
    /// ```
    #[must_use]
    pub fn message(&self) -> String {
        match &self.problem {
            Problem::OutOfRange(problem) => problem.to_string(),
            Problem::Rule(problem) => problem.to_string(),
            Problem::Unreadable { why, .. } => why.why.clone(),
        }
    }

    /// What was probably meant.
    #[must_use]
    pub fn suggestion(&self) -> Option<&str> {
        match &self.problem {
            Problem::Unreadable { why, .. } => why.near.as_deref(),
            _ => None,
        }
    }

    /// Whether the field's name is wrong, not its value.
    #[cfg(feature = "file")]
    pub(crate) fn is_of_name(&self) -> bool {
        matches!(&self.problem, Problem::Unreadable { why, .. } if why.of_name)
    }
}

impl From<OutOfRange> for PolicyError {
    fn from(problem: OutOfRange) -> Self {
        Self { place: String::new(), problem: Problem::OutOfRange(problem) }
    }
}

impl From<RuleError> for PolicyError {
    fn from(problem: RuleError) -> Self {
        Self { place: String::new(), problem: Problem::Rule(problem) }
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place)?;
        match &self.problem {
            Problem::OutOfRange(problem) => problem.fmt(f),
            Problem::Rule(problem) => problem.fmt(f),
            Problem::Unreadable { field, why } => write!(f, "{field}: {why}"),
        }
    }
}

impl std::error::Error for PolicyError {}
