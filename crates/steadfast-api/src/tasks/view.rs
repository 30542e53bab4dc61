//! Tasks in responses (H1).

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use steadfast::observe::Redactor;
use steadfast::{Policy, Reason};
use steadfast_store::{FaultRecord, HeldLease, LastError, NextAttempt, Status, StoredTask, TaskId};

/// A task. Fields that a list leaves out are absent; other unset fields are `null`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct TaskView {
    /// The id of the task.
    pub id: TaskId,
    /// The kind of the task, which selects its handler.
    pub kind: String,
    /// The status.
    pub status: Status,
    /// Why the task failed.
    pub reason: Option<Reason>,
    /// The queue.
    pub queue: String,
    /// The category.
    pub category: Option<String>,
    /// The priority; higher runs first.
    pub priority: i16,
    /// Number of attempts so far.
    pub attempts: u32,
    /// Maximum number of attempts: those that the policy allows, or one more if the task was requeued
    /// after all of them; 0 if the policy cannot be decoded.
    pub max_attempts: u32,
    /// Number of rate-limit delays; they do not count as attempts.
    pub rate_limit_waits: u32,
    /// When the task was submitted.
    pub submitted_at: Timestamp,
    /// When the task is or was due.
    pub scheduled_at: Timestamp,
    /// When the last attempt ended.
    pub last_attempt_at: Option<Timestamp>,
    /// When the task ended.
    pub ended_at: Option<Timestamp>,
    /// When the task expires.
    pub expires_at: Option<Timestamp>,
    /// The lease of a running task.
    pub lease: Option<HeldLease>,
    /// The last error, in short.
    pub last_error: Option<LastError>,
    /// The input of the handler.
    pub payload: Value,
    /// The result of the handler.
    pub result: Option<Value>,
    /// The key that identifies the work.
    pub idempotency_key: Option<String>,
    /// The correlation id of the request that the task belongs to.
    pub correlation_id: Option<String>,
    /// Whether a rate-limit delay of this task applies to its whole category.
    pub hold_category: bool,
    /// The retry policy, as of the submission.
    #[serde(deserialize_with = "crate::policies::deserialize::option::deserialize")]
    pub policy: Option<Arc<Policy>>,
    /// Why the task cannot be decoded. It is not run until that is fixed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// The failed attempts, oldest first. A list leaves them out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub faults: Option<Vec<FaultRecord>>,
    /// The remaining attempts if each fails with a retryable fault, at most 100. A list leaves them
    /// out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Vec<NextAttempt>>,
    /// Maximum number of attempts beyond those in `next`. A list leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub and_more: Option<u32>,
}

impl TaskView {
    /// The task with its history and remaining attempts.
    #[must_use]
    pub fn whole(mut task: StoredTask) -> Self {
        let remaining = task.remaining();
        let faults = std::mem::take(&mut task.faults);
        Self {
            faults: Some(faults),
            next: Some(remaining.attempts),
            and_more: Some(remaining.more),
            ..Self::listed(task)
        }
    }

    /// The task as in a list.
    #[must_use]
    pub fn listed(task: StoredTask) -> Self {
        let open = u32::from(!task.status.is_ended());
        let max_attempts = match task.max_attempts {
            0 => 0,
            max => max.max(task.attempts.saturating_add(open)),
        };
        Self {
            id: task.id,
            kind: task.kind,
            status: task.status,
            reason: task.reason,
            queue: task.queue,
            category: task.category,
            priority: task.priority,
            attempts: task.attempts,
            max_attempts,
            rate_limit_waits: task.rate_limit_waits,
            submitted_at: task.submitted_at,
            scheduled_at: task.scheduled_at,
            last_attempt_at: task.last_attempt_at,
            ended_at: task.ended_at,
            expires_at: task.expires_at,
            lease: task.lease,
            last_error: task.last_error,
            payload: task.payload,
            result: task.result,
            idempotency_key: task.idempotency_key,
            correlation_id: task.correlation_id,
            hold_category: task.hold_category,
            policy: task.policy,
            problem: task.problem,
            faults: None,
            next: None,
            and_more: None,
        }
    }

    /// Masks secrets in the payload and the result. Faults were masked before they were stored.
    #[must_use]
    pub fn without_secrets(mut self, redactor: &Redactor) -> Self {
        redactor.value(&mut self.payload);
        if let Some(result) = &mut self.result {
            redactor.value(result);
        }
        self
    }
}
