//! `steadfast run`: a command with retries.
//!
//! The command's stdin, stdout and stderr are its own, so it can be prefixed to any command in a
//! script. Messages of this program go to stderr between attempts.
//!
//! | file | holds |
//! |---|---|
//! | `session.rs` | the retry loop, its delays and the signals that end it |
//! | `program.rs`, `process_group.rs`, `foreground.rs` | an attempt, its processes, its terminal |
//! | `input.rs`, `output_filter.rs`, `pattern.rs` | stdin replay and output patterns |
//! | `attempt_status.rs`, `classification.rs` | exit status, fault and class |
//! | `retry_notice.rs`, `countdown.rs`, `report.rs`, `start_error.rs` | messages and the report |
//! | `handover.rs` | hand-over to a store |
//! | `signals.rs`, `run_result.rs` | signals and the exit of this program |

mod attempt_status;
mod classification;
mod countdown;
mod foreground;
mod handover;
mod input;
mod output_filter;
mod pattern;
mod process_group;
mod program;
mod report;
mod retry_notice;
mod run_result;
mod session;
mod signals;
mod start_error;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use steadfast::Policy;
use steadfast::duration;
use steadfast::observe::Memory;

use crate::commands::prelude::*;
use crate::policy_flags::{self, PolicyFlags};
use attempt_status::AttemptStatus;
use foreground::Foreground;
use handover::HandOver;
use input::Input;
use pattern::Patterns;
use process_group::Membership;
use program::{Program, State};
use report::Report;
use retry_notice::RetryNotice;
use run_result::RunResult;

const EXAMPLES: &[Example] = &[
    ("steadfast run -- curl -fsS https://example.com", "three attempts with backoff"),
    (
        "steadfast run --max-attempts 10 --max-duration 5m -- make deploy",
        "for at most five minutes",
    ),
    ("steadfast run --retry-on exit:75,exit:69 -- sendmail -q", "only for these exit codes"),
    ("steadfast run --retry-on-output timed.out -- ./sync", "only if the output matches"),
    (
        "steadfast run --attempt-timeout 30s --report run.json -- ./backup",
        "with a timeout and a report",
    ),
    ("steadfast run --durable -- ./notify", "then continue as a durable task"),
    ("steadfast run -- sh -c './build && ./deploy'", "through a shell"),
];

const VARIABLES: Section = (
    "Environment of the command",
    &[
        ("STEADFAST_ATTEMPT", "attempt number, from 1"),
        ("STEADFAST_KEY", "idempotency key, the same for all attempts"),
    ],
);

const CODES: Section = (
    "Exit codes",
    &[
        ("124", "the last attempt exceeded --attempt-timeout"),
        ("126, 127", "the command is not executable (126) or not found (127)"),
        ("128 + N", "ended by signal N"),
        ("2, 78", "invalid usage (2) or configuration (78)"),
        ("any other", "exit code of the command, from the last attempt"),
    ],
);

/// Run a command and retry it when it fails.
///
/// Retries every failure, unless --retry-on or --retry-on-output select which ones, or --abort-on
/// excludes some. Input and output of the command are passed through. Exits with the exit code of
/// the last attempt.
#[derive(Debug, Args)]
#[command(
    after_help = after_help(EXAMPLES, &[CODES]),
    after_long_help = after_help(EXAMPLES, &[VARIABLES, CODES, policy_flags::VALUES])
)]
pub(crate) struct Run {
    /// Command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,

    /// Retry failures with an output line that matches; may be repeated
    #[arg(long = "retry-on-output", value_name = "REGEX", value_parser = pattern)]
    patterns: Vec<String>,

    /// Read all of stdin before the first attempt, and pass it to every attempt
    #[arg(long = "replay-stdin", alias = "stdin-again")]
    stdin_again: bool,

    /// Grace period between SIGTERM and SIGKILL for an attempt that timed out
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = duration::parse)]
    kill_after: Duration,

    /// Write a JSON report to this file; - is stdout
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Print no messages about retries
    #[arg(short, long)]
    quiet: bool,

    /// If all attempts fail, submit the command to the store as a durable task. The task uses the
    /// policy in the `durable` field of this policy, or else the preset `patient`
    #[arg(long)]
    durable: bool,

    #[command(flatten)]
    target: Target,

    #[command(flatten)]
    policy: PolicyFlags,
}

fn pattern(text: &str) -> Result<String, String> {
    let text = text.to_owned();
    Patterns::of(std::slice::from_ref(&text)).map_err(|why| why.to_string())?;
    Ok(text)
}

impl Run {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let policy = self.policy.policy(common.config.as_deref())?;
        let patterns = Patterns::of(&self.patterns).map_err(unusable("the patterns"))?;
        let report = self.report.as_deref().map(Report::at).transpose()?;
        let program = self.program(&policy, patterns.as_ref())?;
        let memory = Memory::default();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(unusable("the async runtime"))?;
        let ended = runtime.block_on(self.run_attempts(&program, &policy, &memory))?;
        // Do not wait for threads that wait for a process.
        runtime.shutdown_background();
        // The command's exit code takes precedence over a report error.
        if let Some(Err(problem)) = report.map(|report| report.write(&memory, patterns.is_some())) {
            problem.report();
        }
        Ok(ended.exit())
    }

    async fn run_attempts(
        &self,
        program: &Program<'_>,
        policy: &Policy,
        memory: &Memory,
    ) -> Result<RunResult, CliError> {
        let hand_over = match self.durable {
            true => Some(HandOver::prepared(&self.target, policy, &self.command).await?),
            false => None,
        };
        let notice = RetryNotice::new(program, policy, self.quiet);
        let (ended, gave_up) =
            session::run(program, policy, &notice, memory).await.map_err(unusable("signals"))?;
        if let Some(AttemptStatus::NotStarted(why)) = ended.status {
            start_error::to_cli_error(&self.command, why).report();
        }
        if let (Some(hand_over), Some(gave_up)) = (hand_over, gave_up) {
            notice.handed_over(hand_over.submit(&gave_up, program.key()).await);
        }
        Ok(ended)
    }

    fn program<'c>(
        &'c self,
        policy: &Policy,
        patterns: Option<&'c Patterns>,
    ) -> Result<Program<'c>, CliError> {
        let shares_group = policy.attempt_timeout().is_none() && foreground::is_in_use();
        let input = if self.stdin_again { Input::replayable() } else { Ok(Input::Own) };
        Ok(Program {
            command: &self.command,
            input: input.map_err(unusable("stdin"))?,
            patterns,
            membership: if shares_group { Membership::Shared } else { Membership::Own },
            foreground: Foreground::of_terminal().map(Arc::new),
            grace: self.kill_after,
            state: State::default(),
        })
    }
}

fn unusable<E: std::fmt::Display>(what: &str) -> impl FnOnce(E) -> CliError {
    move |why| CliError::failed(format!("cannot use {what}, nothing was run: {why}"))
}
