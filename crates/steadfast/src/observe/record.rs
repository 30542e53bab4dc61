//! A session from its first attempt to its end, for the record (O1).

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value};

use super::attempt::AttemptRecord;
use super::error::ErrorRecord;
use super::event::Subject;
use super::invalid::Invalid;
use super::serde_format;
use crate::Reason;

/// A session with all its attempts.
///
/// As JSON it also carries what follows from the rest: `total_attempts`,
/// `total_duration` and `retry_count`. Read back, they must agree with it.
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
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(remote = "Self")]
#[non_exhaustive]
pub struct Session {
    /// No other session has it.
    pub session_id: String,
    /// The policy it ran under.
    pub policy_id: String,
    /// What was tried.
    pub operation: String,
    /// When it began.
    #[serde(with = "serde_format::time")]
    pub start_time: Timestamp,
    /// When it ended, if it has.
    #[serde(with = "serde_format::maybe_time", skip_serializing_if = "Option::is_none")]
    pub end_time: Option<Timestamp>,
    /// Its attempts, oldest first; of very many, the latest.
    pub attempts: Vec<AttemptRecord>,
    /// What it returned, if that is known and it succeeded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_result: Option<Value>,
    /// What it failed with in the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_error: Option<ErrorRecord>,
    /// Whether it succeeded.
    pub success: bool,
    /// Whatever else is worth knowing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<Map<String, Value>>,
    /// Why it ended without success: `cancelled` if it was called off or dropped (I6).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Follows one request through several systems.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    /// The subsystem, if it is not what the operation's name begins with: a registry found the
    /// policy under its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subsystem: Option<String>,
    /// How many attempts before the first one here were forgotten, because there were so
    /// many.
    #[serde(skip_serializing_if = "is_zero")]
    pub forgotten_attempts: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Session {
    /// A session that begins now and has made no attempt yet.
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

    /// It ended with success.
    pub fn succeeded(&mut self, at: Timestamp) {
        (self.end_time, self.success) = (Some(at), true);
    }

    /// It ended without success. Its last attempt's error is the final one.
    pub fn gave_up(&mut self, at: Timestamp, reason: Reason) {
        (self.end_time, self.reason) = (Some(at), Some(reason));
        self.final_error = self.attempts.last().and_then(|attempt| attempt.error.clone());
    }

    /// How many attempts it made, as far as they are kept here.
    #[must_use]
    pub fn total_attempts(&self) -> usize {
        self.attempts.len()
    }

    /// How many of them were retries.
    #[must_use]
    pub fn retry_count(&self) -> usize {
        self.total_attempts().saturating_sub(1)
    }

    /// How long it took, if it has ended.
    #[must_use]
    pub fn total_duration(&self) -> Option<Duration> {
        let taken = self.end_time?.duration_since(self.start_time);
        Some(taken.try_into().unwrap_or_default())
    }

    /// Whether it is one that can be relied on: at least one attempt, and each of them
    /// valid. The types see to the rest.
    ///
    /// # Errors
    /// The first field that is wrong, and why.
    pub fn validate(&self) -> Result<(), Invalid> {
        Invalid::unless(!self.attempts.is_empty(), "attempts", "must not be empty")?;
        for (index, attempt) in self.attempts.iter().enumerate() {
            attempt.validate().map_err(|wrong| wrong.within(&format!("attempts[{index}]")))?;
        }
        Ok(())
    }
}

impl Serialize for Session {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Stored<'s>(&'s Session);

        impl Serialize for Stored<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                Session::serialize(self.0, serializer)
            }
        }

        #[derive(Serialize)]
        struct Whole<'s> {
            #[serde(flatten)]
            stored: Stored<'s>,
            total_attempts: usize,
            #[serde(with = "serde_format::maybe_seconds", skip_serializing_if = "Option::is_none")]
            total_duration: Option<Duration>,
            retry_count: usize,
        }

        Whole {
            stored: Stored(self),
            total_attempts: self.total_attempts(),
            total_duration: self.total_duration(),
            retry_count: self.retry_count(),
        }
        .serialize(serializer)
    }
}

/// A session as it is read: what follows from the rest is only claimed.
#[derive(Deserialize)]
struct Read {
    session_id: String,
    policy_id: String,
    operation: String,
    #[serde(with = "serde_format::time")]
    start_time: Timestamp,
    #[serde(with = "serde_format::maybe_time", default)]
    end_time: Option<Timestamp>,
    attempts: Vec<AttemptRecord>,
    final_result: Option<Value>,
    final_error: Option<ErrorRecord>,
    success: bool,
    context: Option<Map<String, Value>>,
    reason: Option<Reason>,
    correlation_id: Option<String>,
    subsystem: Option<String>,
    #[serde(default)]
    forgotten_attempts: u64,
    total_attempts: Option<usize>,
    /// A clock of its own may have measured it, so it need only be a duration.
    #[serde(with = "serde_format::maybe_seconds", default)]
    #[expect(dead_code, reason = "read to be refused if it is none")]
    total_duration: Option<Duration>,
    retry_count: Option<usize>,
}

impl<'de> Deserialize<'de> for Session {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Read::deserialize(deserializer)?.checked().map_err(de::Error::custom)
    }
}

impl Read {
    fn checked(self) -> Result<Session, Invalid> {
        let claims = (self.total_attempts, self.retry_count);
        let session = Session {
            session_id: self.session_id,
            policy_id: self.policy_id,
            operation: self.operation,
            start_time: self.start_time,
            end_time: self.end_time,
            attempts: self.attempts,
            final_result: self.final_result,
            final_error: self.final_error,
            success: self.success,
            context: self.context,
            reason: self.reason,
            correlation_id: self.correlation_id,
            subsystem: self.subsystem,
            forgotten_attempts: self.forgotten_attempts,
        };
        session.validate()?;
        let agrees = claims.0.is_none_or(|claimed| claimed == session.total_attempts());
        Invalid::unless(agrees, "total_attempts", "must equal the number of attempts")?;
        let agrees = claims.1.is_none_or(|claimed| claimed == session.retry_count());
        Invalid::unless(agrees, "retry_count", "must equal total_attempts - 1")?;
        Ok(session)
    }
}
