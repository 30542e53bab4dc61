//! Several charts stacked vertically in one picture.
//!
//! The load and the completions of a simulation are two charts that belong in one file.

use crate::{Chart, SvgOptions, TerminalOptions};

/// Charts stacked vertically, each with an equal share of the height.
///
/// ```
/// use steadfast_draw::{Chart, ChartStack, SvgOptions};
///
/// let load = Chart::new("Load").line("calls", [(0.0, 10.0), (1.0, 40.0)]);
/// let done = Chart::new("Done").line("clients", [(0.0, 0.1), (1.0, 0.9)]);
/// let svg = ChartStack::new([load, done]).svg(&SvgOptions { height: 800, ..Default::default() });
/// assert!(svg.starts_with("<svg"));
/// assert!(svg.contains("Load") && svg.contains("Done"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChartStack {
    pub(crate) charts: Vec<Chart>,
}

impl From<Chart> for ChartStack {
    fn from(chart: Chart) -> Self {
        Self { charts: vec![chart] }
    }
}

impl ChartStack {
    /// These charts, from top to bottom.
    pub fn new(charts: impl IntoIterator<Item = Chart>) -> Self {
        Self { charts: charts.into_iter().collect() }
    }

    /// The number of charts.
    pub fn len(&self) -> usize {
        self.charts.len()
    }

    /// Whether there are no charts.
    pub fn is_empty(&self) -> bool {
        self.charts.is_empty()
    }

    /// The height of each chart.
    pub(crate) fn share(&self, height: u32) -> u32 {
        height / u32::try_from(self.charts.len().max(1)).unwrap_or(u32::MAX)
    }

    /// The charts as an SVG document. The height is that of all charts together.
    pub fn svg(&self, options: &SvgOptions) -> String {
        match &*self.charts {
            [chart] => chart.svg(options),
            charts => crate::svg::stacked(charts, &self.each(options)),
        }
    }

    pub(crate) fn each(&self, options: &SvgOptions) -> SvgOptions {
        SvgOptions { height: self.share(options.height), ..options.clone() }.with_minimum_size()
    }

    /// The charts as lines of text. The height is that of all charts together.
    pub fn terminal(&self, options: &TerminalOptions) -> String {
        let share = self.share(u32::from(options.height));
        let each =
            TerminalOptions { height: u16::try_from(share).unwrap_or(u16::MAX), ..options.clone() };
        let drawn: Vec<String> = self.charts.iter().map(|chart| chart.terminal(&each)).collect();
        drawn.join("\n")
    }
}
