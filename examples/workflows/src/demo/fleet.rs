//! The processes: the order service and the instances. All are this program.
//!
//! Starting and killing them blocks, and nothing else is done meanwhile.

use std::path::Path;
use std::process::{Command, Stdio};

use steadfast_testing::Error;
use steadfast_testing::process::Process;

use super::ledger::Ledger;
use crate::Problem;

/// The shop, and where it is.
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

    /// Closes it, and answers with what it did.
    pub(super) fn close(self) -> Result<Ledger, Problem> {
        let ledger = self.process.end()?.ok_or("the order service did not report its ledger")?;
        Ok(serde_json::from_str(&ledger)?)
    }
}

/// Some instances.
pub(super) struct Fleet<'f> {
    program: &'f Path,
    database: &'f str,
    alive: Vec<Process>,
    wanted: usize,
    born: usize,
}

impl<'f> Fleet<'f> {
    /// Starts some, and waits until they work.
    pub(super) fn start(
        program: &'f Path,
        database: &'f str,
        wanted: usize,
    ) -> Result<Self, Error> {
        let mut fleet = Self { program, database, alive: Vec::new(), wanted, born: 0 };
        fleet.bring_back()?;
        fleet.alive.iter_mut().try_for_each(|instance| instance.line().map(drop))?;
        Ok(fleet)
    }

    /// Starts as many as were killed.
    pub(super) fn bring_back(&mut self) -> Result<(), Error> {
        while self.alive.len() < self.wanted {
            self.born += 1;
            let name = format!("instance-{}", self.born);
            let told = ["instance", "--store", self.database, "--name", &name];
            self.alive.push(start(self.program, &told)?);
        }
        Ok(())
    }

    /// Kills one of them.
    pub(super) fn kill(&mut self, which: usize) -> Result<(), Error> {
        self.alive.swap_remove(which % self.alive.len().max(1)).kill()
    }

    /// Has all of them end in order.
    pub(super) fn end(self) -> Result<(), Error> {
        self.alive.into_iter().try_for_each(|instance| instance.end().map(drop))
    }
}

fn start(program: &Path, arguments: &[&str]) -> Result<Process, Error> {
    Process::start(Command::new(program).args(arguments).stdout(Stdio::piped()))
}
