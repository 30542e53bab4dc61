//! Who did what.

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// Who did it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Actor {
    /// Who.
    pub actor: String,
    /// From where, if that is known.
    pub from: Option<String>,
}

/// One thing that somebody did.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditEntry {
    /// Its number, which only grows.
    pub number: Option<i64>,
    /// When.
    pub at: Option<Timestamp>,
    /// Who.
    pub by: Actor,
    /// What: `task.cancel`, `queue.pause`.
    pub action: String,
    /// To what: a task's id, a queue's name.
    pub target: Option<String>,
    /// What else there is to know.
    pub detail: Value,
}
