//! One run of a program, from its start to the end of its process group.

use std::io;
use std::pin::pin;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::CommandLimits;
use super::outcome::Tail;
use super::process_group::ProcessGroup;

/// How long output is read after a command has ended. Only a process that left the group can still
/// hold a pipe open.
pub(super) const PIPE_DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

pub(super) struct Run {
    pub(super) group: ProcessGroup,
    pub(super) input: Option<Vec<u8>>,
    pub(super) time: Duration,
    /// Resolves when the caller no longer waits for the result.
    pub(super) caller_gone: oneshot::Receiver<()>,
    pub(super) limits: CommandLimits,
}

/// A program that has ended, and its output.
pub(super) struct EndedProgram {
    pub(super) end: ProgramEnd,
    pub(super) stdout: Tail,
    pub(super) stderr: Tail,
}

pub(super) enum ProgramEnd {
    Exited(io::Result<ExitStatus>),
    TimedOut(Duration),
    Cancelled,
}

impl Run {
    pub(super) async fn complete(self) -> EndedProgram {
        let Self { mut group, input, time, caller_gone, limits } = self;
        let mut stdout = Tail::with_limit(limits.max_output_bytes);
        let mut stderr = Tail::with_limit(limits.max_output_bytes);
        let child = &mut group.child;
        let (stdin_pipe, stdout_pipe, stderr_pipe) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());

        let end = {
            // A broken pipe is not an error here: the program's exit code says what it means.
            let pipes = async {
                let _ = tokio::join!(
                    write_input(stdin_pipe, input),
                    stdout.read(stdout_pipe),
                    stderr.read(stderr_pipe)
                );
            };
            let wait = async {
                let end = tokio::select! {
                    status = group.child.wait() => ProgramEnd::Exited(status),
                    () = sleep(time) => ProgramEnd::TimedOut(time),
                    _ = caller_gone => ProgramEnd::Cancelled,
                };
                let exited = matches!(end, ProgramEnd::Exited(_));
                group.terminate(if exited { Duration::ZERO } else { limits.grace }).await;
                end
            };
            let (mut pipes, mut wait) = (pin!(pipes), pin!(wait));
            tokio::select! {
                end = &mut wait => {
                    let _ = timeout(PIPE_DRAIN_TIMEOUT, pipes).await;
                    end
                }
                () = &mut pipes => wait.await,
            }
        };
        EndedProgram { end, stdout, stderr }
    }
}

/// Writes the program's input and closes it.
async fn write_input(stdin: Option<ChildStdin>, input: Option<Vec<u8>>) -> io::Result<()> {
    if let (Some(mut stdin), Some(input)) = (stdin, input) {
        stdin.write_all(&input).await?;
    }
    Ok(())
}
