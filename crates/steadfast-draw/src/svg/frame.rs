//! The layout of an SVG chart: heading, legend and plot.

use super::SvgOptions;
use super::legend::{self, Legend};
use crate::span::Span;
use crate::text::{pixels, shorten};
use crate::ticks::{self, Tick};
use crate::{Chart, Unit};

/// The margin around the chart.
pub(super) const MARGIN: f64 = 20.0;
pub(super) const LABEL_SIZE: f64 = 12.0;
const TITLE_SIZE: f64 = 18.5;
const SUBTITLE_SIZE: f64 = 13.0;
const MIN_PLOT_SIZE: f64 = 64.0;
/// The height below the plot, for the labels of the ticks and of the axis.
const FOOT: f64 = 52.0;

pub(super) struct Frame {
    pub(super) width: f64,
    pub(super) height: f64,
    pub(super) heading: Vec<HeadingLine>,
    pub(super) legend: Legend,
    /// `None` if there is nothing to draw.
    pub(super) plot: Option<Plot>,
}

pub(super) struct HeadingLine {
    pub(super) class: &'static str,
    pub(super) baseline: f64,
    pub(super) text: String,
}

/// The rectangle that values are drawn in.
pub(super) struct Plot {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
    x: Span,
    y: Span,
    x_ticks: Vec<Tick>,
    y_ticks: Vec<Tick>,
}

impl Frame {
    pub(super) fn of(chart: &Chart, options: &SvgOptions) -> Self {
        let width = f64::from(options.width);
        let height = f64::from(options.height);
        let heading = heading(chart, width, height);
        let below_heading = heading.last().map_or(0.0, |line| line.baseline + 8.0);

        let no_labels = chart.y.label.is_empty() && chart.regions.is_empty();
        let label_room = if no_labels { 12.0 } else { 36.0 };
        let rows = (height - FOOT - MIN_PLOT_SIZE - label_room - below_heading) / legend::ROW;
        let legend = Legend::of(chart, width, below_heading, rows.max(0.0) as usize);

        let top = legend.bottom().unwrap_or(below_heading) + label_room;
        let spans = chart.spans();
        let plot = spans.map(|spans| Plot::new(chart, spans, (top, width - MARGIN, height - FOOT)));
        Self { width, height, heading, legend, plot }
    }
}

fn heading(chart: &Chart, width: f64, height: f64) -> Vec<HeadingLine> {
    let line = |class, baseline, text: &str, size| {
        let text = shorten(text, width - 2.0 * MARGIN, |text| pixels(text, size));
        HeadingLine { class, baseline, text }
    };
    if chart.has_no_heading {
        return Vec::new();
    }
    let mut lines = vec![line("sd-title", 34.0, &chart.title, TITLE_SIZE)];
    // A small chart has no space for it.
    let subtitle = chart.subtitle.as_ref().filter(|_| height >= 220.0);
    lines.extend(subtitle.map(|text| line("sd-subtitle", 55.0, text, SUBTITLE_SIZE)));
    lines
}

impl Plot {
    /// A plot that starts to the right of the widest y label.
    fn new(chart: &Chart, (x, y): (Span, Span), (top, right, bottom): (f64, f64, f64)) -> Self {
        let (x_ticks, y_ticks) = (Vec::new(), Vec::new());
        let mut plot = Self { left: MARGIN, right, top, bottom, x, y, x_ticks, y_ticks };
        plot.y_ticks = plot.chosen_y(chart.y.unit);
        let widths = plot.y_ticks.iter().map(|tick| pixels(&tick.label, LABEL_SIZE));
        plot.left = (MARGIN + widths.fold(0.0, f64::max) + 8.0).min(right / 2.0);
        plot.x_ticks = plot.chosen_x(chart.x.unit);
        plot
    }

    fn chosen_y(&self, unit: Unit) -> Vec<Tick> {
        // A small plot has a smaller distance between ticks, to have more than one.
        let distance = ((self.bottom - self.top) / 8.0).clamp(16.0, 28.0);
        ticks::choose_apart(&self.y, unit, distance, |tick| {
            let y = self.y_at(tick.value)?;
            Some((y, y))
        })
    }

    fn chosen_x(&self, unit: Unit) -> Vec<Tick> {
        ticks::choose_apart(&self.x, unit, 14.0, |tick| {
            let half = pixels(&tick.label, LABEL_SIZE) / 2.0;
            let middle = self.x_label_middle(tick, self.x_at(tick.value)?);
            Some((middle - half, middle + half))
        })
    }

    /// The middle of a label at `x`, moved so that the label stays inside the picture.
    pub(super) fn x_label_middle(&self, tick: &Tick, x: f64) -> f64 {
        let half = pixels(&tick.label, LABEL_SIZE) / 2.0;
        x.min(self.right + MARGIN - half).max(half)
    }

    /// The x coordinate of a value; `None` if the axis cannot show it.
    pub(super) fn x_at(&self, value: f64) -> Option<f64> {
        Some(between(self.left, self.right, self.x.position(value)?))
    }

    /// The y coordinate of a value; `None` if the axis cannot show it.
    pub(super) fn y_at(&self, value: f64) -> Option<f64> {
        Some(between(self.bottom, self.top, self.y.position(value)?))
    }

    /// As [`y_at`](Self::y_at), but the bottom for a value that the axis cannot show.
    pub(super) fn y_at_or_bottom(&self, value: f64) -> Option<f64> {
        Some(between(self.bottom, self.top, self.y.position_or_low(value)?))
    }

    /// The baseline of the labels above the plot.
    pub(super) fn label_baseline(&self) -> f64 {
        self.top - 16.0
    }

    pub(super) fn holds(&self, x: f64, y: f64) -> bool {
        let within = |v: f64, low: f64, high: f64| v >= low - 0.1 && v <= high + 0.1;
        within(x, self.left, self.right) && within(y, self.top, self.bottom)
    }

    pub(super) fn x_tick_positions(&self) -> impl Iterator<Item = (&Tick, f64)> {
        self.x_ticks.iter().filter_map(|tick| Some((tick, self.x_at(tick.value)?)))
    }

    pub(super) fn y_tick_positions(&self) -> impl Iterator<Item = (&Tick, f64)> {
        self.y_ticks.iter().filter_map(|tick| Some((tick, self.y_at(tick.value)?)))
    }
}

fn between(from: f64, to: f64, share: f64) -> f64 {
    from + (to - from) * share
}
