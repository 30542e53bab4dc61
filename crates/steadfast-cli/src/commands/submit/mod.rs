//! `steadfast submit`: task submission, single or from a file (D9).

mod command;
mod content;
mod file;
mod http;
mod payload;
mod single;
mod task_flags;

use clap::Subcommand;

use crate::commands::prelude::*;
use crate::policy_flags;
use command::CommandFlags;
use file::FileFlags;
use http::Http;

const EXAMPLES: &[Example] = &[
    ("steadfast submit http POST https://api.example.com/users --body {}", "an HTTP request"),
    ("steadfast submit command -- backup --full orders", "a command"),
    ("steadfast submit tasks.jsonl", "a file of tasks"),
    ("steadfast submit tasks.jsonl --dry-run", "validate the file"),
    ("steadfast submit tasks.jsonl --resume", "continue an interrupted run"),
    ("steadfast submit - --queue mail --policy patient --skip-bad bad.jsonl", "from stdin"),
];

const LINE: Section = (
    "Line format",
    &[
        ("{\"kind\": \"http\", \"payload\": {\"url\": \"https://api.example.com/\"}}", ""),
        ("optional: id, queue, category, priority, policy, run_at, expires_at,", ""),
        ("idempotency_key, correlation_id, hold_category, first_fault", ""),
        ("first_fault is a failed attempt made before the submission, such as", ""),
        ("{\"http_status\": 503}; it counts as the first attempt", ""),
    ],
);

/// Submit tasks: an HTTP call, a command, or a file of tasks.
///
/// A file has one JSON object per line, or a JSON array, and may be of any size. Flags set
/// defaults for fields that a line omits. Lines are submitted in order; an invalid line stops the
/// submission, with all earlier lines submitted. --resume continues after an invalid line, Ctrl-C,
/// an unreachable store or a crash, without submitting any task twice.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    arg_required_else_help = true,
    after_help = after_help(EXAMPLES, &[]),
    after_long_help = after_help(EXAMPLES, &[LINE, policy_flags::VALUES])
)]
pub(crate) struct Submit {
    #[command(subcommand)]
    one: Option<Kind>,

    #[command(flatten)]
    file: FileFlags,
}

/// A single task.
#[derive(Debug, Subcommand)]
enum Kind {
    Http(Box<Http>),
    Command(Box<CommandFlags>),
}

impl Submit {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        match &self.one {
            Some(Kind::Http(http)) => http.run(common),
            Some(Kind::Command(command)) => command.run(common),
            None => self.file.run(common),
        }
    }
}
