//! Decode errors of a task.
//!
//! One task that cannot be decoded must not fail a list of a thousand, and must be visible in it.
//! So the parts that cannot be decoded are left out of the task, and reported as its problem.

use crate::error::{Result, StoreError};

/// The decode errors of one task.
#[derive(Debug, Default)]
pub(crate) struct DecodeErrors(Vec<String>);

impl DecodeErrors {
    /// Starts with the problem found so far.
    pub(crate) fn new(problem: Option<String>) -> Self {
        Self(problem.into_iter().collect())
    }

    /// A part of a task; `None` if it cannot be decoded. Any other error is returned.
    pub(crate) fn collect<T>(&mut self, part: Result<T>) -> Result<Option<T>> {
        match part {
            Ok(part) => Ok(Some(part)),
            Err(StoreError::Decode { problem, .. }) => {
                self.0.push(problem);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// All errors in one text.
    pub(crate) fn into_problem(self) -> Option<String> {
        (!self.0.is_empty()).then(|| self.0.join("; "))
    }
}
