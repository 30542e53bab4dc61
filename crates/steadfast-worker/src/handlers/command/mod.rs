//! The handler of the kind `command`, which runs programs (D19).
//!
//! A program runs only if its exact name is on the operator's allow list (K2). No shell is involved,
//! so an argument is passed unchanged, whatever is in it.
//!
//! A command ends with its program. Processes that the program leaves running are terminated with it,
//! and so is everything when the command times out or its task is cancelled. The program runs in a
//! tokio task of its own, so that it gets its grace even after the calling future is dropped.
//!
//! An exit code decides nothing by itself: a policy that retries commands says when, with
//! `retry_on: [exit:75]` or `retry_on: [any]`.

mod call;
mod environment;
mod outcome;
mod process_group;
mod run;

use std::future::pending;
use std::process::Stdio;
use std::time::Duration;

use steadfast::__private::nearest;
use steadfast::{Fault, Kind};
use tokio::process::Command;
use tokio::sync::oneshot;

pub use call::CommandCall;
pub use outcome::CommandOutput;
use process_group::ProcessGroup;
use run::Run;

use super::{HandlerError, payload};

/// The programs that a worker may run for tasks; none by default.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), steadfast_worker::handlers::HandlerError> {
/// use steadfast_worker::handlers::{CommandCall, Commands};
///
/// let commands = Commands::new(["echo"]);
/// let call = CommandCall::parse(r#"{"program": "echo", "args": ["$HOME;", "ls"]}"#)?;
/// let output = commands.call(call, None, None).await?;
/// assert_eq!(output.stdout, "$HOME; ls\n");
///
/// let call = CommandCall::parse(r#"{"program": "rm"}"#)?;
/// assert!(commands.call(call, None, None).await.is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Commands {
    allowed: Vec<String>,
    limits: CommandLimits,
}

/// The limits of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CommandLimits {
    /// The timeout of a command that sets none; 10 minutes by default.
    pub timeout: Duration,
    /// The longest timeout that a command may set; a day by default.
    pub max_timeout: Duration,
    /// How long a terminated command has before it is killed; 5 seconds by default.
    pub grace: Duration,
    /// How many bytes of each output are stored, from the end; 64 KiB by default.
    pub max_output_bytes: usize,
}

impl Default for CommandLimits {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(10 * 60),
            max_timeout: Duration::from_secs(24 * 60 * 60),
            grace: Duration::from_secs(5),
            max_output_bytes: 64 * 1024,
        }
    }
}

impl Commands {
    /// Allows these programs and no others. A bare name is searched on the worker's `PATH`; a task must
    /// name the program exactly as it is named here.
    #[must_use]
    pub fn new(programs: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let allowed = programs.into_iter().map(Into::into).collect();
        Self { allowed, limits: CommandLimits::default() }
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: CommandLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Runs a program, with the task's key and the attempt's number in `STEADFAST_KEY` and
    /// `STEADFAST_ATTEMPT`. Dropping the future terminates the program and all its children.
    ///
    /// # Errors
    /// The program is not allowed, was not found, failed or timed out.
    pub async fn call(
        &self,
        call: CommandCall,
        key: Option<&str>,
        attempt: Option<u32>,
    ) -> Result<CommandOutput, HandlerError> {
        self.call_until(pending(), call, key, attempt).await
    }

    /// The same until it is cancelled. It returns once the program and all its children have ended, so
    /// that a retry does not run beside them.
    pub(in super::super) async fn call_until(
        &self,
        cancelled: impl Future<Output = ()>,
        call: CommandCall,
        key: Option<&str>,
        attempt: Option<u32>,
    ) -> Result<CommandOutput, HandlerError> {
        call.check()?;
        self.check_allowed(&call.program)?;
        let time = payload::time_limit(call.timeout, self.limits.timeout, self.limits.max_timeout)?;
        let mut command = command(&call);
        environment::set(&mut command, &call, key, attempt);
        let group = ProcessGroup::spawn(&mut command)
            .map_err(|error| outcome::spawn_error(&call.program, &error))?;

        let (caller, caller_gone) = oneshot::channel();
        let limits = self.limits.clone();
        let run = Run { group, input: call.input(), time, caller_gone, limits };
        let mut run = tokio::spawn(run.complete());
        let ended = tokio::select! {
            ended = &mut run => ended,
            () = cancelled => {
                drop(caller);
                run.await
            }
        };
        let Ok(ended) = ended else {
            let fault = Fault::of(Kind::Interrupted).with_unknown_outcome();
            let message = format!("`{}` was terminated because the worker stopped", call.program);
            return Err(HandlerError::new(fault, message));
        };
        ended.into_output(&call.program, &call.secrets())
    }

    /// How long a program and all its children may take to end.
    pub(in super::super) fn shutdown_time(&self) -> Duration {
        self.limits.grace + run::PIPE_DRAIN_TIMEOUT + Duration::from_secs(1)
    }

    fn check_allowed(&self, program: &str) -> Result<(), HandlerError> {
        if self.allowed.iter().any(|allowed| allowed == program) {
            return Ok(());
        }
        let meant = match nearest(program, self.allowed.iter().map(String::as_str)) {
            Some(name) => format!("did you mean `{name}`? To allow this one, "),
            None => "to allow it, ".to_owned(),
        };
        Err(HandlerError::rejected(format!(
            "program `{program}` is not allowed on this worker; {meant}start the worker with \
             --allow-command {program}"
        )))
    }
}

fn command(call: &CommandCall) -> Command {
    let mut command = Command::new(&call.program);
    let stdin = if call.stdin.is_none() { Stdio::null() } else { Stdio::piped() };
    command.args(&call.args).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}
