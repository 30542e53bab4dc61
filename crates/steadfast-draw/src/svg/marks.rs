//! The marks of an SVG chart: lines, bands, dots and regions.

use std::collections::BTreeSet;
use std::fmt::Write;

use svg::node::Node;
use svg::node::element::{Circle, Element, Group, Path, Rectangle, Title};

use super::frame::{LABEL_SIZE, MARGIN, Plot};
use super::{class, px, words};
use crate::Chart;
use crate::bars::{self, Bar};
use crate::chart::Region;
use crate::decimate::decimate;
use crate::number_format::format_value;
use crate::series::{Series, Shape, corners, runs};
use crate::text::pixels;

/// Lines with at most this many values have a dot for each.
const MAX_DOTTED_VALUES: usize = 40;
/// The number of tooltips on a longer line.
const MAX_READINGS: usize = 150;

/// The radius of a point.
pub(super) const DOT: f64 = 4.0;

/// Everything in the plot, from the lowest layer to the topmost.
pub(super) fn draw(chart: &Chart, plot: &Plot) -> Vec<Element> {
    let mut inside = clip(plot);
    for region in &chart.regions {
        inside.append(shade(region, plot));
    }
    for series in chart.painted() {
        inside.append(shape(series, plot));
    }
    // Dots are not clipped at the edge of the plot; lines are.
    let mut above = Group::new().set("class", "sd-values");
    for series in chart.painted() {
        for dot in dots(chart, series, plot) {
            above.append(dot);
        }
    }
    for column in columns(chart, plot) {
        above.append(column);
    }
    let mut parts = vec![inside, above.into()];
    parts.extend(region_labels(chart, plot));
    parts
}

/// A nested document that clips its contents at the edge of the plot. Unlike a clip path it needs no
/// id, which could collide with that of another chart in the page.
fn clip(plot: &Plot) -> Element {
    // One pixel more, so that a line on the edge has its full width.
    let (left, top) = (plot.left, plot.top - 1.0);
    let (width, height) = (plot.right - left, plot.bottom - top + 1.0);
    let mut clip = Element::new("svg");
    clip.assign("class", "sd-plot");
    clip.assign("x", px(left));
    clip.assign("y", px(top));
    clip.assign("width", px(width));
    clip.assign("height", px(height));
    clip.assign("viewBox", format!("{} {} {} {}", px(left), px(top), px(width), px(height)));
    clip
}

fn shape(series: &Series, plot: &Plot) -> Group {
    let mut group = Group::new().set("class", "sd-series");
    group.append(Title::new(series.name.as_str()));
    match &series.shape {
        Shape::Line(points) => {
            let paths = placed(points, plot).into_iter().map(|run| path(&decimate(run)));
            group.append(joined("sd-line", series, paths));
        }
        Shape::Step(points) => {
            let paths = placed(points, plot).into_iter().map(|run| path(&decimate(corners(&run))));
            group.append(joined("sd-line", series, paths));
        }
        Shape::Band(edges) => group.append(joined("sd-band", series, band(edges, plot))),
        Shape::Bars(bars) => {
            for bar in bars.iter().filter(|bar| bar.value() != 0.0) {
                if let Some(bar) = rectangle(bar, plot) {
                    group.append(bar.set("class", class("sd-bar", series)));
                }
            }
        }
        Shape::Points(_) => {}
    }
    group
}

/// A bar, with a small gap to its neighbours.
fn rectangle(bar: &Bar, plot: &Plot) -> Option<Rectangle> {
    let (left, right) = (plot.x_at(bar.from)?, plot.x_at(bar.to)?);
    let (top, bottom) = (plot.y_at_or_bottom(bar.high)?, plot.y_at_or_bottom(bar.low)?);
    let room = ((right - left) * 0.12).min(2.0);
    Some(upright(left + room, right - room, top.min(bottom), top.max(bottom)))
}

fn upright(left: f64, right: f64, top: f64, bottom: f64) -> Rectangle {
    let rectangle = Rectangle::new().set("x", px(left)).set("width", px((right - left).max(0.5)));
    rectangle.set("y", px(top)).set("height", px((bottom - top).max(0.0)))
}

/// The hover areas of bars, as high as the plot: the tooltip has the values of all bars of a column.
fn columns(chart: &Chart, plot: &Plot) -> Vec<Rectangle> {
    let columns = bars::columns(&chart.series).into_iter().filter_map(|(bar, values)| {
        let (left, right) = (plot.x_at(bar.from)?, plot.x_at(bar.to)?);
        let [from, to] = [bar.from, bar.to].map(|end| format_value(chart.x.unit, end));
        let value = |value: &f64| format_value(chart.y.unit, *value);
        let values = values.iter().map(|(name, it)| format!("{name} {}", value(it)));
        let read = format!("{from} to {to}: {}", values.collect::<Vec<_>>().join(", "));
        let column = upright(left, right, plot.top, plot.bottom);
        Some(column.set("class", "sd-hover").add(Title::new(read)))
    });
    columns.collect()
}

fn placed(points: &[(f64, f64)], plot: &Plot) -> Vec<Vec<(f64, f64)>> {
    runs(points.iter().map(|(x, y)| Some((plot.x_at(*x)?, plot.y_at(*y)?))))
}

fn band(edges: &[(f64, f64, f64)], plot: &Plot) -> impl Iterator<Item = String> {
    let places = edges.iter().map(|(x, lower, upper)| {
        Some((plot.x_at(*x)?, plot.y_at_or_bottom(*lower)?, plot.y_at_or_bottom(*upper)?))
    });
    runs(places).into_iter().map(|run| {
        let upper = decimate(run.iter().map(|(x, _, upper)| (*x, *upper)).collect());
        let lower = decimate(run.iter().map(|(x, lower, _)| (*x, *lower)).collect());
        let around: Vec<_> = upper.into_iter().chain(lower.into_iter().rev()).collect();
        path(&around) + "Z"
    })
}

fn joined(kind: &str, series: &Series, paths: impl Iterator<Item = String>) -> Path {
    Path::new().set("d", paths.collect::<String>()).set("class", class(kind, series))
}

fn path(places: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (x, y) in places {
        let command = if path.is_empty() { 'M' } else { 'L' };
        _ = write!(path, "{command}{} {}", px(*x), px(*y));
    }
    path
}

/// Dots with tooltips of their values; those of a long line are invisible.
fn dots(chart: &Chart, series: &Series, plot: &Plot) -> Vec<Circle> {
    let mark = |kind: &'static str, radius: f64| {
        move |((x, y), at_x, at_y): Placed| {
            let title = chart.reading(series, x, &format_value(chart.y.unit, y));
            dot(at_x, at_y, radius).set("class", class(kind, series)).add(Title::new(title))
        }
    };
    match &series.shape {
        Shape::Points(points) => spread(points, plot).map(mark("sd-dot", DOT)).collect(),
        Shape::Line(points) | Shape::Step(points) if points.len() <= MAX_DOTTED_VALUES => {
            inside(points, plot).map(mark("sd-dot", 3.5)).collect()
        }
        Shape::Line(points) | Shape::Step(points) => {
            let some = inside(points, plot).step_by(points.len().div_ceil(MAX_READINGS));
            some.map(mark("sd-hover", 6.0)).collect()
        }
        Shape::Band(edges) if edges.len() <= MAX_READINGS => {
            edges.iter().filter_map(|edge| middle(chart, series, *edge, plot)).collect()
        }
        Shape::Band(_) | Shape::Bars(_) => Vec::new(),
    }
}

/// The hover area of a band, between its edges.
fn middle(chart: &Chart, series: &Series, edge: (f64, f64, f64), plot: &Plot) -> Option<Circle> {
    let (x, lower, upper) = edge;
    let y = (plot.y_at_or_bottom(lower)? + plot.y_at_or_bottom(upper)?) / 2.0;
    let place = plot.x_at(x)?;
    if !plot.holds(place, y) {
        return None;
    }
    let range =
        format!("{} to {}", format_value(chart.y.unit, lower), format_value(chart.y.unit, upper));
    let title = Title::new(chart.reading(series, x, &range));
    Some(dot(place, y, 8.0).set("class", "sd-hover").add(title))
}

pub(super) fn dot(x: f64, y: f64, radius: f64) -> Circle {
    Circle::new().set("cx", px(x)).set("cy", px(y)).set("r", px(radius))
}

type Placed = ((f64, f64), f64, f64);

fn inside<'a>(points: &'a [(f64, f64)], plot: &'a Plot) -> impl Iterator<Item = Placed> + 'a {
    points
        .iter()
        .filter_map(|(x, y)| Some(((*x, *y), plot.x_at(*x)?, plot.y_at(*y)?)))
        .filter(|(_, x, y)| plot.holds(*x, *y))
}

/// Removes dots that are hidden by another one, which would only make the file larger.
fn spread<'a>(points: &'a [(f64, f64)], plot: &'a Plot) -> impl Iterator<Item = Placed> + 'a {
    let half_a_dot = |place: f64| (place / DOT) as i64;
    let mut taken = BTreeSet::new();
    inside(points, plot).filter(move |(_, x, y)| taken.insert((half_a_dot(*x), half_a_dot(*y))))
}

/// The part of a region that is within the plot.
fn visible(region: &Region, plot: &Plot) -> (f64, f64) {
    let place = |x: f64, otherwise: f64| plot.x_at(x).unwrap_or(otherwise);
    let clamp = |x: f64| x.clamp(plot.left, plot.right);
    (clamp(place(region.from, plot.left)), clamp(place(region.to, plot.left)))
}

fn shade(region: &Region, plot: &Plot) -> Rectangle {
    let (from, to) = visible(region, plot);
    Rectangle::new()
        .set("x", px(from))
        .set("y", px(plot.top))
        .set("width", px(to - from))
        .set("height", px(plot.bottom - plot.top))
        .set("class", "sd-region")
        .add(Title::new(region.label.as_str()))
}

/// The labels of regions, above the plot. A label that does not fit between its neighbours is
/// omitted: the region has a tooltip.
fn region_labels(chart: &Chart, plot: &Plot) -> Vec<Element> {
    let mut free_from = match pixels(&chart.y.label, LABEL_SIZE) {
        0.0 => plot.left,
        label => MARGIN + label + GAP,
    };
    let mut labels = Vec::new();
    for region in &chart.regions {
        let (from, to) = visible(region, plot);
        let width = pixels(&region.label, LABEL_SIZE);
        let start = (f64::midpoint(from, to) - width / 2.0).min(plot.right - width).max(free_from);
        let beside_it = start > to || start + width < from;
        if to <= from || beside_it || start + width > plot.right {
            continue;
        }
        labels.push(words("sd-label", start, plot.label_baseline(), &region.label));
        free_from = start + width + GAP;
    }
    labels
}

/// The distance between two labels.
const GAP: f64 = 12.0;
