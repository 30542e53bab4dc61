//! The states of executions and nodes.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use steadfast::__private::nearest;

use crate::error::InputError;
use crate::task::status::names;

/// The status of an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum ExecutionStatus {
    /// Some nodes have not ended.
    Running,
    /// Every node has completed.
    Completed,
    /// A node has failed for good (W2).
    Failed,
    /// It was cancelled.
    Cancelled,
}

/// The state of a started node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NodeStatus {
    /// Its task is submitted.
    Submitted,
    /// Its task succeeded.
    Completed,
    /// Its task failed, or it could not start.
    Failed,
    /// Its task was cancelled.
    Cancelled,
}

names! {
    pub ExecutionStatus {
        Running: "running",
        Completed: "completed",
        Failed: "failed",
        Cancelled: "cancelled",
    }
}

names! {
    NodeStatus {
        Submitted: "submitted",
        Completed: "completed",
        Failed: "failed",
        Cancelled: "cancelled",
    }
}

impl FromStr for ExecutionStatus {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, InputError> {
        let found = Self::ALL.into_iter().find(|status| status.name() == text);
        found.ok_or_else(|| unknown(text, Self::ALL.map(Self::name)))
    }
}

impl FromStr for NodeStatus {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, InputError> {
        let found = Self::ALL.into_iter().find(|status| status.name() == text);
        found.ok_or_else(|| unknown(text, Self::ALL.map(Self::name)))
    }
}

fn unknown(text: &str, known: [&'static str; 4]) -> InputError {
    let next = match nearest(text, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("use one of {}", known.join(", ")),
    };
    InputError::new("status", format!("unknown status `{text}`; {next}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: a name is parsed, and an unknown one suggests the nearest.
    #[test]
    fn status_is_parsed_by_its_name() {
        for status in ExecutionStatus::ALL {
            assert_eq!(status.name().parse(), Ok(status));
        }
        for status in NodeStatus::ALL {
            assert_eq!(status.name().parse(), Ok(status));
        }
        let error = "complete".parse::<ExecutionStatus>().unwrap_err().to_string();
        assert_eq!(error, "status: unknown status `complete`; did you mean `completed`?");
    }
}
