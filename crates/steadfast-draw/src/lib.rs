//! Charts as SVG, PNG or terminal text.
//!
//! The CLI and the web UI show delays, loads and completion times. One description serves all
//! outputs, so that ticks, colours and gaps are the same everywhere.
//!
//! ```
//! use steadfast_draw::{Axis, Chart, SvgOptions, TerminalOptions};
//!
//! let delays = [(1.0, 0.5), (2.0, 1.0), (3.0, 2.0), (4.0, 4.0)];
//! let chart = Chart::new("Delay before each retry")
//!     .x(Axis::count("retry"))
//!     .y(Axis::seconds("delay").from_zero())
//!     .band("jitter", delays.map(|(retry, delay)| (retry, 0.0, delay)))
//!     .line("delay", delays);
//!
//! assert!(chart.svg(&SvgOptions::default()).starts_with("<svg"));
//! println!("{}", chart.terminal(&TerminalOptions::default()));
//! ```
//!
//! # Invalid values
//!
//! - A value that is not finite is a gap in a line.
//! - So is a value of zero or less on a logarithmic axis, but a band extends to the axis instead: the
//!   lower edge of full jitter is zero.
//! - A chart without drawable values shows a message instead of the plot.
//!
//! # Why not `plotters`
//!
//! It has neither terminal output nor an SVG with a text description and a dark theme.
//!
//! # Features
//!
//! `png` (on by default): `Chart::png`, with its rasteriser and font.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod axis;
mod bars;
mod chart;
mod chart_stack;
mod decimate;
mod number_format;
mod palette;
#[cfg(feature = "png")]
mod png;
mod series;
mod span;
mod svg;
mod terminal;
mod text;
mod ticks;

pub use axis::{Axis, Unit};
pub use chart::Chart;
pub use chart_stack::ChartStack;
#[cfg(feature = "png")]
pub use png::{DrawError, PngOptions};
pub use svg::{SvgOptions, Theme, stylesheet};
pub use terminal::TerminalOptions;
