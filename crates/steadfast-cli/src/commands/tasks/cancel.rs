//! `steadfast tasks cancel`: calls tasks off (D10).

use clap::Args;
use steadfast_store::TaskId;

use super::{batch, id};
use crate::cli::Common;
use crate::error::CliError;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::target::{self, Target};

const EXAMPLES: &[Example] =
    &[("steadfast tasks cancel 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b", "not to be done any more")];

/// Call tasks off, running or not.
///
/// A worker that has the task is told to stop, and its last word is refused. A task that was
/// called off can be brought back with `steadfast tasks requeue`.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct Cancel {
    /// Which tasks
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
