//! What is wrong with a setting: its field, its value, and the rule it breaks.
//!
//! Range checks are `const` and copy nothing, so that the same rule refuses a
//! value in a file at run time and in a `const` or an attribute at compile time.

use std::fmt;
use std::time::Duration;

use crate::duration;

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
        Self {
            field,
            value,
            rule,
            bound,
        }
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
        Some(Self::new(
            field,
            Value::Count(count),
            "is below",
            Some(Value::Count(least)),
        ))
    }

    /// `fraction` must lie in 0.0..=1.0.
    pub(crate) const fn unless_fraction(field: &'static str, fraction: f64) -> Option<Self> {
        if fraction >= 0.0 && fraction <= 1.0 {
            return None;
        }
        Some(Self::new(
            field,
            Value::Number(fraction),
            "is outside 0.0..=1.0",
            None,
        ))
    }

    /// `duration` must be longer than nothing.
    pub(crate) const fn unless_positive(field: &'static str, duration: Duration) -> Option<Self> {
        if !duration.is_zero() {
            return None;
        }
        Some(Self::new(
            field,
            Value::Duration(duration),
            "must be longer than 0s",
            None,
        ))
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
