//! `steadfast policy plot`: what a policy will do, to look at.

mod drawing;
mod target;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde::Serialize;

use super::plan::{DEFAULT_ROWS, Planned, rows};
use crate::cli::Common;
use crate::exit::Exit;
use crate::help::{Example, after_help};
use crate::output::Answer;
use crate::policy_flags::{self, SeveralPolicies};
use crate::problem::Problem;
use drawing::Plotted;
use target::Target;

const EXAMPLES: &[Example] = &[
    ("steadfast policy plot --preset grpc --max-attempts 8", "in the terminal"),
    ("steadfast policy plot --preset sql -o sql.svg", "as a picture, by its extension"),
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
    /// Write the chart to this file; - is stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Draw it as terminal, svg or png [default: by the file's extension]
    #[arg(long, value_enum, hide_possible_values = true)]
    format: Option<Form>,

    /// How wide: columns of a terminal, or pixels [default: the terminal's, or 720]
    #[arg(long, value_name = "N", value_parser = side)]
    width: Option<u16>,

    /// How high: lines of a terminal, or pixels [default: 20, or 400]
    #[arg(long, value_name = "N", value_parser = side)]
    height: Option<u16>,

    /// Colours of a picture: light, dark, or auto, as its reader likes it [default: auto]
    #[arg(long, value_enum, hide_possible_values = true)]
    theme: Option<Theme>,

    /// Let equal steps upwards multiply the delay
    #[arg(long)]
    log: bool,

    /// Draw at most this many attempts [default: 100]
    #[arg(long, value_name = "N", value_parser = rows)]
    attempts: Option<u32>,

    #[command(flatten)]
    policies: SeveralPolicies,
}

/// How a chart is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    Terminal,
    Svg,
    Png,
}

/// The colours of a picture.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Theme {
    Light,
    Dark,
    Auto,
}

/// Of a chart. More than this is no picture.
const LONGEST_SIDE: u16 = 8192;

fn side(text: &str) -> Result<u16, String> {
    let side = text.parse().ok().filter(|side| (1..=LONGEST_SIDE).contains(side));
    side.ok_or_else(|| format!("it is not a whole number from 1 to {LONGEST_SIDE}"))
}

impl Plot {
    pub(crate) fn run(&self, common: &Common) -> Result<Exit, Problem> {
        let target = Target::of(self.output.as_deref(), self.format)?;
        let policies = self.policies.policies(common.config.as_deref())?;
        let attempts = self.attempts.unwrap_or(DEFAULT_ROWS);
        let plans: Vec<Planned<'_>> =
            policies.iter().map(|(_, policy)| Planned::of(policy, attempts)).collect();
        let plotted = Plotted { policies: &policies, plans: &plans, log: self.log };

        let to_stdout = target.is_stdout();
        if common.json {
            common.output().answer(&Plans { policies: &plans })?;
        }
        if !(common.json && to_stdout) {
            target.write(&plotted.chart(), self)?;
        }
        plotted.note_what_is_missing();
        Ok(Exit::Good)
    }
}

/// What was drawn, in numbers.
#[derive(Serialize)]
struct Plans<'p> {
    policies: &'p [Planned<'p>],
}

impl Answer for Plans<'_> {
    fn tell(&self, page: &mut dyn Write) -> io::Result<()> {
        self.policies.iter().try_for_each(|plan| plan.tell(page))
    }
}
