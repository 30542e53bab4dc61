//! Quarantine of claimed tasks that cannot be decoded.
//!
//! A policy of a newer version of this program, or one that was edited by hand, may not decode.
//! Such a task must neither fail (another instance may decode it) nor block the rest of its batch,
//! nor be claimed again and again. So it is postponed without an attempt.

use std::time::Duration;

use crate::error::{Result, StoreError};
use crate::queue::claim::{Claimed, FencingToken};
use crate::queue::settle::{Settlement, Verdict};
use crate::task::TaskId;

/// The mean delay. It is randomised, so that quarantined tasks do not return at once.
const QUARANTINE_DELAY: Duration = Duration::from_secs(60);

/// The decoded tasks of a batch, and the settlements of the others.
#[derive(Debug)]
pub(crate) struct DecodedBatch<T> {
    pub(crate) tasks: Vec<T>,
    pub(crate) quarantined: Vec<Settlement>,
}

impl<T> DecodedBatch<T> {
    pub(crate) fn with_capacity(tasks: usize) -> Self {
        Self { tasks: Vec::with_capacity(tasks), quarantined: Vec::new() }
    }

    /// Adds a task, or quarantines it. Any other error fails the batch.
    pub(crate) fn push(
        &mut self,
        id: TaskId,
        fencing_token: FencingToken,
        task: Result<T>,
    ) -> Result<()> {
        match task {
            Ok(task) => self.tasks.push(task),
            Err(StoreError::Decode { problem, .. }) => {
                if self.quarantined.is_empty() {
                    log_quarantine(id, &problem);
                }
                self.quarantined.push(Settlement { id, fencing_token, verdict: postponed() });
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

impl Claimed {
    /// The verdict on a task of which something cannot be decoded.
    #[must_use]
    pub fn quarantine(&self, problem: &str) -> Verdict {
        log_quarantine(self.id, problem);
        postponed()
    }
}

fn postponed() -> Verdict {
    Verdict::Postponed { delay: QUARANTINE_DELAY.mul_f64(0.5 + fastrand::f64()) }
}

/// Only the first of a batch is logged: the others probably have the same policy.
fn log_quarantine(id: TaskId, problem: &str) {
    tracing::error!(
        target: "steadfast",
        task = %id,
        problem,
        "cannot decode a task; it is postponed, as are others like it: upgrade this instance, or \
         cancel the task"
    );
}
