//! `steadfast tasks run-now`: makes scheduled tasks due (D10).

use steadfast_store::TaskId;

use super::{batch, id};
use crate::commands::prelude::*;

const EXAMPLES: &[Example] =
    &[("steadfast tasks run-now 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b", "skip the remaining delay")];

/// Make scheduled tasks due now.
///
/// Ends the current delay of a task. Attempts already used stay used, and its policy continues as
/// before.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct RunNow {
    /// Task ids
    #[arg(value_name = "ID", required = true, value_parser = id::parse)]
    ids: Vec<TaskId>,

    #[command(flatten)]
    target: Target,
}

impl RunNow {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        target::block_on(async {
            let api = self.target.open().await?;
            batch::apply(&self.ids, "due now:", common, async |id| api.run_now(id).await).await
        })
    }
}
