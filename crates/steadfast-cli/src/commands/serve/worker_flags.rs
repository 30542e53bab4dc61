//! Worker flags: concurrency, lease, allowed targets and commands.

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
    /// Do not run tasks; leave them to other workers
    #[arg(
        long,
        conflicts_with_all = ["concurrency", "lease", "allow_target", "allow_command", "send_attempt_headers"]
    )]
    no_worker: bool,

    /// Number of tasks run concurrently
    #[arg(long, value_name = "N", default_value_t = 100)]
    #[arg(value_parser = crate::number_range::whole_number(1..=100_000_u32))]
    concurrency: u32,

    /// Lease duration: without a heartbeat for this long, a task is reclaimed
    #[arg(long, value_name = "DURATION", default_value = "10m", value_parser = lease)]
    lease: Duration,

    /// Allow http tasks to call this host or network, in addition to public addresses; may be repeated
    #[arg(long, value_name = "CIDR|HOST", value_delimiter = ',')]
    allow_target: Vec<TargetRule>,

    /// Allow command tasks to run this program, named exactly as in the task; may be repeated
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = program)]
    allow_command: Vec<String>,

    /// Send the header retry-attempt with http tasks, and traceparent if the correlation id is
    /// a valid traceparent
    #[arg(long)]
    send_attempt_headers: bool,
}

impl WorkerFlags {
    /// The number of concurrent calls and programs.
    pub(super) const fn calls(&self) -> u32 {
        if self.no_worker { 0 } else { self.concurrency }
    }

    pub(super) fn apply(&self, server: Server, store: &Store) -> Result<Server, CliError> {
        if self.no_worker {
            return Ok(server.without_worker());
        }
        let targets = Targets::new(self.allow_target.iter().cloned());
        let http = Http::new(targets)
            .map_err(|why| CliError::configuration(format!("cannot set up http tasks: {why}")))?;
        let http = if self.send_attempt_headers { http.send_attempt_headers() } else { http };
        let worker = Worker::new(store.clone())
            .concurrency(self.concurrency)
            .lease(self.lease)
            .http(http)
            .commands(Commands::new(&self.allow_command));
        Ok(server.worker(worker))
    }
}

/// A program that a task can name.
fn program(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() {
        return Err("must be the name or the path of a program");
    }
    Ok(text.to_owned())
}

fn lease(text: &str) -> Result<Duration, String> {
    let lease = duration::parse(text).map_err(|why| why.to_string())?;
    check_lease(lease).map_err(|why| why.problem().to_owned())?;
    Ok(lease)
}
