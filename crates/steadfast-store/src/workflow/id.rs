//! Execution ids.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::InputError;

/// The id of an execution: a UUID of version 7, so that ids sort by their time of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ExecutionId(Uuid);

impl ExecutionId {
    /// A new unique id.
    #[must_use]
    pub fn fresh() -> Self {
        Self(Uuid::now_v7())
    }

    pub(crate) const fn uuid(self) -> Uuid {
        self.0
    }
}

impl From<Uuid> for ExecutionId {
    fn from(id: Uuid) -> Self {
        Self(id)
    }
}

impl FromStr for ExecutionId {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, InputError> {
        Uuid::try_parse(text).map(Self).map_err(|error| {
            let next = "list executions to find one";
            InputError::new("id", format!("not an execution id: {error}; {next}"))
        })
    }
}

impl fmt::Display for ExecutionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
