//! What of a task cannot be read.
//!
//! A list of a thousand tasks must not be lost over one of them, and whoever looks for what is
//! wrong has to find it there. So what is not understood is left out of the task, and told.

use crate::error::{Result, StoreError};

/// What was found so far.
#[derive(Debug, Default)]
pub(crate) struct Damage(Vec<String>);

impl Damage {
    /// What is found beside this.
    pub(crate) fn beside(told: Option<String>) -> Self {
        Self(told.into_iter().collect())
    }

    /// A part of a task, unless it is damaged. Every other error is still one.
    pub(crate) fn unless<T>(&mut self, part: Result<T>) -> Result<Option<T>> {
        match part {
            Ok(part) => Ok(Some(part)),
            Err(StoreError::Damaged { problem, .. }) => {
                self.0.push(problem);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// All of it in a sentence.
    pub(crate) fn told(self) -> Option<String> {
        (!self.0.is_empty()).then(|| self.0.join("; "))
    }
}
