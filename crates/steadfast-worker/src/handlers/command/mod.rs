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

use std::process::Stdio;

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
        call.check()?;
        self.check_allowed(&call.program)?;
        let time = self.limits.time(call.timeout)?;
        let mut command = command(&call);
        environment::give(&mut command, &call, key, attempt);
        let group =
            Group::start(&mut command).map_err(|error| answer::unstarted(&call.program, &error))?;

        let (_wanted, unwanted) = oneshot::channel();
        let limits = self.limits.clone();
        let run = Run { group, input: call.input(), time, unwanted, limits };
        let Ok(ended) = tokio::spawn(run.complete()).await else {
            let fault = Fault::of(Kind::Interrupted).with_unknown_outcome();
            let message = format!("`{}` was ended because the worker stopped", call.program);
            return Err(HandlerFault::new(fault, message));
        };
        ended.answer(&call.program, &call.secrets())
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
