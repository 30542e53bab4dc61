//! The plot of terminal output: canvas, axes and region labels.

use super::Shape;
use super::canvas::{Canvas, Cell};
use super::pen::{Pen, Row, letter};
use crate::chart::Region;
use crate::series::{corners, runs};
use crate::span::Span;
use crate::ticks::{self, Tick};
use crate::{Chart, text};

/// A plot and its axes, with their positions and sizes.
struct Plot<'a> {
    chart: &'a Chart,
    pen: &'a Pen,
    x: Span,
    y: Span,
    canvas: Canvas,
    /// Columns to the left of the axis.
    gutter: usize,
    x_ticks: Vec<(Tick, usize)>,
    y_ticks: Vec<(Tick, usize)>,
}

/// The minimum number of rows of a readable plot.
const MIN_ROWS: usize = 4;

pub(super) fn draw(
    chart: &Chart,
    (x, y): (Span, Span),
    pen: &Pen,
    width: usize,
    height: usize,
) -> Vec<Row> {
    let labels = [&chart.x.label, &chart.y.label].iter().filter(|label| !label.is_empty()).count();
    let regions = usize::from(!chart.regions.is_empty());
    // The axis and its ticks take two rows more.
    let rows = height.saturating_sub(labels + regions + 2).max(MIN_ROWS);
    let y_ticks = y_ticks(chart, y, rows);
    let widest = y_ticks.iter().map(|(tick, _)| text::columns(&tick.label)).max().unwrap_or(0);
    let gutter = widest.min(width / 3);
    let columns = width - gutter - 2;
    let canvas = Canvas::new(columns, rows);
    let x_ticks = x_ticks(chart, x, &canvas);
    let mut plot = Plot { chart, pen, x, y, canvas, gutter, x_ticks, y_ticks };
    plot.paint();
    plot.rows(width)
}

fn y_ticks(chart: &Chart, span: Span, rows: usize) -> Vec<(Tick, usize)> {
    let canvas = Canvas::new(1, rows);
    let row = |tick: &Tick| {
        let place = span.position(tick.value).unwrap_or(0.0);
        canvas.cell_of(0.0, (1.0 - place) * canvas.last_y()).1
    };
    let chosen = ticks::choose_apart(&span, chart.y.unit, 2.0, |tick| {
        let row = row(tick) as f64;
        Some((row, row))
    });
    chosen.into_iter().map(|tick| (tick.clone(), row(&tick))).collect()
}

fn x_ticks(chart: &Chart, span: Span, canvas: &Canvas) -> Vec<(Tick, usize)> {
    let column = |tick: &Tick| {
        canvas.cell_of(span.position(tick.value).unwrap_or(0.0) * canvas.last_x(), 0.0).0
    };
    let chosen = ticks::choose_apart(&span, chart.x.unit, 2.0, |tick| {
        let width = text::columns(&tick.label);
        let from = label_start(column(tick), width, canvas.columns);
        Some((from as f64, (from + width) as f64))
    });
    chosen.into_iter().map(|tick| (tick.clone(), column(&tick))).collect()
}

/// The position of a label: centred on its tick, inside the plot.
fn label_start(column: usize, width: usize, columns: usize) -> usize {
    column.saturating_sub(width / 2).min(columns.saturating_sub(width))
}

impl Plot<'_> {
    fn x_at(&self, value: f64) -> Option<f64> {
        Some(self.x.position(value)? * self.canvas.last_x())
    }

    fn y_at(&self, value: f64) -> Option<f64> {
        Some((1.0 - self.y.position(value)?) * self.canvas.last_y())
    }

    fn y_at_or_bottom(&self, value: f64) -> Option<f64> {
        Some((1.0 - self.y.position_or_low(value)?) * self.canvas.last_y())
    }

    fn paint(&mut self) {
        for region in &self.chart.regions {
            for end in [region.from, region.to] {
                if let Some(x) = self.x_at(end) {
                    self.canvas.edge(x);
                }
            }
        }
        for series in self.chart.painted() {
            match &series.shape {
                Shape::Line(points) => {
                    let runs = self.placed(points);
                    self.lines(&runs, series.colour);
                }
                Shape::Step(points) => {
                    let runs: Vec<_> = self.placed(points).iter().map(|run| corners(run)).collect();
                    self.lines(&runs, series.colour);
                }
                Shape::Band(edges) => self.band(edges, series.colour),
                Shape::Bars(bars) => {
                    // Only the tops of the bars are drawn.
                    let tops = bars.iter().map(|bar| [(bar.from, bar.high), (bar.to, bar.high)]);
                    let runs: Vec<_> = tops.flat_map(|top| self.placed(&top)).collect();
                    self.lines(&runs, series.colour);
                }
                Shape::Points(points) => {
                    for place in self.placed(points).into_iter().flatten() {
                        self.canvas.point(place, series.colour);
                    }
                }
            }
        }
    }

    fn placed(&self, points: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
        runs(points.iter().map(|(x, y)| Some((self.x_at(*x)?, self.y_at(*y)?))))
    }

    fn lines(&mut self, runs: &[Vec<(f64, f64)>], colour: usize) {
        for run in runs {
            // A single value between two gaps is drawn as a point.
            if let [alone] = run.as_slice() {
                self.canvas.point(*alone, colour);
            }
            for (a, b) in run.iter().zip(run.iter().skip(1)) {
                self.canvas.line(*a, *b, colour);
            }
        }
    }

    fn band(&mut self, edges: &[(f64, f64, f64)], colour: usize) {
        let places = edges.iter().map(|(x, lower, upper)| {
            Some((self.x_at(*x)?, self.y_at_or_bottom(*upper)?, self.y_at_or_bottom(*lower)?))
        });
        for run in runs(places.collect::<Vec<_>>()) {
            if let [alone] = run.as_slice() {
                self.canvas.band(*alone, *alone, colour);
            }
            for (a, b) in run.iter().zip(run.iter().skip(1)) {
                self.canvas.band(*a, *b, colour);
            }
        }
    }

    fn rows(&self, width: usize) -> Vec<Row> {
        let mut rows = Vec::new();
        let chart = self.chart;
        if !chart.y.label.is_empty() {
            rows.push(self.pen.row().muted(&self.pen.fit(&chart.y.label, width)));
        }
        if !chart.regions.is_empty() {
            rows.push(self.region_names());
        }
        rows.extend((0..self.canvas.rows).map(|row| self.canvas_row(row)));
        rows.extend([self.floor(), self.x_labels()]);
        if !chart.x.label.is_empty() {
            let label = self.pen.fit(&chart.x.label, self.canvas.columns);
            let indent = self.gutter + 1 + self.canvas.columns - text::columns(&label);
            rows.push(self.pen.row().plain(&" ".repeat(indent)).muted(&label));
        }
        rows
    }

    fn canvas_row(&self, row: usize) -> Row {
        let tick = self.y_ticks.iter().find(|(_, at)| *at == row);
        let label = tick.map_or(String::new(), |(tick, _)| self.pen.fit(&tick.label, self.gutter));
        let indent = self.gutter - text::columns(&label);
        let (side, side_tick) = (self.pen.glyph("│", "|"), self.pen.glyph("┤", "+"));
        let side = if tick.is_some() { side_tick } else { side };
        let mut line = self.pen.row().plain(&" ".repeat(indent)).muted(&label).muted(side);
        for (column, cell) in self.canvas.row(row).enumerate() {
            line = self.cell(line, cell, column);
        }
        line
    }

    fn cell(&self, row: Row, cell: &Cell, column: usize) -> Row {
        let pen = self.pen;
        if let Some(colour) = cell.point {
            return row.coloured(pen.point(colour), colour);
        }
        if let Some(colour) = cell.line {
            let lettered = pen.is_lettered() && has_letter(colour, column);
            let c = if lettered { letter(colour) } else { pen.line(cell.dots, colour) };
            return row.coloured(c, colour);
        }
        if let Some(colour) = cell.band {
            return row.faint(pen.band(), colour);
        }
        if cell.edge { row.muted(pen.glyph("┊", ":")) } else { row.plain(" ") }
    }

    fn floor(&self) -> Row {
        let corner = self.pen.glyph("└", "+");
        let (line, tick) = (self.pen.glyph("─", "-"), self.pen.glyph("┬", "+"));
        let is_tick = |column| self.x_ticks.iter().any(|(_, at)| *at == column);
        let columns = 0..self.canvas.columns;
        let floor: String = columns.map(|it| if is_tick(it) { tick } else { line }).collect();
        self.pen.row().plain(&" ".repeat(self.gutter)).muted(corner).muted(&floor)
    }

    fn x_labels(&self) -> Row {
        let mut labels = String::new();
        for (tick, column) in &self.x_ticks {
            let width = text::columns(&tick.label);
            let start = label_start(*column, width, self.canvas.columns);
            labels += &" ".repeat(start.saturating_sub(text::columns(&labels)));
            labels += &tick.label;
        }
        self.pen.row().plain(&" ".repeat(self.gutter + 1)).muted(&labels)
    }

    /// The labels of regions, each above its region; a label that would overlap another is omitted.
    fn region_names(&self) -> Row {
        let mut names = String::new();
        for region in &self.chart.regions {
            let used = text::columns(&names);
            match self.stretch(region) {
                Some((from, to)) if from >= used => {
                    names += &" ".repeat(from - used);
                    names += &self.bracket(&region.label, to + 1 - from, from);
                }
                _ => {}
            }
        }
        let names = self.pen.fit(&names, self.canvas.columns);
        self.pen.row().plain(&" ".repeat(self.gutter + 1)).muted(&names)
    }

    /// The first and the last column of a region, if it is in the plot.
    fn stretch(&self, region: &Region) -> Option<(usize, usize)> {
        let from = self.x_at(region.from).unwrap_or(0.0);
        let to = self.x_at(region.to)?;
        if to < 0.0 || from > self.canvas.last_x() {
            return None;
        }
        Some((self.canvas.cell_of(from, 0.0).0, self.canvas.cell_of(to, 0.0).0))
    }

    /// `├─ outage ─┤`, `width` columns wide, or wider if its label needs it and there is room.
    fn bracket(&self, label: &str, width: usize, from: usize) -> String {
        let label = self.pen.fit(label, (self.canvas.columns - from).saturating_sub(4));
        let free = width.saturating_sub(text::columns(&label) + 4);
        let (from, to) = (self.pen.glyph("├", "|"), self.pen.glyph("┤", "|"));
        let line = |count: usize| self.pen.glyph("─", "-").repeat(count);
        format!("{from}{} {label} {}{to}", line(free / 2), line(free - free / 2))
    }
}

/// The distance of letters on a line.
const LETTER_INTERVAL_COLUMNS: usize = 10;

/// Whether a line shows its letter in this column. Each line uses different columns, so that
/// overlapping lines are distinguishable.
fn has_letter(colour: usize, column: usize) -> bool {
    column % LETTER_INTERVAL_COLUMNS == (2 + colour * 3) % LETTER_INTERVAL_COLUMNS
}
