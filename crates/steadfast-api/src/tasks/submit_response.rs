//! Responses to submits and previews (D18).

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use steadfast::{Policy, Reason};
use steadfast_store::{NextAttempt, StoreError};

use crate::error::{ApiError, ErrorKind};
use crate::tasks::TaskView;

/// The result of submitting one task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Submission {
    /// Whether the task already existed, by its id or idempotency key.
    pub existed: bool,
    /// The task.
    #[serde(flatten)]
    pub task: TaskView,
}

impl Submission {
    pub(crate) const fn new(existed: bool, task: TaskView) -> Self {
        Self { existed, task }
    }
}

/// The schedule of a task that is not submitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Preview {
    /// The policy of the task.
    #[serde(deserialize_with = "crate::policies::deserialize::deserialize")]
    pub policy: Arc<Policy>,
    /// Why the task would fail without an attempt, because of its `first_fault`.
    pub reason: Option<Reason>,
    /// The attempts if each fails with a retryable fault, at most 100, up to the expiry of the task.
    pub next: Vec<NextAttempt>,
    /// Maximum number of attempts beyond those listed.
    #[serde(default)]
    pub and_more: u32,
}

impl From<steadfast_store::Preview> for Preview {
    fn from(preview: steadfast_store::Preview) -> Self {
        let steadfast_store::Preview { policy, ended, schedule, .. } = preview;
        Self { policy, reason: ended, next: schedule.attempts, and_more: schedule.more }
    }
}

/// Adds the index of the task in its batch to the field of an error.
pub(crate) fn with_index(index: usize, error: ApiError) -> ApiError {
    let field = error.field.as_deref().unwrap_or("task");
    let field = format!("[{index}].{field}");
    error.field(field)
}

/// A store error of a batch, with the index of the invalid task.
pub(crate) fn batch_error(error: StoreError) -> ApiError {
    let index = match &error {
        StoreError::Invalid(invalid) => invalid.index(),
        _ => None,
    };
    let error = ApiError::from(error);
    match index {
        Some(index) => with_index(index, error),
        None => error,
    }
}

pub(crate) fn no_task_with_key(key: &str) -> ApiError {
    ApiError::new(ErrorKind::NotFound, format!("no task with the key `{key}`"))
        .field("idempotency_key")
        .next("check the spelling; finished tasks are deleted after the retention period")
}
