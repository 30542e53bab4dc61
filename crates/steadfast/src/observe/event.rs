//! Monitoring events of sessions (O1).

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::ErrorRecord;
use super::id::event_id;
use super::record_error::RecordError;
use super::serde_format::{deserialize_validated, maybe_seconds, time};
use super::why::Why;
use crate::named_enum::named_enum;
use crate::{Policy, Reason};

named_enum! {
    /// The type of an event.
    ///
    /// ```
    /// assert_eq!(steadfast::observe::EventType::RetryAttempt.name(), "retry_attempt");
    /// ```
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(description = "The type of an event."))]
    #[non_exhaustive]
    pub enum EventType by name {
        /// A retry starts. For a task in a store, the event is emitted when the retry is scheduled.
        RetryAttempt = "retry_attempt",
        /// A session succeeded after a retry.
        RetrySuccess = "retry_success",
        /// A session failed.
        RetryFailure = "retry_failure",
        /// A breaker opened.
        CircuitBreakerOpened = "circuit_breaker_opened",
        /// A breaker closed.
        CircuitBreakerClosed = "circuit_breaker_closed",
        /// A session continues as a task in a store.
        HandedOver = "handed_over",
        /// A worker lost the lease of a task.
        LeaseLost = "lease_lost",
    }
}

impl EventType {
    /// All types.
    pub const ALL: &'static [Self] = &[
        Self::RetryAttempt,
        Self::RetrySuccess,
        Self::RetryFailure,
        Self::CircuitBreakerOpened,
        Self::CircuitBreakerClosed,
        Self::HandedOver,
        Self::LeaseLost,
    ];
}

/// The subject of an event: the fields that all events of a session share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// Correlates one request across systems.
    pub correlation_id: String,
    /// The session.
    pub session_id: String,
    /// The policy.
    pub policy_id: String,
    /// The operation.
    pub operation: String,
    /// The reporting component.
    pub component: String,
}

/// The id of a policy without one.
const UNNAMED_POLICY: &str = "inline";

impl Subject {
    /// A session under this policy. The correlation id defaults to the session's id.
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
            policy_id: policy.id().unwrap_or(UNNAMED_POLICY).to_owned(),
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
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(description = "An event of a session."))]
#[non_exhaustive]
pub struct Event {
    /// The unique id of the event.
    pub event_id: String,
    /// The type of the event.
    pub event_type: EventType,
    /// The time of the event.
    pub timestamp: Timestamp,
    /// The correlation id.
    pub correlation_id: String,
    /// The session; the session of a task is its id.
    pub session_id: String,
    /// The policy.
    pub policy_id: String,
    /// The operation: the kind of a task, or the name of an operation.
    pub operation: String,
    /// The number of the attempt.
    pub attempt: Option<u32>,
    /// The most attempts that the policy allows.
    pub max_attempts: Option<u32>,
    /// The delay before the attempt, in seconds.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<f64>))]
    pub delay: Option<Duration>,
    /// The error.
    pub error: Option<ErrorRecord>,
    /// The component that emitted the event.
    pub component: String,
    /// Additional context.
    pub context: Option<Map<String, Value>>,
    /// Why the session failed.
    pub reason: Option<Reason>,
    /// Why the decision was made.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub why: Option<Why>,
}

/// The fields of [`Event`] as data. With `remote = "Self"` the derived functions would be public.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Event")]
struct EventFields {
    event_id: String,
    event_type: EventType,
    #[serde(with = "time")]
    timestamp: Timestamp,
    correlation_id: String,
    session_id: String,
    policy_id: String,
    operation: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    attempt: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    max_attempts: Option<u32>,
    #[serde(with = "maybe_seconds", default, skip_serializing_if = "Option::is_none")]
    delay: Option<Duration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<ErrorRecord>,
    component: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context: Option<Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<Reason>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    why: Option<Why>,
}

deserialize_validated!(Event, EventFields);

impl Event {
    /// An event with a new id and without optional fields.
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

    /// Validates the event: a correlation id, and an attempt from 1 to its limit. The types
    /// guarantee the rest.
    ///
    /// # Errors
    /// The first invalid field.
    pub fn validate(&self) -> Result<(), RecordError> {
        RecordError::require_non_empty("correlation_id", &self.correlation_id)?;
        RecordError::require(self.attempt != Some(0), "attempt", "must be at least 1")?;
        if let (Some(attempt), Some(limit)) = (self.attempt, self.max_attempts) {
            RecordError::require(attempt <= limit, "max_attempts", "must not be below attempt")?;
        }
        Ok(())
    }
}
