//! The instances of the service, each a process of its own.

use std::path::Path;

use crate::Problem;
use crate::process::Process;

/// Some instances.
#[derive(Debug)]
pub struct Fleet<'f> {
    program: &'f Path,
    database: &'f str,
    concurrency: String,
    alive: Vec<Process>,
    wanted: usize,
    born: usize,
}

impl<'f> Fleet<'f> {
    /// Starts some, and waits until they work.
    ///
    /// # Errors
    /// One cannot be started.
    pub async fn start(
        program: &'f Path,
        database: &'f str,
        wanted: usize,
        concurrency: u32,
    ) -> Result<Self, Problem> {
        let concurrency = concurrency.to_string();
        let mut fleet = Self { program, database, concurrency, alive: Vec::new(), wanted, born: 0 };
        fleet.bring_back()?;
        for instance in &mut fleet.alive {
            instance.line().await?;
        }
        Ok(fleet)
    }

    /// Starts as many as were killed.
    ///
    /// # Errors
    /// One cannot be started.
    pub fn bring_back(&mut self) -> Result<(), Problem> {
        while self.alive.len() < self.wanted {
            self.born += 1;
            let name = format!("instance-{}", self.born);
            let told = ["instance", "--store", self.database, "--name", &name];
            let told = [&told[..], &["--concurrency", &self.concurrency]].concat();
            self.alive.push(Process::start(self.program, &told)?);
        }
        Ok(())
    }

    /// Kills one of them.
    ///
    /// # Errors
    /// It cannot be killed.
    pub async fn kill(&mut self, which: usize) -> Result<(), Problem> {
        let victim = self.alive.swap_remove(which % self.alive.len().max(1));
        victim.kill().await
    }

    /// Has all of them end in order.
    ///
    /// # Errors
    /// One did not end well.
    pub async fn end(self) -> Result<(), Problem> {
        for instance in self.alive {
            instance.end().await?;
        }
        Ok(())
    }
}
