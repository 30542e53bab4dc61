//! A process that does not outlive us.
//!
//! A test that is killed runs no destructor, and a server that stays behind holds its
//! memory, its port and its directory. Linux can signal a child when its parent dies,
//! but means the *thread* that started it, which in a test ends long before the process
//! does, and asking for it takes unsafe code.
//!
//! So each process has a watchdog: a few lines of shell that hold the other end of a
//! pipe. When we end, in any way whatever, the pipe closes, and the watchdog ends the
//! process and removes its directory. Dropping a [`Guarded`] closes the pipe as well:
//! there is one way of cleaning up, and it is in use all the time.

use std::fmt::Display;
use std::io::{self, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};

use rustix::process::Pid;

use crate::Error;
use crate::home::Home;

const WATCHDOG: &str = include_str!("watchdog.sh");

/// A process, ended when dropped or when we are gone, and its directory with it.
pub(crate) struct Guarded {
    process: Child,
    watchdog: Child,
}

impl Guarded {
    /// Starts `command` in `home`; what it says goes to the log there.
    pub(crate) fn spawn(home: &Home, command: &mut Command) -> Result<Self, Error> {
        let log = home.log()?;
        let errors = home.log()?;
        command.stdin(Stdio::null()).stdout(log).stderr(errors);
        let failed = |what: &str, error| Error::new(format!("{what}: {error}"), home.advice());
        let mut watchdog = watchdog(home).map_err(|error| failed("`sh` did not start", error))?;
        match command.spawn().and_then(|process| introduce(process, &watchdog)) {
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

    /// Whom to signal. Nobody, once it was seen to have ended: its id can be another's.
    pub(crate) fn running(&self) -> Option<Pid> {
        self.watchdog.stdin.as_ref().map(|_| Pid::from_child(&self.process))
    }

    /// How it ended, if it has. Then there is nothing to watch, and its directory stays.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        let status = self.process.try_wait().ok().flatten()?;
        if let Some(pipe) = self.watchdog.stdin.take() {
            let _ = tell(&pipe, "ended");
        }
        Some(status)
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.ended();
        drop(self.watchdog.stdin.take());
        // In this order: the watchdog waits until the process is gone altogether.
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

/// Tells the watchdog whom to watch.
fn introduce(mut process: Child, watchdog: &Child) -> io::Result<Child> {
    let told = match &watchdog.stdin {
        Some(pipe) => tell(pipe, process.id()),
        None => Err(io::ErrorKind::BrokenPipe.into()),
    };
    if let Err(error) = told {
        process.kill()?;
        process.wait()?;
        return Err(error);
    }
    Ok(process)
}

/// One line in one write, so that half of one is never read.
fn tell(mut pipe: &ChildStdin, line: impl Display) -> io::Result<()> {
    pipe.write_all(format!("{line}\n").as_bytes())
}
