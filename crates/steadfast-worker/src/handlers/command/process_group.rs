//! The process group of a program and its children.
//!
//! Killing a program alone would leave its children running, with the work half done and the pipes
//! open. So a program gets a process group of its own, and the group is terminated as one: `SIGTERM`
//! first, `SIGKILL` after the grace. Only a process that leaves the group on purpose, as a daemon
//! does, survives.

use std::io;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// A running program with all its children, which do not outlive this value.
pub(super) struct ProcessGroup {
    /// The program itself, with the pipes to it.
    pub(super) child: Child,
    /// The group has the id of its first process.
    id: Option<Pid>,
    ended: bool,
}

impl ProcessGroup {
    pub(super) fn spawn(command: &mut Command) -> io::Result<Self> {
        let child = command.process_group(0).spawn()?;
        let id = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        Ok(Self { child, id, ended: false })
    }

    /// Terminates what still runs, and kills it after the grace.
    pub(super) async fn terminate(&mut self, grace: Duration) {
        if !grace.is_zero() {
            self.signal(Signal::TERM);
            // Whether it ended in time or not, the next step is the same.
            let _ = timeout(grace, self.child.wait()).await;
        }
        // Also after a program that ended by itself: its id stays that of the group as long as the
        // group has members.
        self.signal(Signal::KILL);
        // An error means that the child has been awaited already.
        let _ = self.child.wait().await;
        self.ended = true;
    }

    fn signal(&self, signal: Signal) {
        if let Some(id) = self.id {
            // An error means that the group is empty.
            let _ = kill_process_group(id, signal);
        }
    }
}

/// Without a runtime there is no grace.
impl Drop for ProcessGroup {
    fn drop(&mut self) {
        if !self.ended {
            self.signal(Signal::KILL);
        }
    }
}
