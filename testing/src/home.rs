//! The directory and the user of a component.
//!
//! Each component gets its own directory, which is removed with it. Database servers refuse to run as
//! root, and containers run tests as root: there the component runs as the user `nobody`, which owns
//! the directory.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::Error;

/// The ids of the user `nobody` and the group `nogroup` on Linux.
const NOBODY: u32 = 65534;

/// How many lines of the log an error shows.
const LOG_TAIL_LINES: usize = 20;

/// The directory of one component, removed when dropped.
pub(crate) struct Home {
    directory: TempDir,
    as_nobody: bool,
}

impl Home {
    /// A new directory for the component of this name.
    pub(crate) fn new(component: &str) -> Result<Self, Error> {
        let parent = std::env::temp_dir();
        Self::create(&parent, component).map_err(|error| {
            Error::new(
                format!(
                    "cannot create a directory for {component} in {}: {error}",
                    parent.display()
                ),
                "make it writable, or set TMPDIR to a writable directory",
            )
        })
    }

    /// The same in a given parent directory.
    pub(crate) fn new_in(parent: &Path, component: &str) -> Result<Self, Error> {
        Self::create(parent, component).map_err(|error| {
            Error::new(
                format!(
                    "cannot create a directory for {component} in {}: {error}",
                    parent.display()
                ),
                "make it writable",
            )
        })
    }

    fn create(parent: &Path, component: &str) -> io::Result<Self> {
        let name = format!("{component}-");
        let directory = tempfile::Builder::new().prefix(&name).tempdir_in(parent)?;
        let as_nobody = rustix::process::geteuid().is_root();
        if as_nobody {
            chown(directory.path(), Some(NOBODY), Some(NOBODY))?;
        }
        Ok(Self { directory, as_nobody })
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    /// A command that runs in the directory as its owner, with an empty environment. Ctrl-C does not
    /// reach it.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.isolated(program.as_ref());
        if self.as_nobody {
            command.uid(NOBODY).gid(NOBODY);
        }
        command
    }

    /// A command in the system at `root`, as the user `nobody`. Only root may use it.
    pub(crate) fn command_within(&self, root: &Path, program: impl AsRef<OsStr>) -> Command {
        let mut command = self.isolated("chroot".as_ref());
        command.arg(format!("--userspec={NOBODY}:{NOBODY}")).arg(root).arg(program);
        command
    }

    fn isolated(&self, program: &OsStr) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.path()).process_group(0).env_clear().env("LC_ALL", "C");
        command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command
    }

    /// The log file of the component.
    pub(crate) fn log(&self) -> Result<File, Error> {
        let path = self.log_path();
        File::options()
            .create(true)
            .append(true)
            .open(&path)
            .map_err(|error| Error::new(format!("{}: {error}", path.display()), "make it writable"))
    }

    /// The last lines of the log.
    pub(crate) fn log_tail(&self) -> String {
        let log = fs::read(self.log_path()).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let lines: Vec<_> = log.lines().collect();
        let end = lines.len().saturating_sub(LOG_TAIL_LINES);
        lines.iter().skip(end).map(|line| format!("\n    {line}")).collect()
    }

    /// The hint for a program that does not start.
    pub(crate) fn advice(&self) -> String {
        if !self.as_nobody {
            return "check that this user may run it".to_owned();
        }
        let path = self.path().display();
        format!(
            "root runs it as the user nobody, which must have access to {path}: set TMPDIR to a \
             directory with access for all users, or run this as another user"
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
    fn error_shows_the_last_lines_of_the_log() {
        let home = Home::new("steadfast-home").unwrap();
        let mut log = home.log().unwrap();
        (1..=30).for_each(|line| writeln!(log, "line {line}").unwrap());
        let shown = home.log_tail();
        assert!(shown.ends_with("\n    line 30"), "{shown}");
        assert!(shown.starts_with("\n    line 11\n"), "{shown}");
    }

    #[test]
    fn component_runs_without_root_and_can_write_its_directory() {
        let home = Home::new("steadfast-home").unwrap();
        let user = home.command("sh").args(["-c", "id -u; touch mine"]).output().unwrap();
        assert_ne!(String::from_utf8_lossy(&user.stdout).trim(), "0");
        assert!(home.path().join("mine").exists());
    }
}
