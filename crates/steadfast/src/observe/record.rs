//! The record of a session (O1).

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value};

use super::attempt::AttemptRecord;
use super::error::ErrorRecord;
use super::event::Subject;
use super::record_error::RecordError;
use super::serde_format;
use crate::Reason;

/// A session with all its attempts.
///
/// Its JSON also has the derived fields `total_attempts`, `total_duration` and `retry_count`, which
/// must be consistent when it is read.
///
/// ```
/// use std::time::Duration;
/// use jiff::Timestamp;
/// use steadfast::observe::{AttemptRecord, Session, Subject};
///
/// let subject = Subject {
///     correlation_id: "corr_1".into(),
///     session_id: "session_1".into(),
///     policy_id: "browser_state_timeout".into(),
///     operation: "save_state".into(),
///     component: "retry_manager".into(),
/// };
/// let started = Timestamp::UNIX_EPOCH;
/// let mut session = Session::new(&subject, started);
/// session.attempts.push(
///     AttemptRecord::new(1, started, Duration::ZERO).succeeded(Duration::from_secs(2)),
/// );
/// session.succeeded(Timestamp::from_second(2).unwrap());
/// assert_eq!(session.validate(), Ok(()));
///
/// let json = serde_json::to_value(&session)?;
/// assert_eq!((&json["total_attempts"], &json["total_duration"]), (&1.into(), &2.0.into()));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Session {
    /// A unique id.
    pub session_id: String,
    /// The policy.
    pub policy_id: String,
    /// The operation.
    pub operation: String,
    /// Its start.
    pub start_time: Timestamp,
    /// Its end.
    pub end_time: Option<Timestamp>,
    /// Its attempts, oldest first; only the latest of very many.
    pub attempts: Vec<AttemptRecord>,
    /// Its result, if it succeeded and the result is recorded.
    pub final_result: Option<Value>,
    /// Its last error.
    pub final_error: Option<ErrorRecord>,
    /// Whether it succeeded.
    pub success: bool,
    /// Further context.
    pub context: Option<Map<String, Value>>,
    /// Why it failed: `cancelled` if it was cancelled or dropped (I6).
    pub reason: Option<Reason>,
    /// Correlates one request across systems.
    pub correlation_id: Option<String>,
    /// The subsystem by which a registry found the policy, if it differs from the operation's.
    pub subsystem: Option<String>,
    /// The number of older attempts that the record omits.
    pub forgotten_attempts: u64,
}

/// The fields of [`Session`] as data. With `remote = "Self"` the derived functions would be public.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Session")]
struct SessionFields {
    session_id: String,
    policy_id: String,
    operation: String,
    #[serde(with = "serde_format::time")]
    start_time: Timestamp,
    #[serde(with = "serde_format::maybe_time", default, skip_serializing_if = "Option::is_none")]
    end_time: Option<Timestamp>,
    attempts: Vec<AttemptRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    final_result: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    final_error: Option<ErrorRecord>,
    success: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<Reason>,
    #[serde(skip_serializing_if = "Option::is_none")]
    correlation_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subsystem: Option<String>,
    #[serde(default, skip_serializing_if = "is_zero")]
    forgotten_attempts: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Session {
    /// A session without attempts.
    #[must_use]
    pub fn new(subject: &Subject, start_time: Timestamp) -> Self {
        Self {
            session_id: subject.session_id.clone(),
            policy_id: subject.policy_id.clone(),
            operation: subject.operation.clone(),
            start_time,
            end_time: None,
            attempts: Vec::new(),
            final_result: None,
            final_error: None,
            success: false,
            context: None,
            reason: None,
            correlation_id: Some(subject.correlation_id.clone()),
            subsystem: None,
            forgotten_attempts: 0,
        }
    }

    /// Marks it as succeeded.
    pub fn succeeded(&mut self, at: Timestamp) {
        (self.end_time, self.success) = (Some(at), true);
    }

    /// Marks it as failed, with the error of its last attempt.
    pub fn gave_up(&mut self, at: Timestamp, reason: Reason) {
        (self.end_time, self.reason) = (Some(at), Some(reason));
        self.final_error = self.attempts.last().and_then(|attempt| attempt.error.clone());
    }

    /// The number of calls that were made. Each has an attempt in the record, hinted waits or not,
    /// except those that the record omits.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.forgotten_attempts.saturating_add(self.total_attempts() as u64)
    }

    /// The number of attempts in the record.
    #[must_use]
    pub fn total_attempts(&self) -> usize {
        self.attempts.len()
    }

    /// The number of retries in the record.
    #[must_use]
    pub fn retry_count(&self) -> usize {
        self.total_attempts().saturating_sub(1)
    }

    /// Its duration, if it has ended.
    #[must_use]
    pub fn total_duration(&self) -> Option<Duration> {
        let taken = self.end_time?.duration_since(self.start_time);
        Some(taken.try_into().unwrap_or_default())
    }

    /// Validates the record: at least one attempt, and valid attempts. The types guarantee the rest.
    ///
    /// # Errors
    /// The first invalid field.
    pub fn validate(&self) -> Result<(), RecordError> {
        RecordError::require(!self.attempts.is_empty(), "attempts", "must not be empty")?;
        for (index, attempt) in self.attempts.iter().enumerate() {
            attempt.validate().map_err(|error| error.within(&format!("attempts[{index}]")))?;
        }
        Ok(())
    }

    /// Validates the record and the derived fields that were read with it.
    fn validate_with(
        &self,
        total_attempts: Option<usize>,
        retry_count: Option<usize>,
    ) -> Result<(), RecordError> {
        self.validate()?;
        let agrees = total_attempts.is_none_or(|count| count == self.total_attempts());
        RecordError::require(agrees, "total_attempts", "must equal the number of attempts")?;
        let agrees = retry_count.is_none_or(|count| count == self.retry_count());
        RecordError::require(agrees, "retry_count", "must equal total_attempts - 1")
    }
}

impl Serialize for Session {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct WithDerived<'s> {
            #[serde(flatten, serialize_with = "SessionFields::serialize")]
            session: &'s Session,
            total_attempts: usize,
            #[serde(with = "serde_format::maybe_seconds", skip_serializing_if = "Option::is_none")]
            total_duration: Option<Duration>,
            retry_count: usize,
        }

        WithDerived {
            session: self,
            total_attempts: self.total_attempts(),
            total_duration: self.total_duration(),
            retry_count: self.retry_count(),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Session {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct WithDerived {
            #[serde(flatten, deserialize_with = "SessionFields::deserialize")]
            session: Session,
            total_attempts: Option<usize>,
            /// Measured by another clock, so only its type is checked.
            #[serde(with = "serde_format::maybe_seconds", default)]
            #[expect(dead_code, reason = "read to check its type")]
            total_duration: Option<Duration>,
            retry_count: Option<usize>,
        }

        let WithDerived { session, total_attempts, retry_count, .. } =
            WithDerived::deserialize(deserializer)?;
        session.validate_with(total_attempts, retry_count).map_err(de::Error::custom)?;
        Ok(session)
    }
}
