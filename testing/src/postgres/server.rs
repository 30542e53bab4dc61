//! The server's process: its start, shutdown and freezing.

use std::io;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::freeze;
use super::launch::Launch;
use crate::watched_process::WatchedProcess;
use crate::{Error, poll};

/// Far longer than a start or a stop takes on a busy machine.
pub(super) const STATE_CHANGE_TIMEOUT: Duration = Duration::from_secs(60);

/// The mode of a shutdown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shutdown {
    /// Disconnects clients, rolls back transactions, and writes everything to disk.
    Fast,
    /// Like a crash: disconnects all clients at once, and the next start recovers committed data from
    /// the log.
    Immediate,
}

/// A server's process, ended when dropped.
pub(super) struct Server(WatchedProcess);

impl Server {
    /// Starts it and waits until it accepts connections.
    pub(super) fn start(launch: &Launch) -> Result<Self, Error> {
        let mut server = Self(launch.start()?);
        match poll::until(STATE_CHANGE_TIMEOUT, || server.answers(launch))? {
            Some(()) => Ok(server),
            None => Err(launch.failed("PostgreSQL is not ready after a minute")),
        }
    }

    fn answers(&mut self, launch: &Launch) -> Result<Option<()>, Error> {
        match self.0.ended() {
            Some(status) => Err(launch.failed(&format!("PostgreSQL did not start ({status})"))),
            None => Ok(launch.is_ready().then_some(())),
        }
    }

    /// Stops it and waits until it has ended.
    pub(super) fn stop(&mut self, how: Shutdown) -> Result<(), Error> {
        if self.0.ended().is_some() {
            return Ok(());
        }
        let signal = match how {
            Shutdown::Fast => Signal::INT,
            Shutdown::Immediate => Signal::QUIT,
        };
        self.wake();
        self.signal(|server| Ok(kill_process(server, signal)?))?;
        match poll::until(STATE_CHANGE_TIMEOUT, || Ok(self.0.ended()))? {
            Some(_) => Ok(()),
            None => Err(Error::new(
                "PostgreSQL has not stopped after a minute",
                "check what blocks it, such as a long checkpoint or a stalled disk",
            )),
        }
    }

    /// Freezes it and its child processes.
    pub(super) fn pause(&self) -> Result<(), Error> {
        self.signal(freeze::freeze)
    }

    /// Resumes them.
    pub(super) fn resume(&self) -> Result<(), Error> {
        self.signal(freeze::thaw)
    }

    /// Resumes a frozen server, which handles no other signal. A failure means that it is not frozen.
    fn wake(&self) {
        let _ = self.resume();
    }

    fn signal(&self, send: impl FnOnce(Pid) -> io::Result<()>) -> Result<(), Error> {
        let Some(server) = self.0.running() else {
            return Err(Error::new("PostgreSQL is not running", "restart it first"));
        };
        send(server).map_err(|error| {
            Error::new(
                format!("cannot signal PostgreSQL's processes: {error}"),
                "check that it is still running; pausing needs Linux with /proc mounted",
            )
        })
    }

    pub(super) fn id(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.0.ended().is_none() {
            self.wake();
        }
    }
}
