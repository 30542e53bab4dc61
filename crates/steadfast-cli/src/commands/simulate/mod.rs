//! `steadfast simulate`: retry policies under simulated failures.

mod contention;
mod results;
mod scenario;
mod scenario_file;
mod storm;
mod values;

use clap::Subcommand;
use steadfast::Policy;
use steadfast_draw::ChartStack;
use steadfast_sim::{Outcome, Scenario, ScenarioError, draw, simulate};

use crate::chart::{ChartDestination, ChartFlags};
use crate::commands::prelude::*;
use crate::policy_flags::{self, MultiplePolicies};
use contention::Contention;
use results::SimulationResults;
use scenario::ScenarioFlags;
use storm::Storm;

const EXAMPLES: &[Example] = &[
    ("steadfast simulate --clients 10000 --outage 10s..40s", "a 30-second outage"),
    ("steadfast simulate --capacity 200 --preset grpc --preset sql", "compare two policies"),
    ("steadfast simulate --brown-out 10s..40s,failing=0.5 -o load.svg", "as SVG"),
    ("steadfast simulate --scenario black-friday.yaml --json", "a scenario file"),
    ("steadfast simulate storm", "a retry storm and its remedies"),
    ("steadfast simulate contention --clients 100", "the AWS experiment on jitter"),
];

const SCENARIO_VALUES: Section = (
    "Scenario values",
    &[
        ("ARRIVAL", "burst, steady:60s, poisson:5m: all at once, or over a period"),
        ("LATENCY", "50ms, normal:50ms,10ms (mean, deviation), lognormal:50ms,0.5 (median, sigma)"),
        ("OUTAGE", "30s..60s, or 30s..60s,silent if calls time out instead of being refused"),
        (
            "BROWN_OUT",
            "30s..60s,failing=0.5,capacity=0.3: failing share of calls, remaining share of capacity",
        ),
        (
            "LIMIT",
            "100, or 100,retry_after=2s: calls per second, and the Retry-After of rejected calls",
        ),
        ("ERRORS", "retryable=0.01,rate_limited=0.01,unknown_outcome=0.001,final=0.001"),
    ],
);

/// Simulate clients against a failing service under one or more policies.
///
/// Each client makes one call to a service with limited capacity, outages and rate limits, and
/// retries it under the policy, with its breaker and budget. Time is virtual: a million clients
/// take seconds. All policies face the same clients, and the same seed gives the same result.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = after_help(EXAMPLES, &[]),
    after_long_help = after_help(EXAMPLES, &[SCENARIO_VALUES, policy_flags::VALUES])
)]
pub(crate) struct Simulate {
    #[command(subcommand)]
    experiment: Option<Experiment>,

    #[command(flatten)]
    scenario: ScenarioFlags,

    #[command(flatten)]
    chart: ChartFlags,

    #[command(flatten)]
    policies: MultiplePolicies,
}

/// Predefined experiments.
#[derive(Debug, Subcommand)]
enum Experiment {
    Contention(Contention),
    Storm(Storm),
}

impl Simulate {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        match &self.experiment {
            Some(Experiment::Contention(contention)) => return contention.run(common),
            Some(Experiment::Storm(storm)) => return storm.run(common),
            None => {}
        }
        let scenario = self.scenario.scenario()?;
        let policies = self.policies.policies(common.config.as_deref())?;
        let named: Vec<(&str, &Policy)> =
            policies.iter().map(|(name, policy)| (name.unwrap_or("default"), policy)).collect();
        run_scenario(&scenario, &named, &self.chart, common)
    }
}

/// Simulates a scenario under each policy, and prints and draws the results.
fn run_scenario(
    scenario: &Scenario,
    policies: &[(&str, &Policy)],
    chart: &ChartFlags,
    common: &Common,
) -> Result<Exit, CliError> {
    let destination = ChartDestination::of(chart)?;
    let outcomes: Result<Vec<Outcome>, ScenarioError> =
        policies.iter().map(|(name, policy)| simulate(scenario, name, policy)).collect();
    let outcomes = outcomes.map_err(invalid)?;
    let sheet = || ChartStack::new([draw::load(scenario, &outcomes), draw::completions(&outcomes)]);
    let results = SimulationResults { outcomes: &outcomes, until: scenario.until };
    if common.json || !(chart.is_requested() && destination.is_stdout()) {
        common.print(&results)?;
    }
    if !(common.json && destination.is_stdout()) {
        destination.write(&sheet())?;
    }
    Ok(Exit::Success)
}

const SCENARIO_HELP: &str =
    "the fields of a scenario are described in docs/simulator.md, section \"A scenario\"";

fn invalid(why: ScenarioError) -> CliError {
    CliError::usage(why.to_string()).with_help(SCENARIO_HELP)
}
