//! The processes of an attempt.
//!
//! To end a command alone leaves its children running, with the work half done. So a command gets
//! a process group of its own and is ended with all of it: asked first (`SIGTERM`), made to after
//! a grace time (`SIGKILL`). Only a process that leaves the group on purpose, as a daemon does,
//! stays.
//!
//! On a terminal that has a price: keys, Ctrl-C among them, reach one group alone. So there a
//! command that may take as long as it likes stays in ours, next to whoever else is in the
//! pipeline, as if we were not there.

use std::os::unix::process::CommandExt;
use std::process::{Child, Command};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use tokio::sync::watch;
use tokio::time::{sleep, timeout};

use super::attempt_status::AttemptStatus;
use super::foreground::Foreground;

/// How often it is looked whether the last of a group has exited: nobody tells.
const EXIT_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Which group a command is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Membership {
    /// One of its own.
    Own,
    /// Ours.
    Shared,
}

impl Membership {
    /// Prepares a command for it.
    pub(super) fn choose(self, command: &mut Command) {
        if self == Self::Own {
            command.process_group(0);
        }
    }

    /// Whether the command hears this one without us.
    fn receives(self, signal: Signal) -> bool {
        use Signal::{SIGHUP, SIGINT, SIGQUIT, SIGWINCH};
        self == Self::Shared && matches!(signal, SIGINT | SIGQUIT | SIGHUP | SIGWINCH)
    }
}

/// A command's processes, and how the first of them ended. Clones are the same.
#[derive(Clone, Debug)]
pub(super) struct Group {
    first: Pid,
    membership: Membership,
    ended: watch::Receiver<Option<AttemptStatus>>,
}

impl Group {
    pub(super) fn of(
        child: &Child,
        membership: Membership,
        foreground: Option<Arc<Foreground>>,
    ) -> Self {
        let first = Pid::from_raw(child.id().cast_signed());
        let (tell, ended) = watch::channel(None);
        thread::spawn(move || tell.send(Some(wait(first, membership, foreground.as_deref()))));
        Self { first, membership, ended }
    }

    /// Waits for the first process.
    pub(super) async fn ended(&self) -> AttemptStatus {
        let mut ended = self.ended.clone();
        let ended = ended.wait_for(Option::is_some).await;
        ended.ok().and_then(|ended| *ended).unwrap_or(AttemptStatus::Unknown)
    }

    /// Passes a signal on that we have heard.
    pub(super) fn forward(&self, signal: Signal) {
        if !self.membership.receives(signal) {
            self.signal(signal);
        }
    }

    /// Asks all of it to end, and makes it end if it will not.
    pub(super) async fn finish(&self, grace: Duration) {
        self.signal(Signal::SIGTERM);
        // One that was stopped hears nothing until it goes on.
        self.signal(Signal::SIGCONT);
        if timeout(grace, self.exited()).await.is_err() {
            self.signal(Signal::SIGKILL);
        }
        self.ended().await;
    }

    /// An error says that nobody is left.
    fn signal(&self, signal: Signal) {
        let _ = match self.membership {
            Membership::Own => killpg(self.first, signal),
            Membership::Shared => kill(self.first, signal),
        };
    }

    /// Waits for all of it.
    async fn exited(&self) {
        self.ended().await;
        while self.membership == Membership::Own && killpg(self.first, None).is_ok() {
            sleep(EXIT_POLL_INTERVAL).await;
        }
    }
}

/// Blocks until the process has ended.
fn wait(process: Pid, membership: Membership, foreground: Option<&Foreground>) -> AttemptStatus {
    let status = loop {
        match waitpid(process, Some(WaitPidFlag::WUNTRACED)) {
            Ok(WaitStatus::Exited(_, code)) => break AttemptStatus::Exited(code.to_le_bytes()[0]),
            Ok(WaitStatus::Signaled(_, signal, _)) => break AttemptStatus::Signaled(signal),
            Ok(WaitStatus::Stopped(_, signal)) if membership == Membership::Own => {
                if let Some(foreground) = foreground {
                    foreground.stopped(process, signal);
                }
            }
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => break AttemptStatus::Unknown,
        }
    };
    if let Some(foreground) = foreground {
        foreground.ended(process, matches!(status, AttemptStatus::Exited(_)));
    }
    status
}
