//! Filter of audit entries.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A filter of audit entries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct AuditFilter {
    /// Only actions of this actor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Only actions on this target, such as a task id or a queue name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Only this action, such as `task.cancel` or `queue.pause`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Only actions at or after this time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
}
