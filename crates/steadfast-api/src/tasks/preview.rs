//! What would become of a task (D18).

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use steadfast::{Policy, Reason};

use crate::tasks::NextAttempt;

/// What would become of a task that is not submitted yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Preview {
    /// How it would be tried again.
    #[serde(deserialize_with = "crate::policies::deserialize::deserialize")]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Policy))]
    pub policy: Arc<Policy>,
    /// Why it would not be tried at all: its `first_fault` cannot be helped.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Reason>))]
    pub reason: Option<Reason>,
    /// Its attempts, if all fail with a retryable fault: the first hundred of them. Those that
    /// would start too late are left out.
    pub next: Vec<NextAttempt>,
    /// How many more there are at most.
    #[serde(default)]
    pub and_more: u32,
}

impl From<steadfast_store::Preview> for Preview {
    fn from(preview: steadfast_store::Preview) -> Self {
        let steadfast_store::Preview { policy, ended, schedule, .. } = preview;
        let next = schedule.attempts.into_iter().map(NextAttempt::from).collect();
        Self { policy, reason: ended, next, and_more: schedule.more }
    }
}
