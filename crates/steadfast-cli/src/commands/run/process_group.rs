//! The process group of an attempt.
//!
//! Terminating only the command would leave its children running. So it gets its own process
//! group, which is terminated as a whole: with SIGTERM, then with SIGKILL after a grace period.
//! Only processes that leave the group, such as daemons, survive.
//!
//! On a terminal, keys such as Ctrl-C reach only the foreground group. So a command without a
//! timeout stays in this program's group there.

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

/// Interval of checks whether the last process of a group has exited; there is no notification.
const EXIT_POLL_INTERVAL: Duration = Duration::from_millis(10);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Membership {
    Own,
    Shared,
}

impl Membership {
    pub(super) fn choose(self, command: &mut Command) {
        if self == Self::Own {
            command.process_group(0);
        }
    }

    /// Whether the terminal sends this signal to the command directly.
    fn receives(self, signal: Signal) -> bool {
        use Signal::{SIGHUP, SIGINT, SIGQUIT, SIGWINCH};
        self == Self::Shared && matches!(signal, SIGINT | SIGQUIT | SIGHUP | SIGWINCH)
    }
}

/// The processes of a command and the exit status of the first one. Clones share both.
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
        let (sender, ended) = watch::channel(None);
        thread::spawn(move || sender.send(Some(wait(first, membership, foreground.as_deref()))));
        Self { first, membership, ended }
    }

    pub(super) async fn ended(&self) -> AttemptStatus {
        let mut ended = self.ended.clone();
        let ended = ended.wait_for(Option::is_some).await;
        ended.ok().and_then(|ended| *ended).unwrap_or(AttemptStatus::Unknown)
    }

    /// Forwards a signal received by this program.
    pub(super) fn forward(&self, signal: Signal) {
        if !self.membership.receives(signal) {
            self.signal(signal);
        }
    }

    /// Terminates the group, and kills it after the grace period.
    pub(super) async fn finish(&self, grace: Duration) {
        self.signal(Signal::SIGTERM);
        // A stopped process handles signals only after SIGCONT.
        self.signal(Signal::SIGCONT);
        if timeout(grace, self.exited()).await.is_err() {
            self.signal(Signal::SIGKILL);
        }
        self.ended().await;
    }

    /// Sends a signal. An error means that no process is left.
    fn signal(&self, signal: Signal) {
        let _ = match self.membership {
            Membership::Own => killpg(self.first, signal),
            Membership::Shared => kill(self.first, signal),
        };
    }

    async fn exited(&self) {
        self.ended().await;
        while self.membership == Membership::Own && killpg(self.first, None).is_ok() {
            sleep(EXIT_POLL_INTERVAL).await;
        }
    }
}

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
