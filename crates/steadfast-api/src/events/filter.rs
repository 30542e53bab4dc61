//! Filter of events.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use steadfast::observe::{Event, EventType};

/// Which events. Every part that is given must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "openapi", into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct EventFilter {
    /// That tell of this.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::EventType>))]
    #[cfg_attr(feature = "openapi", param(value_type = Option<crate::openapi::EventType>))]
    pub event_type: Option<EventType>,
    /// Of sessions under this policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// Of this session; a task's session is its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// Of what is tried: a task's kind, an operation's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// That belong to this request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
}

impl EventFilter {
    /// Whether an event that was not read yet can be one of them. Most are not, and to read one
    /// takes longer than to look at a name.
    pub(super) fn may_match(&self, body: &Value) -> bool {
        let is = |wanted: Option<&str>, field: &str| {
            wanted.is_none_or(|wanted| body.get(field).and_then(Value::as_str) == Some(wanted))
        };
        is(self.event_type.map(EventType::name), "event_type")
            && is(self.policy.as_deref(), "policy_id")
            && is(self.session.as_deref(), "session_id")
            && is(self.operation.as_deref(), "operation")
            && is(self.correlation_id.as_deref(), "correlation_id")
    }

    /// Whether an event is one of them.
    #[must_use]
    pub fn matches(&self, event: &Event) -> bool {
        let is = |wanted: &Option<String>, given: &str| {
            wanted.as_deref().is_none_or(|wanted| wanted == given)
        };
        self.event_type.is_none_or(|wanted| wanted == event.event_type)
            && is(&self.policy, &event.policy_id)
            && is(&self.session, &event.session_id)
            && is(&self.operation, &event.operation)
            && is(&self.correlation_id, &event.correlation_id)
    }
}
