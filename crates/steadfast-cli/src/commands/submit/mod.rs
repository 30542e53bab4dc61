//! `steadfast submit`: puts tasks into a store, one or a file of them (D9).

mod command;
mod content;
mod file;
mod http;
mod payload;
mod single;
mod task_flags;

use clap::{Args, Subcommand};

use crate::cli::Common;
use crate::error::CliError;
use crate::exit::Exit;
use crate::help::{Example, Section, after_help};
use crate::policy_flags;
use command::CommandFlags;
use file::FileFlags;
use http::Http;

const EXAMPLES: &[Example] = &[
    ("steadfast submit http POST https://api.example.com/users --body {}", "call a service"),
    ("steadfast submit command -- backup --full orders", "run a program"),
    ("steadfast submit tasks.jsonl", "every line of a file"),
    ("steadfast submit tasks.jsonl --dry-run", "is every line right?"),
    ("steadfast submit tasks.jsonl --resume", "go on where it stopped"),
    ("steadfast submit - --queue mail --policy patient --skip-bad bad.jsonl", "out of a pipe"),
];

const LINE: Section = (
    "A line",
    &[
        ("{\"kind\": \"http\", \"payload\": {\"url\": \"https://api.example.com/\"}}", ""),
        ("and as wanted id, queue, category, priority, policy, run_at, expires_at,", ""),
        ("idempotency_key, correlation_id, hold_category, first_fault", ""),
    ],
);

/// Put tasks into a store: a call, a command, or a file of them.
///
/// A file has one task on each line, as a JSON object, or is a JSON array of them. It may be of
/// any length. Flags say what a line leaves open. The file is submitted from its first line to
/// its last; a line that is wrong stops it, and everything before that line is in the store. With
/// --resume it goes on from there, whether it was stopped by a wrong line, by Ctrl-C, by a store
/// that went away or by kill -9, and no task is in the store twice.
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

/// What a single task does.
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
