//! `steadfast submit command`: a task that runs a program.

use std::time::Duration;

use steadfast::duration;
use steadfast_worker::handlers::CommandCall;

use super::content::{self, Content};
use super::single::SingleTask;
use crate::commands::prelude::*;
use crate::policy_flags;

const EXAMPLES: &[Example] = &[
    ("steadfast submit command -- backup --full orders", "run as soon as possible"),
    ("steadfast submit command --in 2h --timeout 10m -- backup", "delayed, with a timeout"),
    (
        "steadfast submit command --stdin @list.txt --env REGION=eu -- import",
        "with stdin and environment",
    ),
    ("steadfast submit command --preset patient --dry-run -- backup", "preview the attempts"),
];

/// Submit a task that runs a program.
///
/// A worker that allows the program runs it without a shell, and retries failures under the
/// policy; exit codes match rules such as exit:75. The environment has the idempotency key in
/// STEADFAST_KEY and the attempt number in STEADFAST_ATTEMPT.
#[derive(Debug, Args)]
#[command(
    after_help = after_help(EXAMPLES, &[]),
    after_long_help = after_help(EXAMPLES, &[policy_flags::VALUES])
)]
pub(super) struct CommandFlags {
    /// Program and its arguments, after --
    #[arg(last = true, required = true, value_name = "PROGRAM")]
    words: Vec<String>,

    /// Environment variable; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    env: Vec<(String, String)>,

    /// Stdin of the program; @FILE reads a file, @- this command's stdin
    #[arg(long, value_name = "TEXT")]
    stdin: Option<String>,

    /// Timeout of one attempt [default: the worker's]
    #[arg(long, value_name = "DURATION", value_parser = duration::parse)]
    timeout: Option<Duration>,

    #[command(flatten)]
    one: SingleTask,
}

impl CommandFlags {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        self.one.run("command", &self.call()?, common)
    }

    fn call(&self) -> Result<CommandCall, CliError> {
        let mut words = self.words.iter().cloned();
        let mut call = CommandCall::default();
        call.program = words.next().unwrap_or_default();
        call.args = words.collect();
        call.env = self.env.iter().cloned().collect();
        call.stdin =
            content::of(self.stdin.as_deref(), None)?.map(Content::into_text).transpose()?;
        call.timeout = self.timeout;
        Ok(call)
    }
}

fn variable(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("must be like REGION=eu")?;
    Ok((name.to_owned(), value.to_owned()))
}
