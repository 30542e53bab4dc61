//! Terminal output.
//!
//! Lines are drawn in Braille and bands as shade, or all of it in ASCII. Without colours, letters
//! distinguish the lines.

mod canvas;
mod pen;
mod plot;

use crate::series::{Series, Shape};
use crate::{Chart, text};
use pen::{Pen, Row};

/// The size of the text and the capabilities of the terminal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TerminalOptions {
    /// The width in columns, at least 24.
    pub width: u16,
    /// The height in lines, at least 10; a long legend may exceed it.
    pub height: u16,
    /// ASCII only.
    pub ascii: bool,
    /// Colours, as ANSI escape sequences.
    pub colour: bool,
}

impl Default for TerminalOptions {
    /// 80 columns, 20 lines, Unicode, no colour.
    fn default() -> Self {
        Self { width: 80, height: 20, ascii: false, colour: false }
    }
}

impl Chart {
    /// The chart as lines of text, each with its line break.
    ///
    /// ```
    /// use steadfast_draw::{Chart, TerminalOptions};
    ///
    /// let chart = Chart::new("Delay").line("delay", [(1.0, 0.5), (2.0, 1.0), (3.0, 2.0)]);
    /// let text = chart.terminal(&TerminalOptions { width: 40, ascii: true, ..Default::default() });
    /// assert!(text.is_ascii());
    /// assert!(text.lines().all(|line| line.len() <= 40));
    /// ```
    pub fn terminal(&self, options: &TerminalOptions) -> String {
        let pen = Pen::new(options, self);
        let width = usize::from(options.width.max(24));
        let height = usize::from(options.height.max(10));

        let mut rows = heading(self, &pen, width);
        match self.spans() {
            Some(spans) => {
                rows.extend(legend(self, &pen, width));
                let left = height.saturating_sub(rows.len());
                rows.extend(plot::draw(self, spans, &pen, width, left));
            }
            None => rows.push(pen.row().muted(&pen.fit(self.shown_when_empty(), width))),
        }
        rows.iter().map(|row| row.finish() + "\n").collect()
    }
}

fn heading(chart: &Chart, pen: &Pen, width: usize) -> Vec<Row> {
    let mut rows = vec![pen.row().bold(&pen.fit(&chart.title, width))];
    rows.extend(chart.subtitle.iter().map(|line| pen.row().muted(&pen.fit(line, width))));
    rows
}

/// The legend, on as many rows as needed.
fn legend(chart: &Chart, pen: &Pen, width: usize) -> Vec<Row> {
    if !chart.needs_legend() {
        return Vec::new();
    }
    let mut rows = Vec::new();
    let mut row = pen.row();
    for series in &chart.series {
        let name = pen.fit(&series.name, width - 3);
        let room = text::columns(&name) + 2;
        if row.width() > 0 && row.width() + 2 + room > width {
            rows.push(std::mem::replace(&mut row, pen.row()));
        }
        if row.width() > 0 {
            row = row.plain("  ");
        }
        row = row.coloured(pen.sample(series), series.colour).plain(" ").plain(&name);
    }
    rows.push(row);
    rows
}
