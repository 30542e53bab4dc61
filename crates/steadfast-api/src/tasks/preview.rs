//! Preview of a task before its submission (D18).

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use steadfast::{Policy, Reason};
use steadfast_store::NextAttempt;

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
    /// The most attempts beyond those listed.
    #[serde(default)]
    pub and_more: u32,
}

impl From<steadfast_store::Preview> for Preview {
    fn from(preview: steadfast_store::Preview) -> Self {
        let steadfast_store::Preview { policy, ended, schedule, .. } = preview;
        Self { policy, reason: ended, next: schedule.attempts, and_more: schedule.more }
    }
}
