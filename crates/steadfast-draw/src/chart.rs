//! A chart as it is described, before it is drawn.

use crate::figures::figure;
use crate::series::{self, Series, Shape};
use crate::span::Span;
use crate::{Axis, bars, text};

/// What is to be drawn: plain data, the same for every way of drawing it.
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
}

/// A stretch of the x axis that something is to be said about.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Region {
    pub(crate) label: String,
    pub(crate) from: f64,
    pub(crate) to: f64,
}

impl Chart {
    /// A chart with nothing in it yet.
    pub fn new(title: impl AsRef<str>) -> Self {
        Self { title: text::clean(title.as_ref()), ..Self::default() }
    }

    /// A second line under the title, for what the title leaves open.
    #[must_use]
    pub fn subtitle(mut self, subtitle: impl AsRef<str>) -> Self {
        self.subtitle = Some(text::clean(subtitle.as_ref()));
        self
    }

    /// Draws no title: the page around it has one. It is still read out.
    #[must_use]
    pub fn without_heading(mut self) -> Self {
        self.has_no_heading = true;
        self
    }

    /// What is measured from left to right.
    #[must_use]
    pub fn x(mut self, axis: Axis) -> Self {
        self.x = axis;
        self
    }

    /// What is measured from bottom to top.
    #[must_use]
    pub fn y(mut self, axis: Axis) -> Self {
        self.y = axis;
        self
    }

    /// Straight lines through points `(x, y)`, in the order given.
    #[must_use]
    pub fn line(self, name: impl AsRef<str>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.with(name.as_ref(), Shape::Line(series::points(points)))
    }

    /// Values that hold until the next one: `(from x on, y)`.
    #[must_use]
    pub fn step(self, name: impl AsRef<str>, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.with(name.as_ref(), Shape::Step(series::points(points)))
    }

    /// Points `(x, y)` with nothing between them.
    #[must_use]
    pub fn points(
        self,
        name: impl AsRef<str>,
        points: impl IntoIterator<Item = (f64, f64)>,
    ) -> Self {
        self.with(name.as_ref(), Shape::Points(series::points(points)))
    }

    /// Bars `(from x, to x, y)`, each on top of the bars before it that begin at the same x.
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

    /// The area between a lower and an upper edge, `(x, lower, upper)`. It lies under every line
    /// and has the colour of the line, step or points added next, if one is.
    #[must_use]
    pub fn band(
        self,
        name: impl AsRef<str>,
        edges: impl IntoIterator<Item = (f64, f64, f64)>,
    ) -> Self {
        self.with(name.as_ref(), Shape::Band(series::edges(edges)))
    }

    /// Marks a stretch of the x axis, in either order of its ends. One that has an end which is
    /// not finite is left out.
    #[must_use]
    pub fn region(mut self, label: impl AsRef<str>, from: f64, to: f64) -> Self {
        if from.is_finite() && to.is_finite() {
            let (from, to) = (series::bounded(from.min(to)), series::bounded(from.max(to)));
            self.regions.push(Region { label: text::clean(label.as_ref()), from, to });
            self.regions.sort_by(|a, b| a.from.total_cmp(&b.from));
        }
        self
    }

    /// Whether it holds no value that can be drawn.
    pub fn is_empty(&self) -> bool {
        self.spans().is_none()
    }

    fn with(mut self, name: &str, shape: Shape) -> Self {
        let colour = self.series.iter().filter(|series| !series.is_band()).count();
        self.series.push(Series::new(name, shape, colour));
        self
    }

    /// How far both axes reach, if there is anything to draw.
    pub(crate) fn spans(&self) -> Option<(Span, Span)> {
        let x = Span::tight(&self.x, self.series.iter().flat_map(Series::xs))?;
        let y = Span::rounded(&self.y, self.series.iter().flat_map(Series::ys))?;
        Some((x, y))
    }

    /// Series as they are painted: bands first, so that no line is hidden.
    pub(crate) fn painted(&self) -> impl Iterator<Item = &Series> {
        let bands = self.series.iter().filter(|series| series.is_band());
        bands.chain(self.series.iter().filter(|series| !series.is_band()))
    }

    pub(crate) fn has_bars(&self) -> bool {
        self.series.iter().any(|series| matches!(series.shape, Shape::Bars(_)))
    }

    /// A name says nothing if there is only one.
    pub(crate) fn needs_legend(&self) -> bool {
        self.series.len() > 1
    }

    /// The chart in words, for those who can't see it.
    pub(crate) fn described(&self) -> String {
        if self.is_empty() {
            return NOTHING_TO_DRAW.to_owned();
        }
        let mut sentences = Vec::new();
        sentences.extend(self.subtitle.clone());
        sentences.push(format!("{} over {}", named(&self.y, "values"), named(&self.x, "x")));
        sentences.extend(self.series.iter().map(|series| self.extent(series)));
        sentences.extend(self.regions.iter().map(|region| {
            let (from, to) = (figure(self.x.unit, region.from), figure(self.x.unit, region.to));
            format!("{}: from {from} to {to}", region.label)
        }));
        sentences.join(". ") + "."
    }

    fn extent(&self, series: &Series) -> String {
        let low = series.ys().reduce(f64::min);
        let high = series.ys().reduce(f64::max);
        let (Some(low), Some(high)) = (low, high) else {
            return format!("{}: nothing to draw", series.name);
        };
        let (low, high) = (figure(self.y.unit, low), figure(self.y.unit, high));
        format!("{}: between {low} and {high}", series.name)
    }

    /// A value in words: `delay: 4s at attempt 3`.
    pub(crate) fn reading(&self, series: &Series, x: f64, y: &str) -> String {
        let (label, x) = (&self.x.label, figure(self.x.unit, x));
        format!("{}: {y} at {label} {x}", series.name)
    }
}

/// Stands where the plot would be.
pub(crate) const NOTHING_TO_DRAW: &str = "Nothing to draw: no values yet";

fn named<'a>(axis: &'a Axis, otherwise: &'a str) -> &'a str {
    if axis.label.is_empty() { otherwise } else { &axis.label }
}
