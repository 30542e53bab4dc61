//! Stored tasks, as `tasks show` and the API return them.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use steadfast::observe::Why;
use steadfast::{Class, Fault, Policy, Reason};

use super::{Status, TaskId};
use crate::page::{Cursor, SortKey};
use crate::queue::claim::FencingToken;

/// A failed attempt (D8).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(description = "A failed attempt."))]
pub struct FaultRecord {
    /// The number of the attempt, from 1. It repeats after a rate limit, which uses no attempt.
    pub attempt: u32,
    /// When it was recorded.
    pub at: Timestamp,
    /// The class of the fault.
    pub class: Class,
    /// The error message.
    pub message: String,
    /// The facts of the failure.
    pub fault: Fault,
    /// Why the decision was made: the rule, and the limit, guard or hint.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub why: Option<Why>,
    /// The delay after the attempt, in seconds; `null` for the last one.
    pub next_delay: Option<f64>,
}

/// The lease of a running task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct HeldLease {
    /// The worker that holds the lease.
    pub owner: String,
    /// When the lease expires without a heartbeat.
    pub until: Timestamp,
    /// The fencing token.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    #[serde(rename = "version", alias = "fencing_token")]
    pub fencing_token: FencingToken,
}

/// The last error, in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LastError {
    /// The class of the fault.
    pub class: Class,
    /// The error message.
    pub message: String,
}

/// A task with everything about it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoredTask {
    /// The id.
    pub id: TaskId,
    /// The kind, which selects the handler.
    pub kind: String,
    /// The payload.
    pub payload: Value,
    /// The queue.
    pub queue: String,
    /// The category.
    pub category: Option<String>,
    /// The priority; higher ones are claimed first.
    pub priority: i16,
    /// The retry policy, as of its submission; `None` if it cannot be decoded.
    pub policy: Option<Arc<Policy>>,
    /// The state.
    pub status: Status,
    /// Why it failed, if it did.
    pub reason: Option<Reason>,
    /// The number of attempts so far.
    pub attempts: u32,
    /// The maximum number of attempts; 0 if its policy cannot be decoded.
    pub max_attempts: u32,
    /// The number of rate limits, which use no attempt.
    pub rate_limit_waits: u32,
    /// The time of submission.
    pub submitted_at: Timestamp,
    /// The start of `max_duration`: the first due time, or the last fresh requeue.
    pub counted_from: Timestamp,
    /// The due time.
    pub scheduled_at: Timestamp,
    /// The end of its last attempt.
    pub last_attempt_at: Option<Timestamp>,
    /// The time of its end.
    pub ended_at: Option<Timestamp>,
    /// The expiry.
    pub expires_at: Option<Timestamp>,
    /// The lease, if it is running.
    pub lease: Option<HeldLease>,
    /// Its last failure.
    pub last_error: Option<LastError>,
    /// Every failure, oldest first. Not in lists.
    pub faults: Vec<FaultRecord>,
    /// The result of its handler.
    pub result: Option<Value>,
    /// The idempotency key.
    pub idempotency_key: Option<String>,
    /// The correlation id.
    pub correlation_id: Option<String>,
    /// Whether a rate limit holds its whole category.
    pub hold_category: bool,
    /// What cannot be decoded, and why: it is from a newer version, or was edited by hand. The task
    /// is not run until it can be decoded.
    pub problem: Option<String>,
}

impl StoredTask {
    /// The cursor of [`latest_ended`](crate::Store::latest_ended) after this task, if it has ended.
    #[must_use]
    pub fn ended_cursor(&self) -> Option<Cursor> {
        Some(SortKey::ended(self.ended_at?, self.id).cursor(SortKey::ENDED))
    }
}
