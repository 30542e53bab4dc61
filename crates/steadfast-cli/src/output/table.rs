//! Tables with aligned columns.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use comfy_table::presets::NOTHING;
use comfy_table::{Attribute, Cell, CellAlignment, Color, ContentArrangement};
use textwrap::{Options, WordSplitter};

use super::colour::HEADING;
use super::{sanitize, width};

#[derive(Clone, Copy, Debug)]
pub(crate) enum StatusColor {
    Success,
    Warning,
    Uncertain,
    Error,
    Active,
}

impl StatusColor {
    /// The colour in a table and outside.
    const fn colours(self) -> (Color, AnsiColor) {
        match self {
            Self::Success => (Color::Green, AnsiColor::Green),
            Self::Warning => (Color::Yellow, AnsiColor::Yellow),
            Self::Uncertain => (Color::Magenta, AnsiColor::Magenta),
            Self::Error => (Color::Red, AnsiColor::Red),
            Self::Active => (Color::Cyan, AnsiColor::Cyan),
        }
    }

    /// The style for text outside a table.
    pub(crate) const fn style(self) -> Style {
        self.colours().1.on_default()
    }
}

/// A table with column headings, or with a name in front of each row.
pub(crate) struct Table(comfy_table::Table);

impl Table {
    pub(crate) const GAP: usize = 2;

    /// A table with these headings, of which those in `right` are aligned right.
    pub(crate) fn with_columns(headings: &[&str], right: &[&str]) -> Self {
        let mut table = Self::bare();
        table.0.set_header(headings.iter().map(|heading| bold(heading)));
        for (column, heading) in table.0.column_iter_mut().zip(headings) {
            if right.contains(heading) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        table
    }

    pub(crate) fn bare() -> Self {
        let mut table = comfy_table::Table::new();
        table.load_style(NOTHING).enforce_styling().style_text_only();
        Self(table)
    }

    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.0.add_row(cells.into_iter().map(|cell| sanitize::line(&cell)).collect::<Vec<_>>());
    }

    pub(crate) fn colored_row(
        &mut self,
        cells: impl IntoIterator<Item = (String, Option<StatusColor>)>,
    ) {
        let cell = |(text, color): (String, Option<StatusColor>)| {
            let cell = Cell::new(sanitize::line(&text));
            match color {
                Some(color) => cell.fg(color.colours().0),
                None => cell,
            }
        };
        self.0.add_row(cells.into_iter().map(cell).collect::<Vec<_>>());
    }

    /// Adds a row with a bold name.
    pub(crate) fn entry(&mut self, name: &str, text: String) {
        self.0.add_row([bold(name), Cell::new(sanitize::line(&text))]);
    }

    pub(crate) fn colored_entry(&mut self, name: &str, text: &str, color: StatusColor) {
        self.0.add_row([bold(name), bold(text).fg(color.colours().0)]);
    }

    /// The width without any limit.
    pub(crate) fn width(&self) -> usize {
        let columns = self.0.column_max_content_widths();
        let gaps = columns.len().saturating_sub(1) * Self::GAP;
        columns.iter().map(|column| usize::from(*column)).sum::<usize>() + gaps
    }

    /// Returns `width` if the table does not fit into it.
    fn too_wide(&self, width: Option<u16>) -> Option<u16> {
        width.filter(|width| self.width() > usize::from(*width))
    }

    /// Writes the table, wrapped to the terminal on stdout.
    pub(crate) fn write(self, page: &mut dyn Write) -> io::Result<()> {
        self.write_within(page, width::of_stdout())
    }

    /// Writes the table, or if it is too wide the stacked rows: names with details below.
    pub(crate) fn write_or_stack(
        self,
        page: &mut dyn Write,
        stacked: impl IntoIterator<Item = (String, String)>,
    ) -> io::Result<()> {
        let Some(width) = self.too_wide(width::of_stdout()) else {
            return self.write_within(page, None);
        };
        let mut rows = stacked.into_iter();
        rows.try_for_each(|(name, rest)| write_stacked(page, width, &name, &rest))
    }

    /// Writes the table, wrapped to `width` if given.
    pub(crate) fn write_within(
        mut self,
        page: &mut dyn Write,
        width: Option<u16>,
    ) -> io::Result<()> {
        for column in self.0.column_iter_mut() {
            column.set_padding((0, Self::GAP as u16));
        }
        // With a width set, comfy-table pads the last column even of a table that fits.
        if let Some(width) = self.too_wide(width) {
            self.0.set_content_arrangement(ContentArrangement::Dynamic).set_width(width);
        }
        writeln!(page, "{}", self.0.trim_fmt())
    }
}

fn bold(text: &str) -> Cell {
    Cell::new(text).add_attribute(Attribute::Bold)
}

const INDENT: &str = "    ";

/// Writes a row for narrow terminals: the name, and the details below it no wider than `width`.
/// Words are never broken, so that names can be copied.
pub(crate) fn write_stacked(
    page: &mut dyn Write,
    width: u16,
    name: &str,
    rest: &str,
) -> io::Result<()> {
    let (name, rest) = (sanitize::line(name), sanitize::line(rest));
    writeln!(page, "{HEADING}{name}{HEADING:#}")?;
    let options = Options::new(usize::from(width))
        .initial_indent(INDENT)
        .subsequent_indent(INDENT)
        .break_words(false)
        .word_splitter(WordSplitter::NoHyphenation);
    textwrap::wrap(&rest, options).iter().try_for_each(|line| writeln!(page, "{line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(table: Table, width: Option<u16>) -> String {
        let mut page = anstream::StripStream::new(Vec::new());
        table.write_within(&mut page, width).unwrap();
        String::from_utf8(page.into_inner()).unwrap()
    }

    fn towns() -> Table {
        let mut table = Table::with_columns(&["town", "people"], &["people"]);
        table.row(["Bern", "134 591"].map(str::to_owned));
        table.row(["東京", "13 960 236"].map(str::to_owned));
        table
    }

    /// Section 10: columns line up, also with wide characters.
    #[test]
    fn wide_characters_keep_columns_aligned() {
        assert_eq!(
            written(towns(), None),
            "town      people\n\
             Bern     134 591\n\
             東京  13 960 236\n"
        );
    }

    #[test]
    fn too_wide_compares_content_with_width() {
        assert_eq!(towns().too_wide(None), None);
        assert_eq!(towns().too_wide(Some(16)), None);
        assert_eq!(towns().too_wide(Some(15)), Some(15));
    }

    #[test]
    fn table_of_exact_width_is_not_wrapped() {
        assert_eq!(written(towns(), Some(16)), written(towns(), None));
    }

    #[test]
    fn narrow_table_wraps_cells() {
        let narrow = written(towns(), Some(14));
        assert!(narrow.lines().all(|line| line.chars().count() <= 14), "{narrow}");
        assert!(narrow.contains("東京") && narrow.contains("236"), "{narrow}");
    }

    #[test]
    fn details_wrap_below_name_without_breaking_words() {
        let mut page = anstream::StripStream::new(Vec::new());
        write_stacked(
            &mut page,
            20,
            "a_name_longer_than_the_page",
            "full-jitter and a_word_that_is_longer",
        )
        .unwrap();
        let lines = "a_name_longer_than_the_page\n    full-jitter and\n    a_word_that_is_longer\n";
        assert_eq!(String::from_utf8(page.into_inner()).unwrap(), lines);
    }
}
