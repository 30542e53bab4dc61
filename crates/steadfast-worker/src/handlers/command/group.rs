//! A program and everything that it starts.
//!
//! To end a program alone leaves its children running, with the work half done and the pipes
//! open. So a program gets a process group of its own, and the group is ended as one: asked first
//! (`SIGTERM`), made to after a grace time (`SIGKILL`). Only a process that leaves the group on
//! purpose, as a daemon does, stays.

use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// A running program with all its children. They do not outlive it.
pub(super) struct Group {
    child: Child,
    /// The group has the number of its first process.
    id: Option<Pid>,
    ended: bool,
}

impl Group {
    pub(super) fn start(command: &mut Command) -> io::Result<Self> {
        let child = command.process_group(0).spawn()?;
        let id = child.id().and_then(|id| Pid::from_raw(id.cast_signed()));
        Ok(Self { child, id, ended: false })
    }

    /// The program's ends of its pipes.
    pub(super) fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Waits until the program itself has ended.
    pub(super) async fn program_ended(&mut self) -> io::Result<ExitStatus> {
        self.child.wait().await
    }

    /// Ends whatever still runs, within the grace time if it will.
    pub(super) async fn end(&mut self, grace: Duration) {
        if !grace.is_zero() {
            self.signal(Signal::TERM);
            // Whether in time or not, what comes next is the same.
            let _ = timeout(grace, self.child.wait()).await;
        }
        // Also after a program that ended by itself: its number stays that of the group for as long
        // as anybody is in it.
        self.signal(Signal::KILL);
        // It cannot refuse; an error says that it has been waited for already.
        let _ = self.child.wait().await;
        self.ended = true;
    }

    fn signal(&self, signal: Signal) {
        if let Some(id) = self.id {
            // An error says that nobody is left.
            let _ = kill_process_group(id, signal);
        }
    }
}

/// The runtime is gone, and with it all patience.
impl Drop for Group {
    fn drop(&mut self) {
        if !self.ended {
            self.signal(Signal::KILL);
        }
    }
}
