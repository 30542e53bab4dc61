//! `steadfast policy plot`: what a policy will do, to look at.

mod delay_chart;

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;

use super::plan::{DEFAULT_ROWS, Planned, rows};
use crate::chart::ChartFlags;
use crate::cli::Common;
use crate::error::CliError;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::output::Printable;
use crate::policy_flags::{self, MultiplePolicies};
use delay_chart::DelayChart;

const EXAMPLES: &[Example] = &[
    ("steadfast policy plot --preset grpc --max-attempts 8", "in the terminal"),
    ("steadfast policy plot --preset sql -o sql.svg", "as a chart, by its extension"),
    ("steadfast policy plot --preset patient --preset workflow --log", "side by side"),
    ("steadfast policy plot --jitter full -o - --format svg", "into a pipe"),
];

/// Draw the delay before each attempt, with its jitter band.
///
/// The line is what the backoff says, the band is where jitter can put it. The chart goes to
/// the terminal, or to a file whose extension says how it is drawn: .svg, .png or .txt.
#[derive(Debug, Args)]
#[command(
    after_help = after_help(EXAMPLES, &[]),
    after_long_help = after_help(EXAMPLES, &[policy_flags::VALUES])
)]
pub(crate) struct Plot {
    #[command(flatten)]
    chart: ChartFlags,

    /// Let equal steps upwards multiply the delay
    #[arg(long)]
    log: bool,

    /// Draw at most this many attempts [default: 100]
    #[arg(long, value_name = "N", value_parser = rows)]
    attempts: Option<u32>,

    #[command(flatten)]
    policies: MultiplePolicies,
}

impl Plot {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let destination = self.chart.destination()?;
        let policies = self.policies.policies(common.config.as_deref())?;
        let attempts = self.attempts.unwrap_or(DEFAULT_ROWS);
        let plans: Vec<Planned<'_>> =
            policies.iter().map(|(_, policy)| Planned::of(policy, attempts)).collect();
        let delay_chart =
            DelayChart { policies: &policies, plans: &plans, attempts, log: self.log };

        let to_stdout = destination.is_stdout();
        if common.json {
            common.output().print(&Plans { policies: &plans })?;
        }
        if !(common.json && to_stdout) {
            destination.write(&delay_chart.chart().into())?;
        }
        delay_chart.note_what_is_missing();
        Ok(Exit::Success)
    }
}

/// What was drawn, in numbers.
#[derive(Serialize)]
struct Plans<'p> {
    policies: &'p [Planned<'p>],
}

impl Printable for Plans<'_> {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        self.policies.iter().try_for_each(|plan| plan.write_text(page))
    }
}
