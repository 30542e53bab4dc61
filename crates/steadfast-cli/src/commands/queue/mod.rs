//! `steadfast queue`: queues (D10).

mod control;
pub(crate) mod list;

use crate::commands::prelude::*;

const EXAMPLES: &[Example] = &[
    ("steadfast queue list", "queues and their backlog"),
    ("steadfast queue pause mail", "while the mail server is down"),
    ("steadfast queue resume mail", "claim its tasks again"),
];

command_group! {
    /// List, pause and resume queues.
    ///
    /// Workers claim no tasks from a paused queue. Running tasks finish, and tasks can still be
    /// submitted.
    #[command(after_help = after_help(EXAMPLES, &[]))]
    QueueCommand {
        List(list::List),
        Pause(control::Pause),
        Resume(control::Resume),
    }
}
