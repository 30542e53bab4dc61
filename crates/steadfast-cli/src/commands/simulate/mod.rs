//! `steadfast simulate`: what a policy does to a service, before an outage does it.

mod contention;
mod results;
mod scenario;
mod storm;
mod values;

use clap::{Args, Subcommand};
use steadfast::Policy;
use steadfast_draw::ChartStack;
use steadfast_sim::{Invalid, Outcome, Scenario, draw, simulate};

use crate::chart::ChartFlags;
use crate::cli::Common;
use crate::error::CliError;
use crate::exit::Exit;
use crate::help::{Example, Section, after_help};
use crate::policy_flags::{self, MultiplePolicies};
use contention::Contention;
use results::SimulationResults;
use scenario::ScenarioFlags;
use storm::Storm;

const EXAMPLES: &[Example] = &[
    ("steadfast simulate --clients 10000 --outage 10s..40s", "an outage of half a minute"),
    ("steadfast simulate --capacity 200 --preset grpc --preset sql", "two policies side by side"),
    ("steadfast simulate --brown-out 10s..40s,failing=0.5 -o load.svg", "as a chart"),
    ("steadfast simulate --scenario black-friday.yaml --json", "what is written in a file"),
    ("steadfast simulate storm", "why jitter, a budget and a breaker matter"),
    ("steadfast simulate contention --clients 100", "the AWS experiment on jitter"),
];

const SCENARIO_VALUES: Section = (
    "Scenario values",
    &[
        ("ARRIVAL", "burst, steady:60s, poisson:5m: all at once, or over so long"),
        ("LATENCY", "50ms, normal:50ms,10ms (mean, deviation), lognormal:50ms,0.5 (median, sigma)"),
        ("OUTAGE", "30s..60s, or 30s..60s,silent if calls are not even refused"),
        ("BROWN_OUT", "30s..60s,failing=0.5,capacity=0.3: shares of calls and of capacity"),
        ("LIMIT", "100, or 100,retry_after=2s: calls a second, and what the others are results"),
        ("ERRORS", "retryable=0.01,rate_limited=0.01,unknown_outcome=0.001,final=0.001"),
    ],
);

/// Play clients, a service and its bad days, and see what a policy makes of them.
///
/// So many clients come, and each wants one thing of one service that has a capacity, outages
/// and limits. What each does when it fails is decided by the policy itself, with its breaker
/// and its budget, in virtual time: a million clients take seconds. Several policies meet the
/// same clients. The same seed gives the same run.
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

/// Experiments that are there already.
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
        play(&scenario, &named, &self.chart, common)
    }
}

/// Plays a scenario under each policy, tells and draws what came of it.
fn play(
    scenario: &Scenario,
    policies: &[(&str, &Policy)],
    chart: &ChartFlags,
    common: &Common,
) -> Result<Exit, CliError> {
    let destination = chart.destination()?;
    let outcomes: Result<Vec<Outcome>, Invalid> =
        policies.iter().map(|(name, policy)| simulate(scenario, name, policy)).collect();
    let outcomes = outcomes.map_err(invalid)?;
    let sheet = || Sheet::new([draw::load(scenario, &outcomes), draw::completions(&outcomes)]);
    let results = SimulationResults { scenario, outcomes: &outcomes };
    if common.json || !(chart.is_requested() && destination.is_stdout()) {
        common.output().print(&results)?;
    }
    if !(common.json && destination.is_stdout()) {
        destination.write(&sheet())?;
    }
    Ok(Exit::Success)
}

fn invalid(why: Invalid) -> CliError {
    let next = format!("change {}; --help shows how it is written", why.field());
    CliError::usage(why.to_string()).with_help(next)
}
