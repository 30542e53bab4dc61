//! `steadfast tasks cancel`: cancellation (D10).

use steadfast_store::TaskId;

use super::{batch, id};
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
    /// Task ids
    #[arg(value_name = "ID", required = true, value_parser = id::parse)]
    ids: Vec<TaskId>,

    #[command(flatten)]
    target: Target,
}

impl Cancel {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        target::block_on(async {
            let api = self.target.open().await?;
            batch::apply(&self.ids, "cancelled", common, async |id| api.cancel(id).await).await
        })
    }
}
