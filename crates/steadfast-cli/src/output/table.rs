//! Tables for people: columns that line up, in any terminal and any script.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use comfy_table::presets::NOTHING;
use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement};

use super::sanitize;

/// Where a column's text stands.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Align {
    Left,
    Right,
}

/// What a text tells before it is read.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tone {
    Good,
    Careful,
    Doubtful,
    Bad,
    Busy,
}

impl Tone {
    const fn colour(self) -> Color {
        match self {
            Self::Good => Color::Green,
            Self::Careful => Color::Yellow,
            Self::Doubtful => Color::Magenta,
            Self::Bad => Color::Red,
            Self::Busy => Color::Cyan,
        }
    }

    /// The same for a text in no table.
    pub(crate) const fn style(self) -> Style {
        let colour = match self {
            Self::Good => AnsiColor::Green,
            Self::Careful => AnsiColor::Yellow,
            Self::Doubtful => AnsiColor::Magenta,
            Self::Bad => AnsiColor::Red,
            Self::Busy => AnsiColor::Cyan,
        };
        colour.on_default()
    }
}

/// Rows under a heading, or rows that each begin with their own name.
pub(crate) struct Table(comfy_table::Table);

impl Table {
    /// Between two columns.
    pub(crate) const GAP: usize = 2;

    /// A table whose columns have these headings.
    pub(crate) fn with_columns(columns: &[(&str, Align)]) -> Self {
        let mut table = Self::bare();
        table.0.set_header(columns.iter().map(|(heading, _)| bold(heading)));
        for (column, (_, align)) in table.0.column_iter_mut().zip(columns) {
            column.set_cell_alignment(match align {
                Align::Left => CellAlignment::Left,
                Align::Right => CellAlignment::Right,
            });
        }
        table
    }

    /// A table without headings.
    pub(crate) fn bare() -> Self {
        let mut table = comfy_table::Table::new();
        table.load_style(NOTHING).enforce_styling().style_text_only();
        Self(table)
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.0.add_row(cells.into_iter().map(|cell| sanitize::line(&cell)).collect::<Vec<_>>());
    }

    /// Adds a row of which some cells tell something before they are read.
    pub(crate) fn toned_row(&mut self, cells: impl IntoIterator<Item = (String, Option<Tone>)>) {
        let cell = |(text, tone): (String, Option<Tone>)| {
            let cell = Cell::new(sanitize::line(&text));
            match tone {
                Some(tone) => cell.fg(tone.colour()),
                None => cell,
            }
        };
        self.0.add_row(cells.into_iter().map(cell).collect::<Vec<_>>());
    }

    /// Adds a row that begins with its name.
    pub(crate) fn entry(&mut self, name: &str, text: String) {
        self.0.add_row([bold(name), Cell::new(sanitize::line(&text))]);
    }

    /// The same, and what to feel about it.
    pub(crate) fn toned_entry(&mut self, name: &str, text: &str, tone: Tone) {
        self.0.add_row([bold(name), bold(text).fg(tone.colour())]);
    }

    /// How wide it is where nothing limits it.
    pub(crate) fn width(&self) -> usize {
        let columns = self.0.column_max_content_widths();
        let gaps = columns.len().saturating_sub(1) * Self::GAP;
        columns.iter().map(|column| usize::from(*column)).sum::<usize>() + gaps
    }

    /// The width, if there is one and the table is wider.
    pub(crate) fn too_wide(&self, width: Option<u16>) -> Option<u16> {
        width.filter(|width| self.width() > usize::from(*width))
    }

    /// Writes it no wider than `width`, if there is one.
    pub(crate) fn write(mut self, page: &mut dyn Write, width: Option<u16>) -> io::Result<()> {
        for column in self.0.column_iter_mut() {
            column.set_padding((0, Self::GAP as u16));
        }
        // Told its width, a table that just fits would still make room behind its last column.
        if let Some(width) = self.too_wide(width) {
            self.0.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
        }
        writeln!(page, "{}", self.0.trim_fmt())
    }
}

fn bold(text: &str) -> Cell {
    Cell::new(text).add_attribute(Attribute::Bold)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(table: Table, width: Option<u16>) -> String {
        let mut page = anstream::StripStream::new(Vec::new());
        table.write(&mut page, width).unwrap();
        String::from_utf8(page.into_inner()).unwrap()
    }

    fn towns() -> Table {
        let mut table = Table::with_columns(&[("town", Align::Left), ("people", Align::Right)]);
        table.row(["Bern", "134 591"].map(str::to_owned));
        table.row(["東京", "13 960 236"].map(str::to_owned));
        table
    }

    /// Section 10: people get tables, and wide characters are as wide as they are.
    #[test]
    fn columns_line_up_with_wide_characters() {
        assert_eq!(
            written(towns(), None),
            "town      people\n\
             Bern     134 591\n\
             東京  13 960 236\n"
        );
    }

    #[test]
    fn a_table_knows_what_it_does_not_fit_into() {
        assert_eq!(towns().too_wide(None), None);
        assert_eq!(towns().too_wide(Some(16)), None);
        assert_eq!(towns().too_wide(Some(15)), Some(15));
    }

    #[test]
    fn a_table_that_just_fits_is_not_broken() {
        assert_eq!(written(towns(), Some(16)), written(towns(), None));
    }

    #[test]
    fn a_narrow_terminal_breaks_cells_and_not_the_table() {
        let narrow = written(towns(), Some(14));
        assert!(narrow.lines().all(|line| line.chars().count() <= 14), "{narrow}");
        assert!(narrow.contains("東京") && narrow.contains("236"), "{narrow}");
    }
}
