//! A picture as flags, the same for every command that draws one: where it goes, in which form,
//! how large, in which colours.

mod target;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::problem::Problem;
pub(crate) use target::Target;

/// Where a picture goes and how it looks.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Picture {
    /// Write the chart to this file; - is stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Draw it as terminal, svg or png [default: by the file's extension]
    #[arg(long, value_enum, hide_possible_values = true)]
    format: Option<Form>,

    /// How wide: columns of a terminal, or pixels [default: the terminal's, or 720]
    #[arg(long, value_name = "N", value_parser = side)]
    width: Option<u16>,

    /// How high: lines of a terminal, or pixels [default: 20, or 400, for each chart]
    #[arg(long, value_name = "N", value_parser = side)]
    height: Option<u16>,

    /// Colours of a picture: light, dark, or auto, as its reader likes it [default: auto]
    #[arg(long, value_enum, hide_possible_values = true)]
    theme: Option<Theme>,
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

impl Picture {
    /// What was asked for, if it can be had.
    pub(crate) fn target(&self) -> Result<Target<'_>, Problem> {
        Target::of(self)
    }

    /// Whether a file or a form was asked for, and not only a look in the terminal.
    pub(crate) const fn is_wanted(&self) -> bool {
        self.output.is_some() || self.format.is_some()
    }
}
