//! Runs programs for tasks of kind `command` (D19).
//!
//! Off unless allowed (K2): a program runs only if its name, letter by letter, is on the list of
//! whoever runs the worker. No shell reads anything, so an argument is an argument, whatever is
//! in it.
//!
//! A command is over when its program is. What the program leaves running is ended with it, and
//! so is everything when the command takes too long or its task is cancelled. The program runs in
//! a tokio task of its own, so that it gets its grace time even after the future that wanted it
//! was dropped.
//!
//! An exit code decides nothing by itself: a policy that tries a command again says when, with
//! `retry_on: [exit:75]` or `retry_on: [any]`.

mod answer;
mod call;
mod environment;
mod group;
mod limits;
mod output;
mod run;

use std::future::pending;
use std::process::Stdio;
use std::time::Duration;

use steadfast::{Fault, Kind, nearest};
use tokio::process::Command;
use tokio::sync::oneshot;

pub use answer::CommandAnswer;
pub use call::CommandCall;
use group::Group;
pub use limits::CommandLimits;
use run::Run;

use super::HandlerFault;

/// The programs that a worker runs for tasks. None, by default.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), steadfast_worker::handlers::HandlerFault> {
/// use steadfast_worker::handlers::{CommandCall, Commands};
///
/// let commands = Commands::new(["echo"]);
/// let call = CommandCall::read(r#"{"program": "echo", "args": ["$HOME;", "ls"]}"#)?;
/// let answer = commands.call(call, None, None).await?;
/// assert_eq!(answer.stdout, "$HOME; ls\n");
///
/// let call = CommandCall::read(r#"{"program": "rm"}"#)?;
/// assert!(commands.call(call, None, None).await.is_err());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Commands {
    allowed: Vec<String>,
    limits: CommandLimits,
}

impl Commands {
    /// Runs these programs and no others. A bare name is looked up on the worker's `PATH`; a task
    /// must name the program exactly as it is named here.
    #[must_use]
    pub fn new(programs: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let allowed = programs.into_iter().map(Into::into).collect();
        Self { allowed, limits: CommandLimits::default() }
    }

    /// The same, within these limits.
    #[must_use]
    pub fn limits(mut self, limits: CommandLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Runs a program. It sees the task's key and the number of the attempt as `STEADFAST_KEY`
    /// and `STEADFAST_ATTEMPT`. Dropping the future ends it and all that it started.
    ///
    /// # Errors
    /// The program is not allowed, not there, failed or took too long.
    pub async fn call(
        &self,
        call: CommandCall,
        key: Option<&str>,
        attempt: Option<u32>,
    ) -> Result<CommandAnswer, HandlerFault> {
        self.call_until(pending(), call, key, attempt).await
    }

    /// The same until it is called off. The answer comes when the program and all that it started
    /// have ended, so nobody who waits for it starts the same work beside them.
    pub(in super::super) async fn call_until(
        &self,
        called_off: impl Future<Output = ()>,
        call: CommandCall,
        key: Option<&str>,
        attempt: Option<u32>,
    ) -> Result<CommandAnswer, HandlerFault> {
        call.check()?;
        self.check_allowed(&call.program)?;
        let time = self.limits.time(call.timeout)?;
        let mut command = command(&call);
        environment::give(&mut command, &call, key, attempt);
        let group =
            Group::start(&mut command).map_err(|error| answer::unstarted(&call.program, &error))?;

        let (wanted, unwanted) = oneshot::channel();
        let limits = self.limits.clone();
        let run = Run { group, input: call.input(), time, unwanted, limits };
        let mut run = tokio::spawn(run.complete());
        let ended = tokio::select! {
            ended = &mut run => ended,
            () = called_off => {
                drop(wanted);
                run.await
            }
        };
        let Ok(ended) = ended else {
            let fault = Fault::of(Kind::Interrupted).with_unknown_outcome();
            let message = format!("`{}` was ended because the worker stopped", call.program);
            return Err(HandlerFault::new(fault, message));
        };
        ended.answer(&call.program, &call.secrets())
    }

    /// How long a program and all that it started may take to end.
    pub(in super::super) fn time_to_end(&self) -> Duration {
        self.limits.grace + run::AFTERWARDS + Duration::from_secs(1)
    }

    fn check_allowed(&self, program: &str) -> Result<(), HandlerFault> {
        if self.allowed.iter().any(|allowed| allowed == program) {
            return Ok(());
        }
        let meant = match nearest(program, self.allowed.iter().map(String::as_str)) {
            Some(name) => format!("did you mean `{name}`? To allow it, "),
            None => "to allow it, ".to_owned(),
        };
        Err(HandlerFault::refused(format!(
            "`{program}` is not among the programs that this worker runs; {meant}start the worker \
             with --allow-command {program}"
        )))
    }
}

fn command(call: &CommandCall) -> Command {
    let mut command = Command::new(&call.program);
    let stdin = if call.stdin.is_none() { Stdio::null() } else { Stdio::piped() };
    command.args(&call.args).stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}
