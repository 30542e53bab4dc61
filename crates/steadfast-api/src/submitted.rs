//! What became of a submission.

use serde::{Deserialize, Serialize};
use steadfast_store::TaskId;

use crate::task_view::TaskView;

/// What became of one of many tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Submitted {
    /// The task: the new one, or the one that had the idempotency key already.
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
