//! One run of a program, from its start to the end of all that it started.

use std::io;
use std::pin::pin;
use std::process::ExitStatus;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use super::CommandLimits;
use super::group::Group;
use super::output::Tail;

/// How long is read on after a command is over: only somebody who left its process group can
/// still have the other end of a pipe.
pub(super) const AFTERWARDS: Duration = Duration::from_secs(1);

pub(super) struct Run {
    pub(super) group: Group,
    pub(super) input: Option<Vec<u8>>,
    pub(super) time: Duration,
    /// Told, or dropped, when nobody waits for the end any more.
    pub(super) unwanted: oneshot::Receiver<()>,
    pub(super) limits: CommandLimits,
}

/// What came of a run.
pub(super) struct Ended {
    pub(super) how: How,
    pub(super) stdout: Tail,
    pub(super) stderr: Tail,
}

pub(super) enum How {
    ByItself(io::Result<ExitStatus>),
    TooSlow(Duration),
    Unwanted,
}

impl Run {
    pub(super) async fn complete(self) -> Ended {
        let Self { mut group, input, time, unwanted, limits } = self;
        let mut stdout = Tail::of_at_most(limits.max_output);
        let mut stderr = Tail::of_at_most(limits.max_output);
        let child = group.child();
        let (to, from, complaints) = (child.stdin.take(), child.stdout.take(), child.stderr.take());

        let how = {
            // A broken pipe is the program's own affair: it says by its exit code what it means.
            let talk = async {
                let _ = tokio::join!(feed(to, input), stdout.read(from), stderr.read(complaints));
            };
            let end = async {
                let how = tokio::select! {
                    status = group.program_ended() => How::ByItself(status),
                    () = sleep(time) => How::TooSlow(time),
                    _ = unwanted => How::Unwanted,
                };
                let over = matches!(how, How::ByItself(_));
                group.end(if over { Duration::ZERO } else { limits.grace }).await;
                how
            };
            let (mut talk, mut end) = (pin!(talk), pin!(end));
            tokio::select! {
                how = &mut end => {
                    let _ = timeout(AFTERWARDS, talk).await;
                    how
                }
                () = &mut talk => end.await,
            }
        };
        Ended { how, stdout, stderr }
    }
}

/// Writes what the program is to read, and closes its input.
async fn feed(to: Option<ChildStdin>, input: Option<Vec<u8>>) -> io::Result<()> {
    if let (Some(mut to), Some(input)) = (to, input) {
        to.write_all(&input).await?;
    }
    Ok(())
}
