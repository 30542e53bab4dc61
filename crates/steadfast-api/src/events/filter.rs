//! Filter of events.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use steadfast::observe::{Event, EventType};

/// A filter of events. An event must match every field that is set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct EventFilter {
    /// The type of the event.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub event_type: Option<EventType>,
    /// The policy of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// The session; the session of a task is its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// The operation: the kind of a task, or the name of an operation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// The correlation id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation_id: Option<String>,
}

impl EventFilter {
    /// Whether an event can match, by its JSON. Most do not, and this is faster than decoding it.
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

    /// Whether an event matches.
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
