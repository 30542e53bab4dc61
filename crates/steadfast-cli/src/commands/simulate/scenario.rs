//! Scenario flags, applied to a scenario file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use steadfast_sim::{Arrival, BrownOut, Errors, Latency, Outage, RateLimit, Scenario};

use super::{SCENARIO_HELP, scenario_file, values};
use crate::error::CliError;
use crate::input;
use crate::number_range::whole_number;

/// Scenario flags. Others keep the value of the file, or the default.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Scenario")]
pub(super) struct ScenarioFlags {
    /// Start from the scenario in this YAML or JSON file
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,

    /// Number of clients [default: 1000]
    #[arg(long, value_name = "N", value_parser = whole_number(1..=Scenario::MAX_CLIENTS))]
    clients: Option<u32>,

    /// Arrival of clients [default: poisson:60s]
    #[arg(long, value_parser = values::arrival)]
    arrival: Option<Arrival>,

    /// Number of client processes, each with its own breaker and budget [default: 1]
    #[arg(long, value_name = "N", value_parser = whole_number(1..=Scenario::MAX_PROCESSES))]
    processes: Option<u32>,

    /// Latency of a call [default: lognormal:50ms,0.5]
    #[arg(long, value_parser = values::latency)]
    latency: Option<Latency>,

    /// Timeout of a call if the policy sets none [default: 10s]
    #[arg(long, value_name = "DURATION", value_parser = values::time)]
    timeout: Option<Duration>,

    /// Capacity of the service in calls per second [default: unlimited]
    #[arg(long, value_name = "RATE")]
    capacity: Option<f64>,

    /// Calls queued before more are rejected [default: unlimited]
    #[arg(long, value_name = "N")]
    queue: Option<u32>,

    /// Outage period; may be repeated
    #[arg(long = "outage", value_name = "OUTAGE", value_parser = values::outage)]
    outages: Vec<Outage>,

    /// Period of reduced service; may be repeated
    #[arg(long = "brown-out", value_name = "BROWN_OUT", value_parser = values::brown_out)]
    brown_outs: Vec<BrownOut>,

    /// Rate limit of the service in calls per second [default: none]
    #[arg(long, value_name = "LIMIT", value_parser = values::rate_limit)]
    rate_limit: Option<RateLimit>,

    /// Share of calls that fail, by class [default: none]
    #[arg(long, value_name = "ERRORS", value_parser = values::errors)]
    errors: Option<Errors>,

    /// End of the simulation, even with unfinished clients [default: 24h]
    #[arg(long, value_name = "DURATION", value_parser = values::time)]
    until: Option<Duration>,

    /// Random seed; the same seed gives the same result [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

const MAX_SCENARIO_BYTES: u64 = 1 << 20;

impl ScenarioFlags {
    pub(super) fn scenario(&self) -> Result<Scenario, CliError> {
        let mut scenario = match &self.scenario {
            Some(file) => read(file)?,
            None => Scenario::default(),
        };
        set(&mut scenario.clients, self.clients);
        set(&mut scenario.arrival, self.arrival);
        set(&mut scenario.processes, self.processes);
        set(&mut scenario.latency, self.latency);
        set(&mut scenario.timeout, self.timeout);
        set(&mut scenario.errors, self.errors);
        set(&mut scenario.until, self.until);
        set(&mut scenario.seed, self.seed);
        scenario.capacity = self.capacity.or(scenario.capacity);
        scenario.queue = self.queue.or(scenario.queue);
        scenario.rate_limit = self.rate_limit.or(scenario.rate_limit);
        set(&mut scenario.outages, given(&self.outages));
        set(&mut scenario.brown_outs, given(&self.brown_outs));
        Ok(scenario)
    }
}

fn set<T>(value: &mut T, given: Option<T>) {
    if let Some(given) = given {
        *value = given;
    }
}

/// An empty list means that the flag was not given.
fn given<T: Clone>(list: &[T]) -> Option<Vec<T>> {
    (!list.is_empty()).then(|| list.to_vec())
}

fn read(file: &Path) -> Result<Scenario, CliError> {
    let name = input::name_of(file);
    let unreadable = |why: String| {
        CliError::configuration(format!("cannot read the scenario in {name}: {why}"))
            .with_help(SCENARIO_HELP)
    };
    let bytes =
        input::bytes_of(file, MAX_SCENARIO_BYTES).map_err(|why| unreadable(why.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable("not UTF-8".to_owned()))?;
    let scenario = scenario_file::parse(&text).map_err(&unreadable)?;
    scenario.check().map_err(|why| unreadable(why.to_string()))?;
    Ok(scenario)
}
