//! `steadfast tasks cancel`: cancellation (D10).

use super::batch::TaskIds;
use crate::commands::prelude::*;

const EXAMPLES: &[Example] =
    &[("steadfast tasks cancel 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b", "cancel one task")];

/// Cancel tasks, running or not.
///
/// The worker that runs a task is notified, and its result is rejected. Bring cancelled tasks back
/// with `steadfast tasks requeue`.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct Cancel {
    #[command(flatten)]
    tasks: TaskIds,
}

impl Cancel {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        self.tasks.apply("cancelled", common, async |api, id| api.cancel(id).await)
    }
}
