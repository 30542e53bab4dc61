//! `steadfast tasks`: tasks of a store.

mod batch;
mod cancel;
mod expire;
mod filter;
mod list;
mod requeue;
mod run_now;
mod show;
mod status;

use steadfast_store::TaskId;

use crate::commands::prelude::*;

const EXAMPLES: &[Example] = &[
    ("steadfast tasks list --status failed", "list failed tasks"),
    ("steadfast tasks list --due-within 24h --watch", "watch upcoming tasks"),
    ("steadfast tasks show 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b", "show its attempts"),
    ("steadfast tasks requeue --status failed --rate 50/s --dry-run", "preview a requeue"),
];

command_group! {
    /// List, show, cancel and requeue tasks.
    ///
    /// A task is work that is stored and retried by any available worker. These commands show tasks
    /// with their attempts, and cancel, requeue, run or expire them.
    #[command(after_help = after_help(EXAMPLES, &[]))]
    TasksCommand {
        List(list::List),
        Show(show::Show),
        Cancel(cancel::Cancel),
        Requeue(requeue::RequeueCommand),
        RunNow(run_now::RunNow),
        Expire(expire::Expire),
    }
}

fn task_id(text: &str) -> Result<TaskId, String> {
    text.parse().map_err(|_| {
        "not a task id: expected one like 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b; `steadfast tasks list` \
         shows them"
            .to_owned()
    })
}
