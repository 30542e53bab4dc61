//! Where a component lives, and as whom.
//!
//! Each gets a directory that nothing else uses and that goes away with it. Database
//! servers refuse to run as root, and containers run tests as root: there the component
//! is run by nobody, who owns its directory.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::Error;

/// What Linux calls nobody and nogroup.
const NOBODY: u32 = 65534;

/// How much of the log an error shows.
const LINES: usize = 20;

/// The directory of one component, removed when dropped.
pub(crate) struct Home {
    directory: TempDir,
    as_nobody: bool,
}

impl Home {
    /// A new directory for the component of this name.
    pub(crate) fn new(component: &str) -> Result<Self, Error> {
        let place = std::env::temp_dir();
        Self::make(&place, component).map_err(|error| {
            Error::new(
                format!("no directory for {component} in {}: {error}", place.display()),
                "see that it can be written, or set TMPDIR to one that can",
            )
        })
    }

    /// The same in another directory than the system's for such things.
    pub(crate) fn new_in(place: &Path, component: &str) -> Result<Self, Error> {
        Self::make(place, component).map_err(|error| {
            Error::new(
                format!("no directory for {component} in {}: {error}", place.display()),
                "see that it can be written",
            )
        })
    }

    fn make(place: &Path, component: &str) -> io::Result<Self> {
        let name = format!("{component}-");
        let directory = tempfile::Builder::new().prefix(&name).tempdir_in(place)?;
        let as_nobody = rustix::process::geteuid().is_root();
        if as_nobody {
            chown(directory.path(), Some(NOBODY), Some(NOBODY))?;
        }
        Ok(Self { directory, as_nobody })
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// A program to be run here, by whom the directory belongs to.
    ///
    /// It knows nothing of the person's settings, and a Ctrl-C meant for us does not
    /// reach it.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.alone(program.as_ref());
        if self.as_nobody {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    /// A program of the system in the directory `root`, which only root may enter, to be run
    /// by nobody.
    pub(crate) fn command_within(&self, root: &Path, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.alone("chroot".as_ref());
        command.arg(format!("--userspec={NOBODY}:{NOBODY}")).arg(root).arg(program);
        command
    }

    fn alone(&self, program: &OsStr) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path()).process_group(0).env_clear().env("LC_ALL", "C");
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command
    }

    /// The file that programs here write to.
    pub(crate) fn log(&self) -> Result<File, Error> {
        let path = self.log_path();
        File::options().create(true).append(true).open(&path).map_err(|error| {
            Error::new(format!("{}: {error}", path.display()), "see that it can be written")
        })
    }

    /// The end of what they wrote.
    pub(crate) fn last_words(&self) -> String {
        let log = fs::read(self.log_path()).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<_> = log.lines().collect();
        let end = lines.len().saturating_sub(LINES);
        lines.iter().skip(end).map(|line| format!("\n    {line}")).collect()
    }

    /// What to do about a program that does not start here.
    pub(crate) fn advice(&self) -> String {
        if !self.as_nobody {
            return "see that this user may run it".to_owned();
        }
        let place = self.path().display();
        format!(
            "root hands it to the user nobody, who must be able to enter {place}: \
             set TMPDIR to a directory open to all, or run this as another user"
        )
    }

    fn log_path(&self) -> PathBuf {
        self.path().join("log")
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn an_error_shows_the_end_of_the_log() {
        let home = Home::new("steadfast-home").unwrap();
        let mut log = home.log().unwrap();
        (1..=30).for_each(|line| writeln!(log, "line {line}").unwrap());
        let shown = home.last_words();
        assert!(shown.ends_with("\n    line 30"), "{shown}");
        assert!(shown.starts_with("\n    line 11\n"), "{shown}");
    }

    #[test]
    fn what_runs_here_is_not_root_and_can_write_here() {
        let home = Home::new("steadfast-home").unwrap();
        let who = home.command("sh").args(["-c", "id -u; touch mine"]).output().unwrap();
        assert_ne!(String::from_utf8_lossy(&who.stdout).trim(), "0");
        assert!(home.path().join("mine").exists());
    }
}
