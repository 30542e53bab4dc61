//! `steadfast simulate storm`: a short outage that becomes a long one, and what helps.

use clap::Args;
use steadfast::Policy;
use steadfast_sim::{storm, storm_policies};

use super::play;
use crate::chart::ChartFlags;
use crate::cli::Common;
use crate::error::CliError;
use crate::exit::Exit;
use crate::help::{Example, after_help};

const EXAMPLES: &[Example] = &[
    ("steadfast simulate storm", "in the terminal"),
    ("steadfast simulate storm --clients 1000000 -o storm.svg", "a bigger one, as a chart"),
];

/// Show why jitter, a budget and a breaker matter.
///
/// A service is asked for four fifths of what it can do and is away for thirty seconds. With
/// retries every second it does not recover: late answers are thrown away and asked for again,
/// though the cause is long gone. Jitter alone does not help; a budget or a breaker does.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct Storm {
    /// How many clients come in five minutes
    #[arg(long, value_name = "N", default_value_t = 60_000)]
    clients: u32,

    /// Chance: the same seed makes the same run
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
        play(&scenario, &named, &self.chart, common)
    }
}
