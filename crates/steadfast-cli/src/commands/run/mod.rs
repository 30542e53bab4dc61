//! `steadfast run`: a command, tried again here and now.
//!
//! The command's own input and output are its own: nothing is read from them or written to them,
//! so it can be put before any command in any script. What this program has to say it says on
//! stderr, between the attempts.
//!
//! | file | holds |
//! |---|---|
//! | `session.rs` | the retrying, and the signals that end it |
//! | `program.rs`, `group.rs`, `foreground.rs` | an attempt, its processes, its terminal |
//! | `input.rs`, `output.rs`, `pattern.rs` | what it reads and writes, if that is asked about |
//! | `status.rs`, `failed.rs`, `verdict.rs` | how it ended, as facts, and what that means |
//! | `between.rs` | the time until the next attempt |
//! | `notice.rs`, `countdown.rs`, `report.rs`, `unstarted.rs` | what people and machines are told |
//! | `handover.rs` | what goes on in a store |
//! | `signals.rs`, `parting.rs` | what ends this program, and how it ends |

mod attempt_status;
mod classification;
mod countdown;
mod failure;
mod foreground;
mod handover;
mod input;
mod output_filter;
mod pattern;
mod process_group;
mod program;
mod report;
mod retry_delay;
mod retry_notice;
mod run_result;
mod session;
mod signals;
mod start_error;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use steadfast::Policy;
use steadfast::observe::Memory;

use crate::cli::Common;
use crate::error::CliError;
use crate::exit::Exit;
use crate::help::{Example, Section, after_help};
use crate::policy_flags::{self, PolicyFlags};
use crate::target::Target;
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
    ("steadfast run -- curl -fsS https://example.com", "three attempts, a second apart and more"),
    (
        "steadfast run --max-attempts 10 --max-duration 5m -- make deploy",
        "for five minutes at most",
    ),
    ("steadfast run --retry-on exit:75,exit:69 -- sendmail -q", "only what these exit codes say"),
    ("steadfast run --retry-on-output timed.out -- ./sync", "only what it complains of"),
    ("steadfast run --attempt-timeout 30s --report run.json -- ./backup", "with a report"),
    ("steadfast run --durable -- ./notify", "and for days, by a worker, if that is not enough"),
    ("steadfast run -- sh -c ./build&&./deploy", "what only a shell understands"),
];

const VARIABLES: Section = (
    "The command's environment",
    &[
        ("STEADFAST_ATTEMPT", "the number of the attempt, from 1"),
        ("STEADFAST_KEY", "the same for all attempts, to be sent as an idempotency key"),
    ],
);

const CODES: Section = (
    "Exit codes",
    &[
        ("the command's own", "of its last attempt"),
        ("124", "its last attempt took longer than --attempt-timeout"),
        ("126, 127", "it cannot be run, it is not there"),
        ("128 + N", "signal N ended it, or the wait for its next attempt"),
        ("2, 78", "wrong usage, wrong configuration"),
    ],
);

/// Run a command, and again if it fails.
///
/// Every failure is tried again unless rules say which: --retry-on and --retry-on-output name
/// those that are worth it, --abort-on those that are not. The command's input and output stay
/// its own. It ends with the command's own exit code.
#[derive(Debug, Args)]
#[command(
    after_help = after_help(EXAMPLES, &[CODES]),
    after_long_help = after_help(EXAMPLES, &[VARIABLES, CODES, policy_flags::VALUES])
)]
pub(crate) struct Run {
    /// The command and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,

    /// A failure is worth another try if a line of its output matches; may be repeated
    #[arg(long = "retry-on-output", value_name = "REGEX", value_parser = pattern)]
    patterns: Vec<String>,

    /// Let every attempt read the same: stdin is read to its end before the first one
    #[arg(long)]
    stdin_again: bool,

    /// How long a command that took too long has to end before it is killed
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = duration)]
    kill_after: Duration,

    /// Write what happened to this file, as JSON; - is stdout
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// Say nothing between attempts and when they are used up
    #[arg(short, long)]
    quiet: bool,

    /// When attempts are used up, go on in the store: as a task of kind `command`, under the
    /// policy's `durable` stage or the preset `patient`
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

fn duration(text: &str) -> Result<Duration, String> {
    steadfast::duration::parse(text).map_err(|why| why.to_string())
}

impl Run {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let policy = self.policy.policy(common.config.as_deref())?;
        let patterns = Patterns::of(&self.patterns).map_err(failed("the patterns"))?;
        let report = self.report.as_deref().map(Report::at).transpose()?;
        let program = self.program(&policy, patterns.as_ref())?;
        let memory = Memory::default();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(failed("the runtime"))?;
        let ended = runtime.block_on(self.run_attempts(&program, &policy, &memory))?;
        // A thread that still waits for a process which will not end is no reason to stay.
        runtime.shutdown_background();
        // The command's exit code is worth more than the report's.
        if let Some(Err(problem)) = report.map(|report| report.write(&memory)) {
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
            session::run(program, policy, &notice, memory).await.map_err(failed("signals"))?;
        if let Some(AttemptStatus::NotStarted(why)) = ended.status {
            start_error::to_cli_error(&self.command, why).report();
        }
        if let (Some(hand_over), Some(gave_up)) = (hand_over, gave_up) {
            notice.handed_over(hand_over.take(&gave_up, program.key()).await);
        }
        Ok(ended)
    }

    fn program<'c>(
        &'c self,
        policy: &Policy,
        patterns: Option<&'c Patterns>,
    ) -> Result<Program<'c>, CliError> {
        let stays = policy.attempt_timeout().is_none() && foreground::is_in_use();
        let input = if self.stdin_again { Input::again() } else { Ok(Input::Own) };
        Ok(Program {
            command: &self.command,
            input: input.map_err(failed("stdin"))?,
            patterns,
            membership: if stays { Membership::Shared } else { Membership::Own },
            foreground: Foreground::of_terminal().map(Arc::new),
            grace: self.kill_after,
            state: State::default(),
        })
    }
}

fn failed<E: std::fmt::Display>(what: &str) -> impl FnOnce(E) -> CliError {
    move |why| CliError::failed(format!("{what} cannot be used, and nothing was run: {why}"))
}
