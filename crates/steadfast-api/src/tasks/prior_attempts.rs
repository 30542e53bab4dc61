//! Attempts that were made before a task was submitted (D12).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use steadfast::drive::FailedAttempt;
use steadfast::duration::serde_seconds;
use steadfast::{Class, Fault, read_from_objects, serde_integer};

read_from_objects!(PriorAttempt);

/// A failed attempt from before the task was submitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct PriorAttempt {
    /// The number of the attempt, from 1.
    #[serde(deserialize_with = "serde_integer::deserialize")]
    #[cfg_attr(feature = "openapi", schema(format = Int64, maximum = 4294967295_u32))]
    pub attempt: u32,
    /// The facts of the failure.
    pub fault: Fault,
    /// The class of the fault.
    pub class: Class,
    /// The delay after the attempt; left out for the last one.
    #[serde(default, with = "serde_seconds::option", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::AnyDuration>))]
    pub delay: Option<Duration>,
}

impl From<&FailedAttempt> for PriorAttempt {
    fn from(failed: &FailedAttempt) -> Self {
        let FailedAttempt { attempt, class, delay, .. } = *failed;
        Self { attempt, fault: failed.fault.clone(), class, delay }
    }
}

impl From<PriorAttempt> for FailedAttempt {
    fn from(prior: PriorAttempt) -> Self {
        let PriorAttempt { attempt, fault, class, delay } = prior;
        Self::external(attempt, fault, class, delay)
    }
}
