//! What would become of a task (D18).

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use steadfast::{Policy, Reason};

use crate::task_view::NextAttempt;

/// What would become of a task that is not submitted yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Preview {
    /// How it would be tried again.
    #[serde(deserialize_with = "crate::answered_policy::deserialize")]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::schemas::Policy))]
    pub policy: Arc<Policy>,
    /// Why it would not be tried at all: its `first_fault` cannot be helped.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::schemas::Reason>))]
    pub reason: Option<Reason>,
    /// Every attempt, if all fail with a retryable fault. Those that would start too late are
    /// left out.
    pub next: Vec<NextAttempt>,
}

impl From<steadfast_store::Preview> for Preview {
    fn from(preview: steadfast_store::Preview) -> Self {
        let steadfast_store::Preview { policy, ended, attempts, .. } = preview;
        Self { policy, reason: ended, next: attempts.into_iter().map(NextAttempt::from).collect() }
    }
}
