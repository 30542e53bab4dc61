//! The worker beside the server: how much it does at a time, and what it may reach.

use std::time::Duration;

use clap::Args;
use steadfast::duration;
use steadfast_server::Server;
use steadfast_store::{Store, check_lease};
use steadfast_worker::Worker;
use steadfast_worker::handlers::{Commands, Http, TargetRule, Targets};

use crate::error::CliError;

#[derive(Debug, Args)]
#[command(next_help_heading = "Worker")]
pub(super) struct WorkerFlags {
    /// Do no tasks: others claim them
    #[arg(long, conflicts_with_all = ["concurrency", "lease", "allow_target", "allow_command"])]
    no_worker: bool,

    /// How many tasks run at a time
    #[arg(long, value_name = "N", default_value_t = 100)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100_000))]
    concurrency: u32,

    /// How long the store waits for a sign of life before it gives tasks to others
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = lease)]
    lease: Duration,

    /// May call this network or host, too, for tasks of the kind http; public ones it may call
    /// anyway. Can be repeated
    #[arg(long, value_name = "CIDR|HOST", value_delimiter = ',')]
    allow_target: Vec<TargetRule>,

    /// May run this program for tasks of the kind command, named exactly as tasks name it. Can be
    /// repeated
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    allow_command: Vec<String>,
}

impl WorkerFlags {
    /// How many calls and programs there can be at a time.
    pub(super) const fn calls(&self) -> u32 {
        if self.no_worker { 0 } else { self.concurrency }
    }

    /// The server with its worker, or without one.
    pub(super) fn apply(&self, server: Server, store: &Store) -> Result<Server, CliError> {
        if self.no_worker {
            return Ok(server.without_worker());
        }
        let targets = Targets::new(self.allow_target.iter().cloned());
        let http = Http::new(targets).map_err(|why| {
            CliError::configuration(format!("tasks of the kind http cannot be done: {why}"))
        })?;
        let worker = Worker::new(store.clone())
            .concurrency(self.concurrency)
            .lease(self.lease)
            .http(http)
            .commands(Commands::new(&self.allow_command));
        Ok(server.worker(worker))
    }
}

fn lease(text: &str) -> Result<Duration, String> {
    let lease = duration::parse(text).map_err(|why| why.to_string())?;
    check_lease(lease).map_err(|why| format!("it {}", why.problem()))?;
    Ok(lease)
}
