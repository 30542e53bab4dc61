//! A task as it is answered (H1).

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use steadfast::observe::Redactor;
use steadfast::{Policy, Reason};
use steadfast_store::{FaultRecord, HeldLease, LastError, Planned, Status, StoredTask, TaskId};

/// Everything about one task. What is not there is `null`; what a list leaves out is absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct TaskView {
    /// Its name.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = "uuid"))]
    pub id: TaskId,
    /// Who does it.
    pub kind: String,
    /// Where it is.
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Status))]
    pub status: Status,
    /// Why it failed, if it did.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Reason>))]
    pub reason: Option<Reason>,
    /// The line it stands in.
    pub queue: String,
    /// What it is about.
    pub category: Option<String>,
    /// A higher one goes first.
    pub priority: i16,
    /// Attempts that were used up.
    pub attempts: u32,
    /// How many there may be; 0 if its policy cannot be read.
    pub max_attempts: u32,
    /// Waits that the other side asked for; they use up no attempt.
    pub rate_limit_waits: u32,
    /// When the store took it.
    pub submitted_at: Timestamp,
    /// When it is or was due.
    pub scheduled_at: Timestamp,
    /// When its last attempt ended.
    pub last_attempt_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// When it is too late.
    pub expires_at: Option<Timestamp>,
    /// Who has it.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::HeldLease>))]
    pub lease: Option<HeldLease>,
    /// Its last failure, in short.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::LastError>))]
    pub last_error: Option<LastError>,
    /// What is to be done.
    pub payload: Value,
    /// What its handler answered.
    pub result: Option<Value>,
    /// Names the work to whoever must not do it twice.
    pub idempotency_key: Option<String>,
    /// Ties it to what else belongs to the same request.
    pub correlation_id: Option<String>,
    /// Whether a wait that it is asked for holds for its whole category.
    pub hold_category: bool,
    /// How it is tried again, as of its submission.
    #[serde(deserialize_with = "crate::policies::deserialize::option::deserialize")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Policy>))]
    pub policy: Option<Arc<Policy>>,
    /// What of it cannot be read, and why. It is not run until it can be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Every failure, oldest first. A list leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<crate::openapi::FaultRecord>>))]
    pub faults: Option<Vec<FaultRecord>>,
    /// The attempts that are left, if all fail with a retryable fault: the first hundred of
    /// them. A list leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<Vec<NextAttempt>>,
    /// How many more there are at most. A list leaves it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub and_more: Option<u32>,
}

/// An attempt to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct NextAttempt {
    /// Its number.
    pub attempt: u32,
    /// The earliest that it can start.
    pub earliest: Timestamp,
    /// The latest that it is due, by the policy's jitter.
    pub latest: Timestamp,
}

impl From<Planned> for NextAttempt {
    fn from(planned: Planned) -> Self {
        let Planned { attempt, earliest, latest, .. } = planned;
        Self { attempt, earliest, latest }
    }
}

impl TaskView {
    /// With its history and what is still to come of it.
    #[must_use]
    pub fn whole(mut task: StoredTask) -> Self {
        let left = task.remaining();
        let faults = std::mem::take(&mut task.faults);
        Self {
            faults: Some(faults),
            next: Some(left.attempts.into_iter().map(NextAttempt::from).collect()),
            and_more: Some(left.more),
            ..Self::listed(task)
        }
    }

    /// As a list has it.
    #[must_use]
    pub fn listed(task: StoredTask) -> Self {
        Self {
            id: task.id,
            kind: task.kind,
            status: task.status,
            reason: task.reason,
            queue: task.queue,
            category: task.category,
            priority: task.priority,
            attempts: task.attempts,
            max_attempts: task.max_attempts,
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

    /// The same with what looks like a secret in its payload and result masked. What it
    /// failed with has none: they were taken out before it was written.
    #[must_use]
    pub fn without_secrets(mut self, redactor: &Redactor) -> Self {
        redactor.value(&mut self.payload);
        if let Some(result) = &mut self.result {
            redactor.value(result);
        }
        self
    }
}
