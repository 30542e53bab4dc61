//! `steadfast tasks cancel`: cancellation (D10).

use steadfast_api::TaskView;

use super::batch::TaskIds;
use crate::commands::prelude::*;

const EXAMPLES: &[Example] =
    &[("steadfast tasks cancel 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b", "cancel one task")];

/// Cancel tasks, running or not.
///
/// The worker that runs a task is notified, and its result is rejected. To run cancelled tasks again, use
/// `steadfast tasks requeue`.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct Cancel {
    #[command(flatten)]
    tasks: TaskIds,
}

impl Cancel {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let done = |task: &TaskView| format!("cancelled {}", task.id);
        self.tasks.apply(done, common, async |api, id| api.cancel(id).await)
    }
}
