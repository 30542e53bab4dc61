//! Filter of audit entries.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Which entries of the audit log.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "openapi", into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct AuditFilter {
    /// Only what was done by this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Only what was done to this: a task's id, a queue's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Only this: `task.cancel`, `queue.pause`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Only what was done no earlier than this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
}
