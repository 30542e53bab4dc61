//! `steadfast policy plot`: delay charts.

mod delay_chart;

use super::plan::{DEFAULT_ROWS, Planned, rows};
use crate::chart::{ChartDestination, ChartFlags};
use crate::commands::prelude::*;
use crate::policy_flags::{self, MultiplePolicies};
use delay_chart::DelayChart;

const EXAMPLES: &[Example] = &[
    ("steadfast policy plot --preset grpc --max-attempts 8", "in the terminal"),
    ("steadfast policy plot --preset sql -o sql.svg", "as SVG, by the extension"),
    ("steadfast policy plot --preset patient --preset workflow --log", "compare two presets"),
    ("steadfast policy plot --jitter full -o - --format svg", "SVG on stdout"),
];

/// Chart the delay before each attempt, with its jitter band.
///
/// The line is the delay of the backoff, the band the range of jitter. The chart goes to the
/// terminal, or to a file in the format of its extension: .svg, .png or .txt.
#[derive(Debug, Args)]
#[command(
    after_help = after_help(EXAMPLES, &[]),
    after_long_help = after_help(EXAMPLES, &[policy_flags::VALUES])
)]
pub(crate) struct Plot {
    #[command(flatten)]
    chart: ChartFlags,

    /// Use a logarithmic delay axis
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
        let destination = ChartDestination::of(&self.chart)?;
        let policies = self.policies.policies(common.config.as_deref())?;
        let attempts = self.attempts.unwrap_or(DEFAULT_ROWS);
        let plans: Vec<Planned<'_>> =
            policies.iter().map(|(_, policy)| Planned::of(policy, attempts)).collect();
        let delay_chart =
            DelayChart { policies: &policies, plans: &plans, attempts, log: self.log };

        let to_stdout = destination.is_stdout();
        if common.json {
            common.print(&Plans { policies: &plans })?;
        }
        if !(common.json && to_stdout) {
            destination.write(&delay_chart.chart().into())?;
        }
        delay_chart.print_notes();
        Ok(Exit::Success)
    }
}

#[derive(Serialize)]
struct Plans<'p> {
    policies: &'p [Planned<'p>],
}

impl Printable for Plans<'_> {
    fn write_text(&self, page: &mut dyn Write) -> io::Result<()> {
        self.policies.iter().try_for_each(|plan| plan.write_text(page))
    }
}
