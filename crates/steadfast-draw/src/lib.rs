//! Charts of delays, loads and waiting times.
//!
//! A policy's plan, a simulation and a server's day are shown in a terminal, in a file and on a
//! page. They are drawn here, from one description, so that a tick, a colour or a gap means the
//! same in all three.
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
//! # What is drawn, and what is not
//!
//! A chart draws what can be drawn; a bad value never stops the good ones.
//!
//! - A value that is not a finite number is a gap: a line breaks there.
//! - So is zero or less on a logarithmic axis, but a band reaches down to the axis instead: the
//!   lower edge of a full jitter is zero.
//! - A chart without a value that can be drawn says so where the plot would be.
//!
//! # Why it is written here
//!
//! `plotters` was considered: it has neither text for a terminal nor an SVG that a screen reader
//! can read and a page can turn dark.
//!
//! # Features
//!
//! `png` (on by default): `Chart::png`, with the rasteriser and the font that it takes.

mod axis;
mod bars;
mod chart;
mod figures;
mod palette;
#[cfg(feature = "png")]
mod png;
mod series;
mod sheet;
mod span;
mod svg;
mod terminal;
mod text;
mod thin;
mod ticks;

pub use axis::{Axis, Unit};
pub use chart::Chart;
#[cfg(feature = "png")]
pub use png::{DrawError, PngOptions};
pub use sheet::Sheet;
pub use svg::{SvgOptions, Theme, stylesheet};
pub use terminal::TerminalOptions;
