//! `steadfast tasks`: tasks of a store.

mod batch;
mod cancel;
mod expire;
mod filter;
mod id;
mod list;
mod requeue;
mod run_now;
mod show;
mod status;

use clap::Subcommand;

use crate::commands::prelude::*;

const EXAMPLES: &[Example] = &[
    ("steadfast tasks list --status failed", "list failed tasks"),
    ("steadfast tasks list --due-within 24h --watch", "watch upcoming tasks"),
    ("steadfast tasks show 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b", "show its attempts"),
    ("steadfast tasks requeue --status failed --rate 50/s --dry-run", "preview a requeue"),
];

/// List, show, cancel and requeue tasks.
///
/// A task is work that is stored and retried by any available worker. These commands show tasks
/// with their attempts, and cancel, requeue, run or expire them.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]), arg_required_else_help = true)]
pub(crate) struct TasksCommand {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    List(list::List),
    Show(show::Show),
    Cancel(cancel::Cancel),
    Requeue(requeue::RequeueCommand),
    RunNow(run_now::RunNow),
    Expire(expire::Expire),
}

impl TasksCommand {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        match &self.command {
            Command::List(list) => list.run(common),
            Command::Show(show) => show.run(common),
            Command::Cancel(cancel) => cancel.run(common),
            Command::Requeue(requeue) => requeue.run(common),
            Command::RunNow(run_now) => run_now.run(common),
            Command::Expire(expire) => expire.run(common),
        }
    }
}
