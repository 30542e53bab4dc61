//! Chart flags: destination, format, size and colours.

mod destination;

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use steadfast_draw::Theme;

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
    #[arg(long, value_parser = themes(), hide_possible_values = true)]
    theme: Option<Theme>,
}

/// A chart format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ChartFormat {
    Terminal,
    Svg,
    Png,
}

const MAX_SIDE: u16 = 8192;

fn themes() -> impl TypedValueParser<Value = Theme> {
    PossibleValuesParser::new(["light", "dark", "auto"]).map(|name| match name.as_str() {
        "light" => Theme::Light,
        "dark" => Theme::Dark,
        _ => Theme::Auto,
    })
}

fn side(text: &str) -> Result<u16, String> {
    let side = text.parse().ok().filter(|side| (1..=MAX_SIDE).contains(side));
    side.ok_or_else(|| format!("must be a whole number from 1 to {MAX_SIDE}"))
}

impl ChartFlags {
    /// Whether a file or a format was given, as opposed to the default terminal chart.
    pub(crate) const fn is_requested(&self) -> bool {
        self.output.is_some() || self.format.is_some()
    }
}
