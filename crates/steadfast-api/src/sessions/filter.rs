//! Filter of sessions.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use steadfast::Reason;
use steadfast::observe::Session;

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// With success.
    Success,
    /// Without.
    Failure,
    /// It was called off.
    Cancelled,
}

impl Outcome {
    /// That of a session.
    #[must_use]
    pub fn of(session: &Session) -> Self {
        match session.reason {
            _ if session.success => Self::Success,
            Some(Reason::Cancelled) => Self::Cancelled,
            _ => Self::Failure,
        }
    }
}

/// Which sessions. Every part that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "openapi", into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct SessionFilter {
    /// Under this policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Of this operation; that of a task is its kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// That ended so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// That were recorded, or ended as tasks, no earlier than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// That belong to this request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
    /// The one of this id; that of a task is the task's.
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

    /// Whether what ended then, and so all that ended before, came too early.
    pub(super) fn is_before(&self, at: Timestamp) -> bool {
        self.since.is_some_and(|since| at < since)
    }

    /// Whether most may not be asked for.
    pub(super) fn sifts(&self) -> bool {
        *self != Self { since: self.since, ..Self::default() }
    }
}
