//! SVG output.
//!
//! The document is self-contained: no script, font or other file. It follows the preferred colour
//! scheme, and has a text description for screen readers.

mod frame;
mod legend;
mod marks;
mod style;

use svg::Document;
use svg::node::element::{Description, Element, Group, Line, Rectangle, Style, Text, Title};
use svg::node::{Node, Text as Words};

use crate::Chart;
use crate::palette::SERIES;
use crate::series::Series;
use crate::text;
use frame::Frame;
pub use style::{Theme, stylesheet};

/// The size and theme of an SVG.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SvgOptions {
    /// The width in pixels, at least 240; a page may scale it.
    pub width: u32,
    /// The height in pixels, at least 160.
    pub height: u32,
    /// The theme.
    pub theme: Theme,
}

impl Default for SvgOptions {
    /// 720 by 400, with the preferred colour scheme.
    fn default() -> Self {
        Self { width: 720, height: 400, theme: Theme::Auto }
    }
}

impl SvgOptions {
    pub(crate) fn with_minimum_size(mut self) -> Self {
        self.width = self.width.max(240);
        self.height = self.height.max(160);
        self
    }
}

impl Chart {
    /// The chart as an SVG document.
    pub fn svg(&self, options: &SvgOptions) -> String {
        let options = options.clone().with_minimum_size();
        document(self, &Frame::of(self, &options), options.theme).to_string()
    }
}

/// Stacks charts of the same size, each in a nested document.
pub(crate) fn stacked(charts: &[Chart], each: &SvgOptions) -> String {
    let height = each.height as usize;
    let mut sheet = Document::new()
        .set("viewBox", format!("0 0 {} {}", each.width, height * charts.len()))
        .set("width", each.width)
        .set("height", height * charts.len());
    for (place, chart) in charts.iter().enumerate() {
        let inner = document(chart, &Frame::of(chart, each), each.theme);
        sheet.append(inner.set("y", height * place));
    }
    sheet.to_string()
}

fn document(chart: &Chart, frame: &Frame, theme: Theme) -> Document {
    let document = Document::new()
        .set("class", "sd-chart")
        .set("viewBox", format!("0 0 {} {}", px(frame.width), px(frame.height)))
        .set("width", px(frame.width))
        .set("height", px(frame.height))
        .set("role", "img")
        .set("aria-label", chart.title.as_str())
        .add(Title::new(chart.title.as_str()))
        .add(Description::new().add(Words::new(chart.described())));
    let mut document = match style::of(theme, chart.has_bars()) {
        Some(style) => document.add(Style::new(style)),
        None => document,
    };
    let everything = Rectangle::new().set("width", "100%").set("height", "100%");
    document.append(everything.set("class", "sd-background"));
    document.append(heading(frame));
    match &frame.plot {
        Some(plot) => {
            document.append(frame.legend.draw(chart));
            document.append(axes(chart, plot));
            for part in marks::draw(chart, plot) {
                document.append(part);
            }
        }
        None => document.append(empty_state(chart, frame)),
    }
    document
}

fn empty_state(chart: &Chart, frame: &Frame) -> Element {
    let room = frame.width - 2.0 * frame::MARGIN;
    let message = text::shorten(chart.shown_when_empty(), room, |text| text::pixels(text, 14.0));
    words("sd-empty", frame.width / 2.0, frame.height / 2.0, &message)
}

fn heading(frame: &Frame) -> Group {
    let mut group = Group::new();
    for line in &frame.heading {
        group.append(words(line.class, frame::MARGIN, line.baseline, &line.text));
    }
    group
}

fn axes(chart: &Chart, plot: &frame::Plot) -> Group {
    let mut group = Group::new().set("class", "sd-axes");
    for (tick, y) in plot.y_tick_positions() {
        // The zero line is drawn like an axis.
        let kind = if tick.value == 0.0 { "sd-axis" } else { "sd-grid" };
        group.append(rule(kind, (plot.left, y), (plot.right, y)));
        group.append(words("sd-tick sd-end", plot.left - 8.0, y + 4.0, &tick.label));
    }
    for (tick, x) in plot.x_tick_positions() {
        group.append(rule("sd-axis", (x, plot.bottom), (x, plot.bottom + 5.0)));
        let middle = plot.x_label_middle(tick, x);
        group.append(words("sd-tick sd-middle", middle, plot.bottom + 19.0, &tick.label));
    }
    group.append(rule("sd-axis", (plot.left, plot.bottom), (plot.right, plot.bottom)));

    let room = plot.right - frame::MARGIN;
    let fitting = |label| text::shorten(label, room, |t| text::pixels(t, frame::LABEL_SIZE));
    let (x, y) = (fitting(&chart.x.label), fitting(&chart.y.label));
    group.append(words("sd-label", frame::MARGIN, plot.label_baseline(), &y));
    group.append(words("sd-label sd-end", plot.right, plot.bottom + 37.0, &x));
    group
}

fn rule(class: &str, from: (f64, f64), to: (f64, f64)) -> Line {
    // A thin line is sharp in the middle of a pixel.
    let crisp = |v: f64| px(v.floor() + 0.5);
    let line = Line::new().set("x1", crisp(from.0)).set("y1", crisp(from.1));
    line.set("x2", crisp(to.0)).set("y2", crisp(to.1)).set("class", class)
}

/// A text as a plain element, because `Text` would add line breaks around it.
fn words(class: &str, x: f64, y: f64, text: &str) -> Element {
    Text::new(text).set("x", px(x)).set("y", px(y)).set("class", class).into()
}

fn class(kind: &str, series: &Series) -> String {
    let dashed = if series.colour >= SERIES { " sd-dashed" } else { "" };
    format!("{kind} sd-s{}{dashed}", series.colour % SERIES + 1)
}

/// A coordinate, rounded to a tenth of a pixel.
fn px(coordinate: f64) -> String {
    let text = format!("{coordinate:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}
