//! Events: what monitoring is told while sessions run (O1).

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::ErrorRecord;
use super::id::event_id;
use super::invalid::Invalid;
use super::serde_format::{self, read_only_if_valid};
use super::why::Why;
use crate::{Policy, Reason};

/// What an event tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventType {
    /// An attempt that is not the first begins. Of a task in a store it is told when the attempt
    /// is decided on, for it may begin weeks later.
    RetryAttempt,
    /// A session that retried ended with success.
    RetrySuccess,
    /// A session ended without success.
    RetryFailure,
    /// A breaker lets no more calls through.
    CircuitBreakerOpened,
    /// A breaker lets all calls through again.
    CircuitBreakerClosed,
    /// A session goes on as a task in a store.
    HandedOver,
    /// A worker lost its hold of a task.
    LeaseLost,
}

impl EventType {
    /// Every one of them.
    pub const ALL: [Self; 7] = [
        Self::RetryAttempt,
        Self::RetrySuccess,
        Self::RetryFailure,
        Self::CircuitBreakerOpened,
        Self::CircuitBreakerClosed,
        Self::HandedOver,
        Self::LeaseLost,
    ];

    /// Its name in JSON.
    ///
    /// ```
    /// assert_eq!(steadfast::observe::EventType::RetryAttempt.name(), "retry_attempt");
    /// ```
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::RetryAttempt => "retry_attempt",
            Self::RetrySuccess => "retry_success",
            Self::RetryFailure => "retry_failure",
            Self::CircuitBreakerOpened => "circuit_breaker_opened",
            Self::CircuitBreakerClosed => "circuit_breaker_closed",
            Self::HandedOver => "handed_over",
            Self::LeaseLost => "lease_lost",
        }
    }
}

impl fmt::Display for EventType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name().fmt(f)
    }
}

/// Whose events these are: what all events of one session have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Follows one request through several systems.
    pub correlation_id: String,
    /// The session.
    pub session_id: String,
    /// The policy it runs under.
    pub policy_id: String,
    /// What is tried.
    pub operation: String,
    /// The part of the program that tells it.
    pub component: String,
}

/// What a policy is called that has no id.
const UNNAMED: &str = "inline";

impl Subject {
    /// A session under this policy. What follows it through several systems is the session's own
    /// id, if there is nothing else.
    #[must_use]
    pub fn of(
        policy: &Policy,
        operation: impl Into<String>,
        session_id: impl Into<String>,
        correlation_id: Option<&str>,
        component: impl Into<String>,
    ) -> Self {
        let session_id = session_id.into();
        let correlation_id = correlation_id.filter(|id| !id.is_empty()).unwrap_or(&session_id);
        Self {
            correlation_id: correlation_id.to_owned(),
            session_id,
            policy_id: policy.id().unwrap_or(UNNAMED).to_owned(),
            operation: operation.into(),
            component: component.into(),
        }
    }
}

/// One event. As JSON, times are RFC 3339 and delays seconds.
///
/// ```
/// use std::time::Duration;
/// use jiff::Timestamp;
/// use steadfast::observe::{Event, EventType, Subject};
///
/// let subject = Subject {
///     correlation_id: "corr_1".into(),
///     session_id: "session_1".into(),
///     policy_id: "browser_state_timeout".into(),
///     operation: "save_state".into(),
///     component: "retry_manager".into(),
/// };
/// let mut event = Event::new(EventType::RetryAttempt, Timestamp::UNIX_EPOCH, &subject);
/// (event.attempt, event.max_attempts) = (Some(2), Some(3));
/// event.delay = Some(Duration::from_millis(1500));
/// assert_eq!(event.validate(), Ok(()));
///
/// let json = serde_json::to_value(&event)?;
/// assert_eq!(json["timestamp"], "1970-01-01T00:00:00.000Z");
/// assert_eq!(json["delay"], 1.5);
/// assert_eq!(serde_json::from_value::<Event>(json)?, event);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
#[non_exhaustive]
pub struct Event {
    /// No other event has it.
    pub event_id: String,
    /// What it tells of.
    pub event_type: EventType,
    /// When.
    #[serde(with = "serde_format::time")]
    pub timestamp: Timestamp,
    /// Follows one request through several systems.
    pub correlation_id: String,
    /// The session.
    pub session_id: String,
    /// The policy it runs under.
    pub policy_id: String,
    /// What is tried.
    pub operation: String,
    /// The number of the attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// How many attempts there may be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_attempts: Option<u32>,
    /// How long was waited before this attempt.
    #[serde(
        with = "serde_format::maybe_seconds",
        default,
        skip_serializing_if = "Option::is_none"
    )]
    pub delay: Option<Duration>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorRecord>,
    /// The part of the program that tells it.
    pub component: String,
    /// Whatever else is worth telling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<Map<String, Value>>,
    /// Why a session ended without success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Reason>,
    /// Why it was decided so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Why>,
}

read_only_if_valid!(Event);

impl Event {
    /// An event with a fresh id and nothing else to tell yet.
    #[must_use]
    pub fn new(event_type: EventType, timestamp: Timestamp, subject: &Subject) -> Self {
        Self {
            event_id: event_id(),
            event_type,
            timestamp,
            correlation_id: subject.correlation_id.clone(),
            session_id: subject.session_id.clone(),
            policy_id: subject.policy_id.clone(),
            operation: subject.operation.clone(),
            attempt: None,
            max_attempts: None,
            delay: None,
            error: None,
            component: subject.component.clone(),
            context: None,
            reason: None,
            why: None,
        }
    }

    /// Whether it is one that can be relied on: it can be followed, and its attempt is
    /// counted from 1 and within its limit. The types see to the rest.
    ///
    /// # Errors
    /// The first field that is wrong, and why.
    pub fn validate(&self) -> Result<(), Invalid> {
        Invalid::if_empty("correlation_id", &self.correlation_id)?;
        Invalid::unless(self.attempt != Some(0), "attempt", "must be at least 1")?;
        if let (Some(attempt), Some(most)) = (self.attempt, self.max_attempts) {
            Invalid::unless(attempt <= most, "max_attempts", "must not be below attempt")?;
        }
        Ok(())
    }
}
