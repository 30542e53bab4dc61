//! Several charts one under the other, as one picture.
//!
//! What one simulation did to a service and to its clients is two charts and one story; whoever
//! keeps the picture wants one file.

use crate::{Chart, SvgOptions, TerminalOptions};

/// Charts that share a picture, each with its part of the height.
///
/// ```
/// use steadfast_draw::{Chart, Sheet, SvgOptions};
///
/// let load = Chart::new("Load").line("calls", [(0.0, 10.0), (1.0, 40.0)]);
/// let done = Chart::new("Done").line("clients", [(0.0, 0.1), (1.0, 0.9)]);
/// let svg = Sheet::new([load, done]).svg(&SvgOptions { height: 800, ..Default::default() });
/// assert!(svg.starts_with("<svg"));
/// assert!(svg.contains("Load") && svg.contains("Done"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    pub(crate) charts: Vec<Chart>,
}

impl From<Chart> for Sheet {
    fn from(chart: Chart) -> Self {
        Self { charts: vec![chart] }
    }
}

impl Sheet {
    /// These charts, from top to bottom.
    pub fn new(charts: impl IntoIterator<Item = Chart>) -> Self {
        Self { charts: charts.into_iter().collect() }
    }

    /// How many charts it has.
    pub fn len(&self) -> usize {
        self.charts.len()
    }

    /// Whether it has no chart.
    pub fn is_empty(&self) -> bool {
        self.charts.is_empty()
    }

    /// The part of a height that each chart has.
    pub(crate) fn share(&self, height: u32) -> u32 {
        height / u32::try_from(self.charts.len().max(1)).unwrap_or(u32::MAX)
    }

    /// The sheet as an SVG document. The height is that of all charts together.
    pub fn svg(&self, options: &SvgOptions) -> String {
        match &*self.charts {
            [chart] => chart.svg(options),
            charts => crate::svg::stacked(charts, &self.each(options)),
        }
    }

    pub(crate) fn each(&self, options: &SvgOptions) -> SvgOptions {
        SvgOptions { height: self.share(options.height), ..options.clone() }.at_least_smallest()
    }

    /// The sheet as lines of text. The height is that of all charts together.
    pub fn terminal(&self, options: &TerminalOptions) -> String {
        let share = self.share(u32::from(options.height));
        let each =
            TerminalOptions { height: u16::try_from(share).unwrap_or(u16::MAX), ..options.clone() };
        let drawn: Vec<String> = self.charts.iter().map(|chart| chart.terminal(&each)).collect();
        drawn.join("\n")
    }
}
