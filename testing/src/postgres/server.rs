//! The server's process: started until it answers, stopped until it is gone.

use std::io;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::freeze;
use super::launch::Launch;
use crate::guarded::Guarded;
use crate::{Error, patience};

/// Far longer than it takes on a busy machine, so that it means something is wrong.
pub(super) const LIMIT: Duration = Duration::from_secs(60);

/// How a server is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shutdown {
    /// Sessions are cut, transactions rolled back, and everything is written to disk.
    Fast,
    /// As if it had crashed: everyone is cut off at once, and the next start recovers
    /// from the log what had been committed.
    Immediate,
}

/// A server's process, ended when dropped.
pub(super) struct Server(Guarded);

impl Server {
    /// Starts it and waits until it takes connections.
    pub(super) fn start(launch: &Launch) -> Result<Self, Error> {
        let mut server = Self(launch.start()?);
        match patience::until(LIMIT, || server.answers(launch))? {
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

    /// Stops it and waits until it is gone.
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
        match patience::until(LIMIT, || Ok(self.0.ended()))? {
            Some(_) => Ok(()),
            None => Err(Error::new(
                "PostgreSQL has not stopped after a minute",
                "see what keeps it: a long checkpoint, or a disk that does not answer",
            )),
        }
    }

    /// It and everything that it started stand still.
    pub(super) fn pause(&self) -> Result<(), Error> {
        self.signal(freeze::freeze)
    }

    /// They go on.
    pub(super) fn resume(&self) -> Result<(), Error> {
        self.signal(freeze::thaw)
    }

    /// Who stands still heeds no other signal. If this fails, nobody was made to.
    fn wake(&self) {
        let _ = self.resume();
    }

    fn signal(&self, send: impl FnOnce(Pid) -> io::Result<()>) -> Result<(), Error> {
        let Some(server) = self.0.running() else {
            return Err(Error::new("PostgreSQL is not running", "restart it first"));
        };
        send(server).map_err(|error| {
            Error::new(
                format!("PostgreSQL's processes cannot be signalled: {error}"),
                "see that it is still running; to pause it takes Linux with /proc mounted",
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
