//! The characters and colours of terminal output.

use anstyle::{AnsiColor, Style};

use super::{Series, Shape, TerminalOptions};
use crate::{Chart, text};

#[derive(Debug)]
pub(super) struct Pen {
    ascii: bool,
    colour: bool,
    /// Without colours, more than one line needs letters.
    lettered: bool,
}

/// The terminal's own colours, so that they fit its background.
const COLOURS: [AnsiColor; 6] = [
    AnsiColor::Cyan,
    AnsiColor::Yellow,
    AnsiColor::Magenta,
    AnsiColor::Green,
    AnsiColor::Blue,
    AnsiColor::Red,
];
const ASCII_LINES: [char; 6] = ['*', '+', 'o', 'x', '#', '@'];

impl Pen {
    pub(super) fn new(options: &TerminalOptions, chart: &Chart) -> Self {
        let lines = chart.series.iter().filter(|series| !series.is_band()).count();
        let lettered = !options.colour && !options.ascii && lines > 1;
        Self { ascii: options.ascii, colour: options.colour, lettered }
    }

    pub(super) fn row(&self) -> Row {
        Row { text: String::new(), width: 0, ascii: self.ascii, colour: self.colour }
    }

    /// The text as this terminal can show it, cut to a width in columns.
    pub(super) fn fit(&self, words: &str, width: usize) -> String {
        let words = if self.ascii { text::ascii(words) } else { words.to_owned() };
        text::shorten(&words, width as f64, |words| text::columns(words) as f64)
    }

    /// A part of the frame in the character set of the terminal.
    pub(super) fn glyph(&self, unicode: &'static str, ascii: &'static str) -> &'static str {
        if self.ascii { ascii } else { unicode }
    }

    pub(super) fn is_lettered(&self) -> bool {
        self.lettered
    }

    /// The character of a series in the legend.
    pub(super) fn sample(&self, series: &Series) -> char {
        match series.shape {
            Shape::Band(_) => self.band(),
            _ if self.lettered => letter(series.colour),
            _ if self.ascii => ascii_line(series.colour),
            Shape::Points(_) => '•',
            Shape::Line(_) | Shape::Step(_) | Shape::Bars(_) => '━',
        }
    }

    pub(super) fn band(&self) -> char {
        if self.ascii { '.' } else { '░' }
    }

    /// A cell of a line.
    pub(super) fn line(&self, dots: u8, colour: usize) -> char {
        if self.ascii {
            return ascii_line(colour);
        }
        char::from_u32(0x2800 + u32::from(dots)).unwrap_or(' ')
    }

    /// A single point.
    pub(super) fn point(&self, colour: usize) -> char {
        match (self.ascii, self.lettered) {
            (true, _) => ascii_line(colour),
            (false, true) => letter(colour),
            (false, false) => '•',
        }
    }
}

pub(super) fn letter(colour: usize) -> char {
    ('a'..='z').nth(colour % 26).unwrap_or('a')
}

fn ascii_line(colour: usize) -> char {
    ASCII_LINES.get(colour % ASCII_LINES.len()).copied().unwrap_or('*')
}

fn style(colour: usize) -> Style {
    let colour = COLOURS.get(colour % COLOURS.len()).copied();
    Style::new().fg_color(colour.map(Into::into))
}

/// A line of text and its width without escape sequences.
#[derive(Debug)]
pub(super) struct Row {
    text: String,
    width: usize,
    ascii: bool,
    colour: bool,
}

impl Row {
    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn plain(self, words: &str) -> Self {
        self.styled(words, Style::new())
    }

    pub(super) fn bold(self, words: &str) -> Self {
        self.styled(words, Style::new().bold())
    }

    pub(super) fn muted(self, words: &str) -> Self {
        self.styled(words, Style::new().dimmed())
    }

    pub(super) fn coloured(self, c: char, colour: usize) -> Self {
        self.styled(&c.to_string(), style(colour))
    }

    /// The shade of a band, fainter than a line.
    pub(super) fn faint(self, c: char, colour: usize) -> Self {
        self.styled(&c.to_string(), style(colour).dimmed())
    }

    fn styled(mut self, words: &str, style: Style) -> Self {
        let words = if self.ascii { text::ascii(words) } else { words.to_owned() };
        self.width += text::columns(&words);
        if self.colour && style != Style::new() && !words.trim().is_empty() {
            self.text += &format!("{style}{words}{style:#}");
        } else {
            self.text += &words;
        }
        self
    }

    /// The text without trailing white space.
    pub(super) fn finish(&self) -> String {
        self.text.trim_end().to_owned()
    }
}
