//! The worker processes of a round.

use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};
use steadfast_testing::process::Process;

use crate::Problem;

/// Worker processes, each with its own journal. Dropping the fleet kills them.
pub(crate) struct Fleet {
    store: String,
    home: PathBuf,
    children: Vec<Process>,
    started: usize,
}

impl Fleet {
    pub(crate) fn new(store: String, home: &Path) -> Self {
        Self { store, home: home.to_owned(), children: Vec::new(), started: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.children.len()
    }

    /// Starts a worker. `skew` is the offset of its clock, in `faketime`'s syntax.
    pub(crate) fn start(&mut self, skew: Option<&str>) -> Result<(), Problem> {
        self.started += 1;
        let name = format!("w{}", self.started);
        let journal = self.home.join(format!("{name}.journal"));
        // Exists even if the process is killed before it opens it.
        std::fs::File::create(&journal)?;
        let mut command = Command::new(std::env::current_exe()?);
        if let Some(skew) = skew {
            // Leases and timers use the monotonic clock, which cannot be set.
            command
                .env("LD_PRELOAD", library()?)
                .env("FAKETIME", skew)
                .env("FAKETIME_DONT_FAKE_MONOTONIC", "1");
        }
        let log = std::fs::File::create(self.home.join(format!("{name}.log")))?;
        command
            .args(["worker", "--store", &self.store, "--name", &name, "--journal"])
            .arg(&journal)
            .stdout(log.try_clone()?)
            .stderr(log);
        self.children.push(Process::start(&mut command)?);
        Ok(())
    }

    /// Kills and removes a worker.
    pub(crate) fn kill(&mut self, index: usize) -> Result<(), Problem> {
        Ok(self.children.swap_remove(index).kill()?)
    }

    /// Sends a signal to a worker.
    pub(crate) fn signal(&self, index: usize, signal: Signal) {
        let Some(child) = self.children.get(index) else {
            return;
        };
        if let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            // A worker that has ended needs no signal.
            let _ = kill_process(pid, signal);
        }
    }

    /// Removes the workers that have ended by themselves. Returns their number.
    pub(crate) fn remove_ended(&mut self) -> usize {
        let before = self.children.len();
        self.children.retain_mut(Process::is_running);
        before - self.children.len()
    }

    pub(crate) fn journals(&self) -> impl Iterator<Item = PathBuf> {
        (1..=self.started).map(|number| self.home.join(format!("w{number}.journal")))
    }
}

/// The library of `faketime`. The program itself would run between this process and the worker, and
/// receive its signals.
fn library() -> Result<PathBuf, Problem> {
    let folders = std::fs::read_dir("/usr/lib")?.flatten().map(|entry| entry.path());
    let mut found = folders.map(|folder| folder.join("faketime/libfaketimeMT.so.1"));
    let found = found.find(|library| library.is_file());
    found.ok_or_else(|| "faketime is not installed: `apt-get install faketime`".into())
}
