//! The errors of a policy's settings: the field, its value and the rule that it breaks.
//!
//! Range checks are `const`, so that the same rule rejects a value in a file at run time and a value
//! in a `const` or an attribute at compile time.
//!
//! ```
//! use steadfast::guard::{Breaker, BreakerSettings};
//! use steadfast::policy::{RangeError, Value};
//!
//! let settings = BreakerSettings::consecutive(0, std::time::Duration::from_secs(1));
//! let RangeError { field, value, .. } = Breaker::new(settings).unwrap_err();
//! assert_eq!((field, value), ("threshold", Value::Count(0)));
//! ```

use std::fmt;
use std::time::Duration;

use crate::Class;
use crate::duration;
use crate::judge::RuleError;
use crate::text;

/// The value of a setting.
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

/// A setting outside its range. Displayed as `max_attempts must be at least 1, not 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RangeError {
    /// The name of the field.
    pub field: &'static str,
    /// Its value.
    pub value: Value,
    /// The rule that it breaks, such as `must be at least`.
    pub rule: &'static str,
    /// The bound of the rule, if it has one.
    pub bound: Option<Value>,
}

impl RangeError {
    pub(crate) const fn new(field: &'static str, value: Value, rule: &'static str) -> Self {
        Self { field, value, rule, bound: None }
    }

    pub(crate) const fn bound(mut self, bound: Value) -> Self {
        self.bound = Some(bound);
        self
    }

    /// An error unless `count` is at least `min`.
    pub(crate) const fn unless_at_least(field: &'static str, count: u64, min: u64) -> Option<Self> {
        if count >= min {
            return None;
        }
        Some(Self::new(field, Value::Count(count), "must be at least").bound(Value::Count(min)))
    }

    /// An error if the count is set to 0.
    pub(crate) const fn if_zero(field: &'static str, count: Option<u32>) -> Option<Self> {
        match count {
            Some(count) => Self::unless_at_least(field, count as u64, 1),
            None => None,
        }
    }

    /// An error if the duration is set to zero.
    pub(crate) const fn if_empty(field: &'static str, duration: Option<Duration>) -> Option<Self> {
        match duration {
            Some(Duration::ZERO) => {
                let zero = Value::Duration(Duration::ZERO);
                Some(Self::new(field, zero, "must be greater than").bound(zero))
            }
            _ => None,
        }
    }
}

impl fmt::Display for RangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.names_fields() {
            write!(f, "{} ", self.field)?;
        }
        f.write_str(&self.message())
    }
}

impl RangeError {
    /// What is wrong, without the field.
    pub(crate) fn message(&self) -> String {
        let (rule, value) = (self.rule, self.value);
        let bound = self.bound.map_or_else(String::new, |bound| format!(" {bound}"));
        if self.names_fields() || rule.starts_with("must have ") || rule.starts_with("is only ") {
            return format!("{rule}{bound}");
        }
        match rule.starts_with("must be ") {
            true => format!("{rule}{bound}, not {value}"),
            false => format!("{value} {rule}{bound}"),
        }
    }

    /// Whether the rule names its fields itself.
    const fn names_fields(&self) -> bool {
        text::starts_with(self.rule, "set only one of ")
    }
}

impl std::error::Error for RangeError {}

impl RangeError {
    /// Fails the compilation of a constant.
    #[allow(clippy::panic, reason = "a panic rejects a constant at compile time")]
    pub(crate) const fn panic_in_const(&self) -> ! {
        panic!("{}", self.const_message())
    }

    /// The rule as a message for the compiler, which cannot format numbers.
    pub(crate) const fn const_message(&self) -> &'static str {
        match self.field.as_bytes() {
            b"max_attempts" => {
                "max_attempts must be at least 1 and cannot be combined with max_retries"
            }
            b"base_delay" if self.bound.is_some() => {
                "base_delay has no effect with this backoff_type"
            }
            b"base_delay" => {
                "base_delay of 60s or more does not grow under the default max_delay; set max_delay, \
                 or use fixed"
            }
            b"multiplier" if self.has_no_effect() => {
                "multiplier has no effect with this backoff_type"
            }
            b"multiplier" => "multiplier must be finite and at least 1",
            b"increment" => "increment has no effect with this backoff_type",
            b"min_delay" => "min_delay must not be longer than max_delay",
            b"max_delay" => "max_delay must not be shorter than base_delay",
            b"max_duration" => "max_duration must not be shorter than base_delay",
            b"jitter_amount" if self.has_no_effect() => {
                "jitter_amount has no effect without jitter_type"
            }
            b"jitter_amount" => "jitter_amount must be in 0.0..=1.0",
            b"jitter" => "jitter cannot be combined with jitter_type",
            b"schedule" => "schedule must not be empty and needs backoff_type custom",
            b"circuit_breaker_threshold" | b"circuit_breaker_timeout" if self.has_no_effect() => {
                "circuit_breaker_threshold and circuit_breaker_timeout have no effect without \
                 enable_circuit_breaker"
            }
            b"circuit_breaker_threshold" => "circuit_breaker_threshold must be at least 1",
            b"circuit_breaker_timeout" => "circuit_breaker_timeout must be greater than 0s",
            _ => "a setting of the policy is out of range",
        }
    }
}

/// Why a value cannot be used for a field.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SettingError {
    pub(crate) reason: String,
    pub(crate) suggestion: Option<String>,
    /// Whether the field's name is unknown, rather than its value invalid.
    pub(crate) unknown_field: bool,
}

impl From<String> for SettingError {
    fn from(reason: String) -> Self {
        Self { reason, suggestion: None, unknown_field: false }
    }
}

impl fmt::Display for SettingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.suggestion {
            Some(suggestion) => write!(f, "{}; did you mean `{suggestion}`?", self.reason),
            None => self.reason.fmt(f),
        }
    }
}

impl RangeError {
    const fn has_no_effect(&self) -> bool {
        text::starts_with(self.rule, "has no effect")
    }
}

/// Why a draft is not a valid policy.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicyError {
    /// The path to the field, such as `on.rate_limited.`; empty at the top level.
    path: String,
    kind: ErrorKind,
}

#[derive(Clone, Debug, PartialEq)]
enum ErrorKind {
    Range(RangeError),
    Rule(RuleError),
    Setting { field: String, error: SettingError },
}

impl PolicyError {
    pub(crate) fn invalid(field: impl Into<String>, reason: impl fmt::Display) -> Self {
        Self::setting(field, reason.to_string().into())
    }

    pub(crate) fn setting(field: impl Into<String>, error: SettingError) -> Self {
        Self { path: String::new(), kind: ErrorKind::Setting { field: field.into(), error } }
    }

    pub(crate) fn on(self, class: Class) -> Self {
        self.within(&format!("on.{class}."))
    }

    pub(crate) fn in_durable(self) -> Self {
        self.within("durable.")
    }

    pub(crate) fn within(mut self, path: &str) -> Self {
        self.path.insert_str(0, path);
        self
    }

    /// The invalid field, with the path to it.
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::Policy;
    ///
    /// let error = Policy::fixed(Duration::ZERO).max_attempts(0).build().unwrap_err();
    /// assert_eq!(error.field(), "max_attempts");
    /// assert_eq!(error.to_string(), "max_attempts must be at least 1, not 0");
    /// ```
    #[must_use]
    pub fn field(&self) -> String {
        let field = match &self.kind {
            ErrorKind::Range(error) => error.field,
            ErrorKind::Rule(_) => "retry_on, abort_on",
            ErrorKind::Setting { field, .. } => field,
        };
        format!("{}{field}", self.path)
    }

    /// What is wrong with the field, without its path and without the suggestion.
    ///
    /// ```
    /// # #[cfg(feature = "serde")] {
    /// use steadfast::policy::Draft;
    ///
    /// let error = Draft::new().set("backoff_type", &"expnential".into()).unwrap_err();
    /// assert!(error.message().starts_with("`expnential` is not one of exponential, linear"));
    /// assert_eq!(error.suggestion(), Some("exponential"));
    /// # }
    /// ```
    #[must_use]
    pub fn message(&self) -> String {
        match &self.kind {
            ErrorKind::Range(error) => error.message(),
            ErrorKind::Rule(error) => error.to_string(),
            ErrorKind::Setting { error, .. } => error.reason.clone(),
        }
    }

    /// The suggested correction, if there is one.
    #[must_use]
    pub fn suggestion(&self) -> Option<&str> {
        match &self.kind {
            ErrorKind::Setting { error, .. } => error.suggestion.as_deref(),
            _ => None,
        }
    }

    /// Whether the field's name is unknown, rather than its value invalid.
    #[cfg(feature = "file")]
    pub(crate) fn is_unknown_field(&self) -> bool {
        matches!(&self.kind, ErrorKind::Setting { error, .. } if error.unknown_field)
    }
}

impl From<RangeError> for PolicyError {
    fn from(error: RangeError) -> Self {
        Self { path: String::new(), kind: ErrorKind::Range(error) }
    }
}

impl From<RuleError> for PolicyError {
    fn from(error: RuleError) -> Self {
        Self { path: String::new(), kind: ErrorKind::Rule(error) }
    }
}

impl fmt::Display for PolicyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        match &self.kind {
            ErrorKind::Range(error) => error.fmt(f),
            ErrorKind::Rule(error) => error.fmt(f),
            ErrorKind::Setting { field, error } => write!(f, "{field}: {error}"),
        }
    }
}

impl std::error::Error for PolicyError {}
