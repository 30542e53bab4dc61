//! `steadfast policy plot`: delay charts.

use steadfast::Policy;
use steadfast_draw::Chart;
use steadfast_sim::draw;

use super::plan::{DEFAULT_ROWS, Planned, rows};
use super::summary::Summary;
use crate::chart::{ChartDestination, ChartFlags};
use crate::commands::prelude::*;
use crate::output::human_duration::format as human_duration;
use crate::policy_flags::{self, MultiplePolicies};

const EXAMPLES: &[Example] = &[
    ("steadfast policy plot --preset grpc --max-attempts 8", "in the terminal"),
    ("steadfast policy plot --preset sql -o sql.svg", "as SVG, by the extension"),
    ("steadfast policy plot --preset patient --preset workflow --log", "compare two presets"),
    ("steadfast policy plot --jitter full -o - --format svg", "SVG on stdout"),
];

/// Chart the delay before each attempt, with its jitter range.
///
/// The line is the delay without jitter, the shaded area its range with jitter. The chart goes to the
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

type NamedPolicy<'n> = (Option<&'n str>, Policy);

impl Plot {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, CliError> {
        let destination = ChartDestination::of(&self.chart)?;
        let policies = self.policies.policies(common.config.as_deref())?;
        let attempts = self.attempts.unwrap_or(DEFAULT_ROWS);
        let plans: Vec<Planned<'_>> =
            policies.iter().map(|(_, policy)| Planned::of(policy, attempts)).collect();
        if common.json {
            common.print(&Plans { policies: &plans })?;
        }
        if !(common.json && destination.is_stdout()) {
            destination.write(&self.draw(&policies, attempts).into())?;
        }
        policies.iter().zip(&plans).for_each(|(policy, plan)| print_notes(policy, plan));
        Ok(Exit::Success)
    }

    fn draw(&self, policies: &[NamedPolicy<'_>], attempts: u32) -> Chart {
        let is_alone = policies.len() == 1;
        policies.iter().fold(self.titled(policies), |chart, (name, policy)| {
            let name = name.filter(|_| !is_alone);
            draw::delays(chart, name.unwrap_or_default(), policy, attempts)
        })
    }

    /// One policy is described in the subtitle; several are distinguished by the legend.
    fn titled(&self, policies: &[NamedPolicy<'_>]) -> Chart {
        let title = "Delay before each attempt";
        let [(name, policy)] = policies else {
            return draw::delay_chart(title, self.log);
        };
        let summary = Summary::of(policy, false);
        let attempts = counted(summary.attempts as usize, "attempt", "attempts");
        let (backoff, total) = (&summary.backoff, human_duration(summary.total_delay.0));
        let title = name.map_or_else(|| title.to_owned(), |name| format!("{title} of {name}"));
        draw::delay_chart(&title, self.log)
            .subtitle(format!("{backoff}; at most {attempts}, total delay {total}"))
    }
}

/// Notes on attempts not drawn, and on a policy without a line.
fn print_notes((name, policy): &NamedPolicy<'_>, plan: &Planned<'_>) {
    let prefix = name.map(|name| format!("{name}: ")).unwrap_or_default();
    plan.notes().for_each(|what| note(&format!("{prefix}{what}")));
    match plan.most {
        1 if policy.is_enabled() => note(&format!("{prefix}never retries: max_attempts is 1")),
        1 => note(&format!("{prefix}never retries: it is disabled")),
        _ => {}
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
