//! A scenario as flags, over one in a file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use steadfast_sim::{Arrival, BrownOut, Errors, Latency, Outage, RateLimit, Scenario};

use super::values;
use crate::error::CliError;
use crate::input;

/// What was said about the scenario. What was not is as in the file, or as it is by default.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Scenario")]
pub(super) struct ScenarioFlags {
    /// Start from the scenario in this YAML or JSON file
    #[arg(long, value_name = "FILE")]
    scenario: Option<PathBuf>,

    /// How many clients come [default: 1000]
    #[arg(long, value_name = "N")]
    clients: Option<u32>,

    /// When they come [default: poisson:60s]
    #[arg(long, value_parser = values::arrival)]
    arrival: Option<Arrival>,

    /// Over how many processes they are spread, each with its own breaker and budget [default: 1]
    #[arg(long, value_name = "N")]
    processes: Option<u32>,

    /// How long a call takes [default: lognormal:50ms,0.5]
    #[arg(long, value_parser = values::latency)]
    latency: Option<Latency>,

    /// How long a client waits if its policy does not say [default: 10s]
    #[arg(long, value_name = "DURATION", value_parser = values::duration_of)]
    timeout: Option<Duration>,

    /// How many calls the service can do in a second [default: all]
    #[arg(long, value_name = "RATE")]
    capacity: Option<f64>,

    /// How many calls wait in line before more are turned away [default: all]
    #[arg(long, value_name = "N")]
    queue: Option<u32>,

    /// When the service is away; may be repeated
    #[arg(long = "outage", value_name = "OUTAGE", value_parser = values::outage)]
    outages: Vec<Outage>,

    /// When the service does less; may be repeated
    #[arg(long = "brown-out", value_name = "BROWN_OUT", value_parser = values::brown_out)]
    brown_outs: Vec<BrownOut>,

    /// How many calls a second the service wants
    #[arg(long, value_name = "LIMIT", value_parser = values::rate_limit)]
    rate_limit: Option<RateLimit>,

    /// What share of calls fails anyhow
    #[arg(long, value_name = "ERRORS", value_parser = values::errors)]
    errors: Option<Errors>,

    /// When the simulation ends, whoever is still waiting [default: 24h]
    #[arg(long, value_name = "DURATION", value_parser = values::duration_of)]
    until: Option<Duration>,

    /// Chance: the same seed makes the same run [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

/// No scenario is longer.
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
        set(&mut scenario.outages, said(&self.outages));
        set(&mut scenario.brown_outs, said(&self.brown_outs));
        Ok(scenario)
    }
}

fn set<T>(value: &mut T, said: Option<T>) {
    if let Some(said) = said {
        *value = said;
    }
}

/// A list that nothing was said to is not said to be empty.
fn said<T: Clone>(list: &[T]) -> Option<Vec<T>> {
    (!list.is_empty()).then(|| list.to_vec())
}

fn read(file: &Path) -> Result<Scenario, CliError> {
    let name = input::name_of(file);
    let unreadable = |why: String| {
        CliError::configuration(format!("the scenario in {name} cannot be read: {why}"))
            .with_help("`steadfast simulate --help` shows what a scenario has".to_owned())
    };
    let bytes =
        input::bytes_of(file, MAX_SCENARIO_BYTES).map_err(|why| unreadable(why.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8".to_owned()))?;
    // JSON is YAML.
    let scenario: Scenario =
        serde_saphyr::from_str(&text).map_err(|why| unreadable(why.to_string()))?;
    scenario.check().map_err(|why| unreadable(why.to_string()))?;
    Ok(scenario)
}
