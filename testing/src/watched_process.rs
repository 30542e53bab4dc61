//! A child process with a watchdog, which ends it when its parent ends.
//!
//! A killed test runs no destructors, and a server that stays behind holds its memory, its port and its
//! directory. Linux can signal a child when its parent dies, but means the *thread* that started it,
//! which in a test ends long before the process does, and requesting it takes unsafe code.
//!
//! So each process has a watchdog: a short shell script that holds the other end of a pipe. When the
//! parent ends, in any way, the pipe closes, and the watchdog ends the process and removes its
//! directory. Dropping a [`WatchedProcess`] closes the pipe as well, so there is only one way of
//! cleaning up.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};

use rustix::process::Pid;

use crate::Error;
use crate::home::Home;

const WATCHDOG: &str = include_str!("watchdog.sh");

/// A process that ends, with its directory, when dropped or when the parent ends.
pub(crate) struct WatchedProcess {
    process: Child,
    watchdog: Child,
}

impl WatchedProcess {
    /// Starts `command` in `home`; its output goes to the log there.
    pub(crate) fn spawn(home: &Home, command: &mut Command) -> Result<Self, Error> {
        let log = home.log()?;
        let errors = home.log()?;
        command.stdin(Stdio::null()).stdout(log).stderr(errors);
        let failed = |what: &str, error| Error::new(format!("{what}: {error}"), home.advice());
        let mut watchdog = watchdog(home).map_err(|error| failed("`sh` did not start", error))?;
        match command.spawn().and_then(|process| register(process, &watchdog)) {
            Ok(process) => Ok(Self { process, watchdog }),
            Err(error) => {
                let _ = watchdog.wait();
                let program = command.get_program().display();
                Err(failed(&format!("{program} did not start"), error))
            }
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// The process id; `None` after it has ended, since the id may be reused.
    pub(crate) fn running(&self) -> Option<Pid> {
        self.watchdog.stdin.as_ref().map(|_| Pid::from_child(&self.process))
    }

    /// Its exit status, if it has ended. Then the watchdog is released, and the directory stays.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        let status = self.process.try_wait().ok().flatten()?;
        if let Some(pipe) = self.watchdog.stdin.take() {
            let _ = send(&pipe, "ended");
        }
        Some(status)
    }
}

impl Drop for WatchedProcess {
    fn drop(&mut self) {
        self.ended();
        drop(self.watchdog.stdin.take());
        // In this order: the watchdog waits until the process has ended.
        let _ = self.process.wait();
        let _ = self.watchdog.wait();
    }
}

fn watchdog(home: &Home) -> io::Result<Child> {
    home.command("sh")
        .args(["-c", WATCHDOG, "watchdog"])
        .arg(home.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
}

/// Sends the process id to the watchdog.
fn register(mut process: Child, watchdog: &Child) -> io::Result<Child> {
    let sent = match &watchdog.stdin {
        Some(pipe) => send(pipe, process.id()),
        None => Err(io::ErrorKind::BrokenPipe.into()),
    };
    if let Err(error) = sent {
        process.kill()?;
        process.wait()?;
        return Err(error);
    }
    Ok(process)
}

/// Writes a line in one call, so that it is never read in parts.
fn send(mut pipe: &ChildStdin, line: impl Display) -> io::Result<()> {
    pipe.write_all(format!("{line}\n").as_bytes())
}
