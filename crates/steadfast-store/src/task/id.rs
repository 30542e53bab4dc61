//! Task ids.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::error::InputError;

/// The id of a task: a UUID of version 7, so that ids sort by their time of creation. The submitter
/// creates it, so that a submission whose answer was lost can be repeated and stays one task.
///
/// ```
/// use steadfast_store::TaskId;
///
/// let id = TaskId::fresh();
/// assert_eq!(id.to_string().parse::<TaskId>()?, id);
/// assert!("42".parse::<TaskId>().is_err());
/// # Ok::<(), steadfast_store::InputError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TaskId(Uuid);

impl TaskId {
    /// A new unique id. Within a process, later ids are greater.
    #[must_use]
    pub fn fresh() -> Self {
        Self(Uuid::now_v7())
    }

    /// Whether it is a UUID of version 7.
    #[must_use]
    pub const fn is_version_7(self) -> bool {
        self.0.get_version_num() == 7
    }

    pub(crate) const fn uuid(self) -> Uuid {
        self.0
    }
}

impl From<Uuid> for TaskId {
    fn from(id: Uuid) -> Self {
        Self(id)
    }
}

impl FromStr for TaskId {
    type Err = InputError;

    fn from_str(text: &str) -> Result<Self, InputError> {
        let parsed = Uuid::try_parse(text);
        parsed.map(Self).map_err(|error| InputError::new("id", format!("not a task id: {error}")))
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
