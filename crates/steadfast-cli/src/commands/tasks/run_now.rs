//! `steadfast tasks run-now`: makes scheduled tasks due (D10).

use steadfast_api::TaskView;

use super::batch::TaskIds;
use crate::commands::prelude::*;

const EXAMPLES: &[Example] =
    &[("steadfast tasks run-now 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b", "skip the remaining delay")];

/// Make scheduled tasks due now.
///
/// Ends the current delay of a task. The attempt count and the policy do not change.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct RunNow {
    #[command(flatten)]
    tasks: TaskIds,
}

impl RunNow {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let done = |task: &TaskView| format!("due now: {}", task.id);
        self.tasks.apply(done, common, async |api, id| api.run_now(id).await)
    }
}
