//! Filter of sessions, and their outcomes.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use steadfast::Reason;
use steadfast::observe::Session;

/// The outcome of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The session succeeded.
    Success,
    /// The session failed.
    Failure,
    /// The session was cancelled.
    Cancelled,
}

impl Outcome {
    /// The outcome of a session.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        match session.reason {
            _ if session.success => Self::Success,
            Some(Reason::Cancelled) => Self::Cancelled,
            _ => Self::Failure,
        }
    }
}

/// A filter of sessions. A session must match every field that is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct SessionFilter {
    /// The policy of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// The operation; that of a task is its kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// The outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Only sessions that were recorded, or tasks that ended, at or after this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// The correlation id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    /// The id of the session; that of a task is the task's id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

impl SessionFilter {
    pub(super) fn matches(&self, session: &Session) -> bool {
        let is = |wanted: &Option<String>, given: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| given == Some(wanted))
        };
        is(&self.policy, Some(&session.policy_id))
            && is(&self.operation, Some(&session.operation))
            && is(&self.correlation_id, session.correlation_id.as_deref())
            && is(&self.session, Some(&session.session_id))
            && self.outcome.is_none_or(|wanted| wanted == Outcome::of(session))
    }

    /// Whether a session that ended at this time, and so all earlier ones, is before `since`.
    pub(super) fn is_before_start(&self, at: Timestamp) -> bool {
        self.since.is_some_and(|since| at < since)
    }

    /// Whether most sessions may not match.
    pub(super) fn is_selective(&self) -> bool {
        *self != Self { since: self.since, ..Self::default() }
    }
}
