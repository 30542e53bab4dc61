//! The processes: the order service and the instances. All are this program.
//!
//! Starting and killing them blocks the caller.

use std::path::Path;
use std::process::{Command, Stdio};

use steadfast_testing::Error;
use steadfast_testing::process::Process;

use super::ledger::Ledger;
use crate::Problem;

/// The process of the order service, and its URL.
pub(super) struct Shop {
    process: Process,
    pub(super) url: String,
}

impl Shop {
    pub(super) fn open(program: &Path, seed: u64) -> Result<Self, Error> {
        let mut process = start(program, &["shop", "--seed", &seed.to_string()])?;
        let url = process.line()?;
        Ok(Self { process, url })
    }

    /// Ends it, and returns its ledger.
    pub(super) fn close(self) -> Result<Ledger, Problem> {
        let ledger = self.process.end()?.ok_or("the order service did not report its ledger")?;
        Ok(serde_json::from_str(&ledger)?)
    }
}

/// The instances.
pub(super) struct Fleet<'f> {
    program: &'f Path,
    database: &'f str,
    alive: Vec<Process>,
    wanted: usize,
    started: usize,
}

impl<'f> Fleet<'f> {
    /// Starts the instances, and waits until they are ready.
    pub(super) fn start(
        program: &'f Path,
        database: &'f str,
        wanted: usize,
    ) -> Result<Self, Error> {
        let mut fleet = Self { program, database, alive: Vec::new(), wanted, started: 0 };
        fleet.restart_killed()?;
        fleet.alive.iter_mut().try_for_each(|instance| instance.line().map(drop))?;
        Ok(fleet)
    }

    /// Restarts the killed instances.
    pub(super) fn restart_killed(&mut self) -> Result<(), Error> {
        while self.alive.len() < self.wanted {
            self.started += 1;
            let name = format!("instance-{}", self.started);
            let arguments = ["instance", "--store", self.database, "--name", &name];
            self.alive.push(start(self.program, &arguments)?);
        }
        Ok(())
    }

    /// Kills one of them.
    pub(super) fn kill(&mut self, which: usize) -> Result<(), Error> {
        self.alive.swap_remove(which % self.alive.len().max(1)).kill()
    }

    /// Shuts all of them down.
    pub(super) fn end(self) -> Result<(), Error> {
        self.alive.into_iter().try_for_each(|instance| instance.end().map(drop))
    }
}

fn start(program: &Path, arguments: &[&str]) -> Result<Process, Error> {
    Process::start(Command::new(program).args(arguments).stdout(Stdio::piped()))
}
