//! The record of an attempt (O1).

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::ErrorRecord;
use super::record_error::RecordError;
use super::serde_format::{self, deserialize_validated};
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
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(description = "An attempt of a session."))]
#[non_exhaustive]
pub struct AttemptRecord {
    /// The number of the attempt, from 1. Calls after a hinted wait are counted, too.
    pub attempt_number: u32,
    /// The start of the attempt.
    pub timestamp: Timestamp,
    /// The delay before the attempt, in seconds.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub delay: Duration,
    /// The error.
    pub error: Option<ErrorRecord>,
    /// Whether the attempt succeeded.
    pub success: bool,
    /// The duration of the attempt, in seconds.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub duration: Duration,
    /// Additional context.
    pub context: Option<Map<String, Value>>,
    /// The facts of the failure.
    pub fault: Option<Fault>,
    /// The class of the fault.
    pub class: Option<Class>,
    /// Why the decision was made.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub why: Option<Why>,
}

/// The fields of [`AttemptRecord`] as data. With `remote = "Self"` the derived functions would be public.
#[derive(Serialize, Deserialize)]
#[serde(remote = "AttemptRecord")]
struct AttemptRecordFields {
    attempt_number: u32,
    #[serde(with = "serde_format::time")]
    timestamp: Timestamp,
    #[serde(with = "serde_format::seconds")]
    delay: Duration,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<ErrorRecord>,
    success: bool,
    #[serde(with = "serde_format::seconds")]
    duration: Duration,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context: Option<Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    fault: Option<Fault>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    class: Option<Class>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    why: Option<Why>,
}

deserialize_validated!(AttemptRecord, AttemptRecordFields);

impl AttemptRecord {
    /// An attempt that started then, after a delay.
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

    /// Marks it as succeeded.
    #[must_use]
    pub fn succeeded(mut self, took: Duration) -> Self {
        (self.success, self.duration) = (true, took);
        self
    }

    /// Marks it as failed.
    #[must_use]
    pub fn failed(mut self, took: Duration, error: ErrorRecord) -> Self {
        (self.duration, self.error) = (took, Some(error));
        self
    }

    /// Adds the facts of the failure and the explanation of the decision.
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

    /// Validates the record: its number is at least 1. The types guarantee the rest.
    ///
    /// # Errors
    /// The invalid field.
    pub fn validate(&self) -> Result<(), RecordError> {
        RecordError::require(self.attempt_number > 0, "attempt_number", "must be at least 1")
    }
}
