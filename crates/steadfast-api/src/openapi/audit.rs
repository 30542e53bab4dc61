//! Audit entries.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// The actor of an action.
#[derive(Debug, Serialize, ToSchema)]
pub struct Actor {
    /// The name of the actor.
    pub actor: String,
    /// The address or host of the actor, if it is recorded.
    pub from: Option<String>,
}

/// An entry of the audit log.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditEntry {
    /// The number of the entry. Numbers increase.
    pub number: Option<i64>,
    /// The time of the action.
    pub at: Option<Timestamp>,
    /// The actor.
    pub by: Actor,
    /// The action, such as `task.cancel` or `queue.pause`.
    pub action: String,
    /// The target, such as a task id or a queue name.
    pub target: Option<String>,
    /// Details of the action.
    pub detail: Value,
}
