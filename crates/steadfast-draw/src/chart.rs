//! The description of a chart.

use crate::number_format::format_value;
use crate::series::{self, Series, Shape};
use crate::span::Span;
use crate::{Axis, bars, text};

/// A chart as plain data, independent of the output format.
///
/// ```
/// use steadfast_draw::{Axis, Chart, TerminalOptions};
///
/// let chart = Chart::new("Load during an outage")
///     .subtitle("10 000 clients, one policy")
///     .x(Axis::seconds("time"))
///     .y(Axis::rate("requests").from_zero())
///     .region("outage", 10.0, 20.0)
///     .line("exponential", [(0.0, 90.0), (10.0, 95.0), (20.0, 310.0), (30.0, 90.0)]);
/// assert!(!chart.is_empty());
///
/// let text = chart.terminal(&TerminalOptions { width: 60, height: 16, ..Default::default() });
/// assert!(text.contains("outage"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chart {
    pub(crate) title: String,
    pub(crate) subtitle: Option<String>,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series>,
    pub(crate) regions: Vec<Region>,
    pub(crate) has_no_heading: bool,
    pub(crate) empty_message: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Region {
    pub(crate) label: String,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

impl Chart {
    /// An empty chart.
    pub fn new(title: impl AsRef<str>) -> Self {
        Self { title: text::clean(title.as_ref()), ..Self::default() }
    }

    /// Sets a second line under the title.
    #[must_use]
    pub fn subtitle(mut self, subtitle: impl AsRef<str>) -> Self {
        self.subtitle = Some(text::clean(subtitle.as_ref()));
        self
    }

    /// Sets the message shown instead of the plot if there is no data; "No data yet" by default.
    #[must_use]
    pub fn empty_message(mut self, message: impl AsRef<str>) -> Self {
        self.empty_message = Some(text::clean(message.as_ref()));
        self
    }

    /// Omits the heading, for a page that has one. Screen readers still get the title.
    #[must_use]
    pub fn without_heading(mut self) -> Self {
        self.has_no_heading = true;
        self
    }

    /// Sets the x axis.
    #[must_use]
    pub fn x(mut self, axis: Axis) -> Self {
        self.x = axis;
        self
    }

    /// Sets the y axis.
    #[must_use]
    pub fn y(mut self, axis: Axis) -> Self {
        self.y = axis;
        self
    }

    /// Adds a line through points `(x, y)`.
    #[must_use]
    pub fn line(self, name: impl AsRef<str>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.with(name.as_ref(), Shape::Line(series::points(points)))
    }

    /// Adds a step line: each value `(x, y)` holds until the next.
    #[must_use]
    pub fn step(self, name: impl AsRef<str>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.with(name.as_ref(), Shape::Step(series::points(points)))
    }

    /// Adds unconnected points `(x, y)`.
    #[must_use]
    pub fn points(
        self,
        name: impl AsRef<str>,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        self.with(name.as_ref(), Shape::Points(series::points(points)))
    }

    /// Adds bars `(from x, to x, y)`, stacked on earlier bars with the same start.
    ///
    /// ```
    /// use steadfast_draw::{Axis, Chart, SvgOptions};
    ///
    /// let chart = Chart::new("Ended per minute")
    ///     .x(Axis::seconds("time"))
    ///     .y(Axis::count("tasks").from_zero())
    ///     .bars("completed", [(0.0, 60.0, 12.0), (60.0, 120.0, 9.0)])
    ///     .bars("failed", [(0.0, 60.0, 1.0)]);
    /// assert!(chart.svg(&SvgOptions::default()).contains("0s to 1m: completed 12, failed 1"));
    /// ```
    #[must_use]
    pub fn bars(
        self,
        name: impl AsRef<str>,
        bars: impl IntoIterator<Item = (f64, f64, f64)>,
    ) -> Self {
        let stacked = bars::stacked(bars, &self.series);
        self.with(name.as_ref(), Shape::Bars(stacked))
    }

    /// Adds a band `(x, lower, upper)`. It is drawn under all lines, in the colour of the line, step or
    /// points added next.
    #[must_use]
    pub fn band(
        self,
        name: impl AsRef<str>,
        edges: impl IntoIterator<Item = (f64, f64, f64)>,
    ) -> Self {
        self.with(name.as_ref(), Shape::Band(series::edges(edges)))
    }

    /// Adds a labelled range of the x axis. A range that is not finite is ignored.
    #[must_use]
    pub fn region(mut self, label: impl AsRef<str>, from: f64, to: f64) -> Self {
        if from.is_finite() && to.is_finite() {
            let (from, to) = (series::bounded(from.min(to)), series::bounded(from.max(to)));
            self.regions.push(Region { label: text::clean(label.as_ref()), from, to });
            self.regions.sort_by(|a, b| a.from.total_cmp(&b.from));
        }
        self
    }

    /// Whether no value can be drawn.
    pub fn is_empty(&self) -> bool {
        self.spans().is_none()
    }

    fn with(mut self, name: &str, shape: Shape) -> Self {
        let colour = self.series.iter().filter(|series| !series.is_band()).count();
        self.series.push(Series::new(name, shape, colour));
        self
    }

    /// The ranges of both axes; `None` if no value can be drawn.
    pub(crate) fn spans(&self) -> Option<(Span, Span)> {
        let x = Span::tight(&self.x, self.series.iter().flat_map(Series::xs))?;
        let y = Span::rounded(&self.y, self.series.iter().flat_map(Series::ys))?;
        Some((x, y))
    }

    /// The series in drawing order: bands first, so that no line is hidden.
    pub(crate) fn painted(&self) -> impl Iterator<Item = &Series> {
        let bands = self.series.iter().filter(|series| series.is_band());
        bands.chain(self.series.iter().filter(|series| !series.is_band()))
    }

    pub(crate) fn has_bars(&self) -> bool {
        self.series.iter().any(|series| matches!(series.shape, Shape::Bars(_)))
    }

    /// A single series needs no legend.
    pub(crate) fn needs_legend(&self) -> bool {
        self.series.len() > 1
    }

    /// Shown instead of the plot.
    pub(crate) fn shown_when_empty(&self) -> &str {
        self.empty_message.as_deref().unwrap_or("No data yet")
    }

    /// A text description, for screen readers.
    pub(crate) fn described(&self) -> String {
        if self.is_empty() {
            return self.shown_when_empty().to_owned();
        }
        let mut sentences = Vec::new();
        sentences.extend(self.subtitle.clone());
        let axes = [("Vertical axis", &self.y), ("Horizontal axis", &self.x)];
        let labelled = axes.into_iter().filter(|(_, axis)| !axis.label.is_empty());
        sentences.extend(labelled.map(|(name, axis)| format!("{name}: {}", axis.label)));
        sentences.extend(self.series.iter().map(|series| self.extent(series)));
        sentences.extend(self.regions.iter().map(|region| {
            let (from, to) =
                (format_value(self.x.unit, region.from), format_value(self.x.unit, region.to));
            format!("{}: from {from} to {to}", region.label)
        }));
        sentences.join(". ") + "."
    }

    fn extent(&self, series: &Series) -> String {
        let low = series.amounts().reduce(f64::min);
        let high = series.amounts().reduce(f64::max);
        let (Some(low), Some(high)) = (low, high) else {
            return format!("{}: no data", series.name);
        };
        let (low, high) = (format_value(self.y.unit, low), format_value(self.y.unit, high));
        match low == high {
            true => format!("{}: {low}", series.name),
            false => format!("{}: between {low} and {high}", series.name),
        }
    }

    /// The tooltip of a value: `delay: 4s at attempt 3`.
    pub(crate) fn reading(&self, series: &Series, x: f64, y: &str) -> String {
        let (label, x) = (&self.x.label, format_value(self.x.unit, x));
        format!("{}: {y} at {label} {x}", series.name)
    }
}
