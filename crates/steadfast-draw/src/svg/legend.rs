//! The legend of an SVG chart.

use svg::node::Node;
use svg::node::element::{Element, Group, Line, Rectangle};

use super::frame::{LABEL_SIZE, MARGIN};
use super::{class, marks, px, words};
use crate::Chart;
use crate::series::{Series, Shape};
use crate::text::{pixels, shorten};

/// The distance from the start of a sample to its name.
const SAMPLE: f64 = 22.0;
/// The distance from a name to the next sample.
const GAP: f64 = 18.0;
pub(super) const ROW: f64 = 20.0;

pub(super) struct Legend {
    entries: Vec<Entry>,
}

struct Entry {
    x: f64,
    baseline: f64,
    text: String,
    /// The series; `None` for the entry that counts the omitted series.
    series: Option<usize>,
}

impl Entry {
    fn end(&self) -> f64 {
        self.x + SAMPLE + pixels(&self.text, LABEL_SIZE)
    }
}

impl Legend {
    /// The legend of a chart, on at most `max_rows` rows below `top`.
    pub(super) fn of(chart: &Chart, width: f64, top: f64, max_rows: usize) -> Self {
        if !chart.needs_legend() || chart.is_empty() || max_rows == 0 {
            return Self { entries: Vec::new() };
        }
        let right = width - MARGIN;
        let lowest = top + ROW * max_rows as f64;
        let mut entries: Vec<Entry> = Vec::new();
        for (index, series) in chart.series.iter().enumerate() {
            let text = shorten(&series.name, width * 0.4, |text| pixels(text, LABEL_SIZE));
            let entry = next(entries.last(), text, right, top);
            if entry.baseline > lowest {
                return Self { entries: with_rest(entries, chart.series.len(), right, top) };
            }
            entries.push(Entry { series: Some(index), ..entry });
        }
        Self { entries }
    }

    /// The lower end of the legend; `None` if it is empty.
    pub(super) fn bottom(&self) -> Option<f64> {
        self.entries.last().map(|entry| entry.baseline + 6.0)
    }

    pub(super) fn draw(&self, chart: &Chart) -> Group {
        let mut group = Group::new().set("class", "sd-legend");
        for entry in &self.entries {
            let series = entry.series.and_then(|index| chart.series.get(index));
            if let Some(series) = series {
                group.append(sample(series, entry.x, entry.baseline - 4.0));
            }
            let indent = if series.is_some() { SAMPLE } else { 0.0 };
            group.append(words("sd-label", entry.x + indent, entry.baseline, &entry.text));
        }
        group
    }
}

/// An entry to the right of the previous one, or on a new row.
fn next(before: Option<&Entry>, text: String, right: f64, top: f64) -> Entry {
    let Some(before) = before else {
        return Entry { x: MARGIN, baseline: top + ROW, text, series: None };
    };
    let beside = Entry { x: before.end() + GAP, baseline: before.baseline, text, series: None };
    if beside.end() <= right {
        return beside;
    }
    Entry { x: MARGIN, baseline: before.baseline + ROW, ..beside }
}

/// Adds an entry with the number of omitted series, and removes entries until it fits.
fn with_rest(mut entries: Vec<Entry>, series: usize, right: f64, top: f64) -> Vec<Entry> {
    while let Some(last) = entries.last() {
        let rest = format!("and {} more", series - entries.len());
        let entry = next(Some(last), rest, right, top);
        if entry.baseline == last.baseline {
            entries.push(entry);
            return entries;
        }
        entries.pop();
    }
    vec![next(None, format!("{series} series"), right, top)]
}

fn sample(series: &Series, x: f64, y: f64) -> Element {
    match series.shape {
        Shape::Band(_) => swatch(x, y, 16).set("class", class("sd-band", series)).into(),
        Shape::Bars(_) => swatch(x + 3.0, y, 10).set("class", class("sd-bar", series)).into(),
        Shape::Points(_) => {
            marks::dot(x + 8.0, y, marks::DOT).set("class", class("sd-dot", series)).into()
        }
        Shape::Line(_) | Shape::Step(_) => {
            let line = Line::new().set("x1", px(x)).set("x2", px(x + 16.0));
            line.set("y1", px(y)).set("y2", px(y)).set("class", class("sd-line", series)).into()
        }
    }
}

fn swatch(x: f64, y: f64, width: u32) -> Rectangle {
    let swatch = Rectangle::new().set("x", px(x)).set("y", px(y - 5.0));
    swatch.set("width", width).set("height", 10).set("rx", 2)
}
