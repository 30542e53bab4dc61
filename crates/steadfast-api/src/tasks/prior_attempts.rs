//! What was tried before there was a task (D12).

use std::time::Duration;

use serde::{Deserialize, Serialize};
use steadfast::drive::FailedAttempt;
use steadfast::duration::serde_seconds;
use steadfast::{Class, Fault, read_from_objects, serde_integer};

read_from_objects!(PastAttempt);

/// An attempt that failed before the work became a task, and what it meant there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct PastAttempt {
    /// Its number, from 1.
    #[serde(deserialize_with = "serde_integer::deserialize")]
    #[cfg_attr(feature = "openapi", schema(format = Int64, maximum = 4294967295_u32))]
    pub attempt: u32,
    /// What went wrong.
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Fault))]
    pub fault: Fault,
    /// What it meant.
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Class))]
    pub class: Class,
    /// How long was waited after it; nothing after the last one.
    #[serde(default, with = "serde_seconds::option", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Lasting>))]
    pub delay: Option<Duration>,
}

impl From<&FailedAttempt> for PastAttempt {
    fn from(failed: &FailedAttempt) -> Self {
        let FailedAttempt { attempt, class, delay, .. } = *failed;
        Self { attempt, fault: failed.fault.clone(), class, delay }
    }
}

impl From<PastAttempt> for FailedAttempt {
    fn from(past: PastAttempt) -> Self {
        let PastAttempt { attempt, fault, class, delay } = past;
        Self::elsewhere(attempt, fault, class, delay)
    }
}
