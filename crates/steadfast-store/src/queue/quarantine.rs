//! Tasks that were taken and cannot be read.
//!
//! A policy that a newer version of this program wrote, or that somebody changed by hand, may
//! mean nothing here. Such a task must neither fail (another instance may understand it) nor
//! keep the rest of its batch from being run, nor be taken again and again. So it goes back
//! uncounted, to be looked at later.

use std::time::Duration;

use crate::error::{Result, StoreError};
use crate::queue::claim::{Claimed, FencingToken};
use crate::queue::settle::{Settlement, Verdict};
use crate::task::TaskId;

/// How much later, more or less: they need not come back as one wave.
const LATER: Duration = Duration::from_secs(60);

/// A batch with only the tasks that can be read, and what becomes of the others.
#[derive(Debug)]
pub(crate) struct Readable<T> {
    pub(crate) tasks: Vec<T>,
    pub(crate) set_aside: Vec<Settlement>,
}

impl<T> Readable<T> {
    pub(crate) fn with_capacity(tasks: usize) -> Self {
        Self { tasks: Vec::with_capacity(tasks), set_aside: Vec::new() }
    }

    /// Adds a task, or sets it aside. Every error that is not its own is everybody's.
    pub(crate) fn push(
        &mut self,
        id: TaskId,
        version: FencingToken,
        task: Result<T>,
    ) -> Result<()> {
        match task {
            Ok(task) => self.tasks.push(task),
            Err(StoreError::Damaged { problem, .. }) => {
                if self.set_aside.is_empty() {
                    tell(id, &problem);
                }
                self.set_aside.push(Settlement { id, version, verdict: later() });
            }
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

impl Claimed {
    /// What becomes of it if something of it cannot be read.
    #[must_use]
    pub fn set_aside(&self, problem: &str) -> Verdict {
        tell(self.id, problem);
        later()
    }
}

fn later() -> Verdict {
    Verdict::Postponed { delay: LATER.mul_f64(0.5 + fastrand::f64()) }
}

/// The first of a batch stands for the others: they probably have the same policy.
fn tell(id: TaskId, problem: &str) {
    tracing::error!(
        target: "steadfast",
        task = %id,
        problem,
        "a task cannot be read, and is put off with others like it: upgrade this instance, or \
         cancel the task"
    );
}
