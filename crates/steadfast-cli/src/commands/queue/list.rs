//! `steadfast queue list`: queues and their backlog.

use steadfast_api::QueueInfo;

use crate::commands::prelude::*;
use crate::output::table::StatusColor;
use crate::watch::Watch;

const EXAMPLES: &[Example] = &[
    ("steadfast queue list", "the store in this directory"),
    ("steadfast queue list --watch --every 5s", "refresh every 5 seconds"),
];

/// List queues with their pending and scheduled tasks.
///
/// A queue exists once a task has been submitted to it.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct List {
    #[command(flatten)]
    watch: Watch,

    #[command(flatten)]
    target: Target,
}

impl List {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        self.target.show(&self.watch, common, async |api| Ok(api.queues().await?))
    }
}

impl Printable for Vec<QueueInfo> {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        if self.is_empty() {
            return writeln!(page, "no queues yet: submit a task with `steadfast submit`");
        }
        write_queues(page, self)
    }
}

pub(crate) fn write_queues(page: &mut dyn Write, queues: &[QueueInfo]) -> io::Result<()> {
    let mut table =
        Table::with_columns(&["queue", "pending", "scheduled", "state"], &["pending", "scheduled"]);
    for queue in queues {
        let (state, color) =
            if queue.paused { ("paused", Some(StatusColor::Error)) } else { ("active", None) };
        table.colored_row([
            (queue.name.clone(), None),
            (queue.pending.to_string(), None),
            (queue.scheduled.to_string(), None),
            (state.to_owned(), color),
        ]);
    }
    table.write(page)
}
