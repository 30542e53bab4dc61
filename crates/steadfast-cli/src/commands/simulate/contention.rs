//! `steadfast simulate contention`: the AWS experiment on backoff and jitter.

use std::time::Duration;

use steadfast::policy::PolicyError;
use steadfast::{Jitter, Policy};
use steadfast_draw::{Axis, Chart, ChartStack};
use steadfast_sim::{ContentionOutcome, contend};

use super::invalid;
use crate::chart::{ChartDestination, ChartFlags};
use crate::commands::prelude::*;
use crate::number_range::whole_number;
use crate::output::human_duration::format as human_duration;

const EXAMPLES: &[Example] = &[
    ("steadfast simulate contention", "100 clients"),
    (
        "steadfast simulate contention --clients 200 --steps 10 -o jitter.svg",
        "20, 40, … 200 clients",
    ),
];

/// Simulate write contention under every kind of jitter.
///
/// The experiment from the AWS article on exponential backoff and jitter: clients read a row and
/// write it back with optimistic locking; messages take 10 ± 2 ms each way, delays start at 5 ms
/// and are capped at 2 s. The output has the total number of
/// calls, and the time at which the last client finished.
#[derive(Debug, Args)]
#[command(after_help = after_help(EXAMPLES, &[]))]
pub(super) struct Contention {
    /// Number of clients
    #[arg(long, value_name = "N", default_value_t = 100)]
    #[arg(value_parser = whole_number(1..=steadfast_sim::Contention::MAX_CLIENTS))]
    clients: u32,

    /// Number of evenly spaced client counts to simulate, up to --clients
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole_number(1..=1000_u32))]
    steps: u32,

    /// Repetitions to average over
    #[arg(long, value_name = "N", default_value_t = 100)]
    rounds: u32,

    /// Random seed; the same seed gives the same result
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    chart: ChartFlags,
}

impl Contention {
    pub(super) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let destination = ChartDestination::of(&self.chart)?;
        let policies = policies().map_err(|why| CliError::failed(why.to_string()))?;
        let mut contended = Vec::new();
        for (name, policy) in &policies {
            for clients in self.sizes() {
                let experiment = steadfast_sim::Contention {
                    clients,
                    rounds: self.rounds,
                    seed: self.seed,
                    ..steadfast_sim::Contention::default()
                };
                contended.push(contend(&experiment, name, policy).map_err(invalid)?);
            }
        }
        if common.json || !(self.chart.is_requested() && destination.is_stdout()) {
            common.print(&contended)?;
        }
        // A single size is no curve.
        let is_drawn = self.steps > 1 || self.chart.is_requested();
        if is_drawn && !(common.json && destination.is_stdout()) {
            destination.write(&sheet(&contended))?;
        }
        Ok(Exit::Success)
    }

    /// The distinct numbers of clients. The library rejects zero.
    fn sizes(&self) -> Vec<u32> {
        let (clients, steps) = (u64::from(self.clients), u64::from(self.steps));
        let size = |step: u64| u32::try_from((clients * step).div_ceil(steps)).unwrap_or(u32::MAX);
        let mut sizes: Vec<u32> = (1..=steps).map(size).collect();
        sizes.dedup();
        sizes
    }
}

/// The policies of the article.
fn policies() -> Result<[(&'static str, Policy); 5], PolicyError> {
    let exponential = |jitter| {
        let (base, cap) = (Duration::from_millis(5), Duration::from_secs(2));
        Policy::exponential(base).max_delay(cap).max_attempts(u32::MAX).jitter(jitter).build()
    };
    Ok([
        ("none", Policy::immediate().max_attempts(u32::MAX).build()?),
        ("exponential", exponential(Jitter::None)?),
        ("decorrelated", exponential(Jitter::Decorrelated)?),
        ("equal", exponential(Jitter::Equal)?),
        ("full", exponential(Jitter::Full)?),
    ])
}

const COLUMNS: [&str; 5] = ["backoff", "clients", "calls", "per client", "time"];

impl Printable for Vec<ContentionOutcome> {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        let [_, numbers @ ..] = &COLUMNS;
        let mut table = Table::with_columns(&COLUMNS, numbers);
        for contended in self {
            table.row([
                contended.policy.clone(),
                contended.clients.to_string(),
                format!("{:.0}", contended.calls),
                format!("{:.1}", contended.calls / f64::from(contended.clients)),
                human_duration(Duration::from_secs_f64(contended.seconds)),
            ]);
        }
        table.write(page)
    }
}

fn sheet(outcomes: &[ContentionOutcome]) -> ChartStack {
    let calls = Chart::new("Calls until all clients finished")
        .x(Axis::count("clients"))
        .y(Axis::count("calls").from_zero());
    let time = Chart::new("Time until all clients finished")
        .x(Axis::count("clients"))
        .y(Axis::seconds("time").from_zero());
    let curve = |chart: Chart, figure: fn(&ContentionOutcome) -> f64| {
        outcomes.chunk_by(|a, b| a.policy == b.policy).fold(chart, |chart, of_one| {
            let name = of_one.first().map(|first| first.policy.as_str()).unwrap_or_default();
            chart.line(name, of_one.iter().map(|c| (f64::from(c.clients), figure(c))))
        })
    };
    ChartStack::new([curve(calls, |c| c.calls), curve(time, |c| c.seconds)])
}
