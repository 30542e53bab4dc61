//! One attempt, as a session's record keeps it (O1).

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::ErrorRecord;
use super::invalid::Invalid;
use super::serde_format::{self, read_only_if_valid};
use super::why::Why;
use crate::{Class, Fault};

/// One attempt of a session.
///
/// ```
/// use std::time::Duration;
/// use jiff::Timestamp;
/// use steadfast::observe::AttemptRecord;
///
/// let attempt = AttemptRecord::new(2, Timestamp::UNIX_EPOCH, Duration::from_millis(1500))
///     .succeeded(Duration::from_millis(3500));
/// let json = serde_json::to_value(&attempt)?;
/// assert_eq!((&json["delay"], &json["duration"]), (&1.5.into(), &3.5.into()));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
#[non_exhaustive]
pub struct AttemptRecord {
    /// Its number, from 1. Here every try counts, also one after a wait that the other
    /// side asked for and that [consumed no attempt](crate::Attempt::number).
    pub attempt_number: u32,
    /// When it began.
    #[serde(with = "serde_format::time")]
    pub timestamp: Timestamp,
    /// How long was waited before it; nothing before the first.
    #[serde(with = "serde_format::seconds")]
    pub delay: Duration,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorRecord>,
    /// Whether it succeeded.
    pub success: bool,
    /// How long it took.
    #[serde(with = "serde_format::seconds")]
    pub duration: Duration,
    /// Whatever else is worth knowing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Map<String, Value>>,
    /// All facts of what went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Fault>,
    /// What that means.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<Class>,
    /// Why it was decided so (O4).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
}

read_only_if_valid!(AttemptRecord);

impl AttemptRecord {
    /// An attempt that began then, after that delay.
    #[must_use]
    pub fn new(number: u32, began: Timestamp, delay: Duration) -> Self {
        Self {
            attempt_number: number,
            timestamp: began,
            delay,
            error: None,
            success: false,
            duration: Duration::ZERO,
            context: None,
            fault: None,
            class: None,
            why: None,
        }
    }

    /// It succeeded, after this long.
    #[must_use]
    pub fn succeeded(mut self, took: Duration) -> Self {
        (self.success, self.duration) = (true, took);
        self
    }

    /// It failed with this error, after this long.
    #[must_use]
    pub fn failed(mut self, took: Duration, error: ErrorRecord) -> Self {
        (self.duration, self.error) = (took, Some(error));
        self
    }

    /// The same, with all facts of what went wrong and why it was decided so.
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::observe::{AttemptRecord, ErrorRecord, Why};
    /// use steadfast::{Fault, Policy, Reason, judge};
    ///
    /// let policy = Policy::immediate().build()?;
    /// let fault = Fault::http(404).with_message("no such page");
    /// let judgement = judge::judge(policy.rules(), &fault);
    /// let why = Why::gave_up(&policy, Some(judgement), Reason::Final);
    /// let record = AttemptRecord::new(1, "2026-01-29T12:00:00Z".parse()?, Duration::ZERO)
    ///     .failed(Duration::from_secs(1), ErrorRecord::of(&fault))
    ///     .judged(fault, why);
    /// assert_eq!(record.validate(), Ok(()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn judged(mut self, fault: Fault, why: Why) -> Self {
        (self.class, self.fault, self.why) = (why.class, Some(fault), Some(why));
        self
    }

    /// Whether it is one that can be relied on: numbered from 1. The types see to the rest.
    ///
    /// # Errors
    /// The field that is wrong, and why.
    pub fn validate(&self) -> Result<(), Invalid> {
        Invalid::unless(self.attempt_number > 0, "attempt_number", "must be at least 1")
    }
}
