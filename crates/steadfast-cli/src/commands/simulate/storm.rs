//! `steadfast simulate storm`: a retry storm after a short outage, and its remedies.

use steadfast::Policy;
use steadfast_sim::{Scenario, storm, storm_policies};

use super::run_scenario;
use crate::chart::ChartFlags;
use crate::commands::prelude::*;
use crate::number_range::whole_number;

const EXAMPLES: &[Example] = &[
    ("steadfast simulate storm", "in the terminal"),
    ("steadfast simulate storm --clients 1000000 -o storm.svg", "a larger one, as SVG"),
];

/// Show a retry storm, and which policies prevent it.
///
/// A service runs at 80% of its capacity and has an outage of 30 seconds. With retries every
/// second it does not recover: clients time out and retry, although the cause is gone. Jitter
/// alone does not help; a budget or a breaker does.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct Storm {
    /// Number of clients, arriving over five minutes
    #[arg(long, value_name = "N", default_value_t = 60_000)]
    #[arg(value_parser = whole_number(1..=Scenario::MAX_CLIENTS))]
    clients: u32,

    /// Random seed; the same seed gives the same result
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    chart: ChartFlags,
}

impl Storm {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let mut scenario = storm(self.clients);
        scenario.seed = self.seed;
        let policies = storm_policies().map_err(|why| CliError::failed(why.to_string()))?;
        let named: Vec<(&str, &Policy)> =
            policies.iter().map(|(name, policy)| (*name, policy)).collect();
        run_scenario(&scenario, &named, &self.chart, common)
    }
}
