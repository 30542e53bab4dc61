//! Chart flags: destination, format, size and colours.

mod destination;

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::error::CliError;
pub(crate) use destination::ChartDestination;

/// Chart flags, shared by all commands that draw one.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ChartFlags {
    /// Write the chart to this file; - is stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Chart format: terminal, svg or png [default: by the file's extension]
    #[arg(long, value_enum, hide_possible_values = true)]
    format: Option<ChartFormat>,

    /// Width in terminal columns or pixels [default: the terminal's width, or 720]
    #[arg(long, value_name = "N", value_parser = side)]
    width: Option<u16>,

    /// Height in terminal lines or pixels [default: 20 or 400 per chart]
    #[arg(long, value_name = "N", value_parser = side)]
    height: Option<u16>,

    /// Image colours: light, dark, or auto to follow the viewer's setting [default: auto]
    #[arg(long, value_enum, hide_possible_values = true)]
    theme: Option<Theme>,
}

/// A chart format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ChartFormat {
    Terminal,
    Svg,
    Png,
}

/// The colours of an image.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Theme {
    Light,
    Dark,
    Auto,
}

const MAX_SIDE: u16 = 8192;

fn side(text: &str) -> Result<u16, String> {
    let side = text.parse().ok().filter(|side| (1..=MAX_SIDE).contains(side));
    side.ok_or_else(|| format!("must be a whole number from 1 to {MAX_SIDE}"))
}

impl ChartFlags {
    pub(crate) fn destination(&self) -> Result<ChartDestination<'_>, CliError> {
        ChartDestination::of(self)
    }

    /// Whether a file or a format was given, as opposed to the default terminal chart.
    pub(crate) const fn is_requested(&self) -> bool {
        self.output.is_some() || self.format.is_some()
    }
}
