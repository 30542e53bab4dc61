//! What became of a submission.

use serde::{Deserialize, Serialize};
use steadfast_store::{StoreError, TaskId};

use crate::error::{ApiError, ErrorKind};
use crate::tasks::TaskView;

/// What became of one of many tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Submitted {
    /// The task: the new one, or the one that had the id or the idempotency key already.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = "uuid"))]
    pub id: TaskId,
    /// Whether it was there already.
    pub existed: bool,
}

impl From<steadfast_store::Submitted> for Submitted {
    fn from(submitted: steadfast_store::Submitted) -> Self {
        Self { id: submitted.id, existed: submitted.existed }
    }
}

/// What became of a single task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Submission {
    /// Whether it was there already, under its idempotency key.
    pub existed: bool,
    /// The task as it is now.
    #[serde(flatten)]
    pub task: TaskView,
}

impl Submission {
    pub(crate) const fn new(existed: bool, task: TaskView) -> Self {
        Self { existed, task }
    }
}

/// In a batch it has to be said which of them.
pub(crate) fn at_place(place: usize, error: ApiError) -> ApiError {
    let field = error.field.as_deref().unwrap_or("task");
    let field = format!("[{place}].{field}");
    error.field(field)
}

/// A store says it by a number.
pub(crate) fn in_batch(error: StoreError) -> ApiError {
    let place = match &error {
        StoreError::Invalid(invalid) => invalid.place(),
        _ => None,
    };
    let error = ApiError::from(error);
    match place {
        Some(place) => at_place(place, error),
        None => error,
    }
}

pub(crate) fn no_such_key(key: &str) -> ApiError {
    ApiError::new(ErrorKind::NotFound, format!("no task has `{key}`"))
        .field("idempotency_key")
        .next("see that it is spelled as it was submitted; ended tasks are forgotten in time")
}
