//! A text with a name, whose offsets become lines and columns.
//!
//! Parsers speak of bytes and people of lines, so the text is kept for as long as
//! there are problems to point at. Reading it is bounded: the path may name a device
//! without an end.

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

use super::bounds::{MAX_BYTES, too_long};
use super::problem::Problem;
use super::tree::Span;

/// A text and the name of the file that it came from. A clone shares the text.
#[derive(Clone)]
pub struct Source(Arc<Inner>);

struct Inner {
    name: String,
    text: Box<str>,
    /// Where each line begins.
    lines: Vec<usize>,
}

/// A place in a text, counted from 1 as editors do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

impl Source {
    /// A text, with the name that problems call it by. A byte order mark is left out.
    ///
    /// ```
    /// use steadfast::file::{Place, Source};
    ///
    /// let source = Source::new("steadfast.yaml", "policies:\n  ä: {}\n");
    /// assert_eq!(source.place(14), Place { line: 2, column: 4 });
    /// ```
    #[must_use]
    pub fn new(name: impl Into<String>, text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let after_breaks = text.bytes().zip(1..).filter(|(byte, _)| *byte == b'\n');
        let lines = std::iter::once(0).chain(after_breaks.map(|(_, after)| after)).collect();
        Self(Arc::new(Inner { name: name.into(), text: text.into(), lines }))
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// There are more than 8 MiB, or they are not UTF-8.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Self, Problem> {
        let name = name.into();
        if bytes.len() > MAX_BYTES {
            return Err(too_long(&name));
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self::new(name, &text)),
            Err(error) => Err(not_utf8(name, error.as_bytes(), error.utf8_error().valid_up_to())),
        }
    }

    /// Reads a file, and at most one byte more than it may have.
    ///
    /// # Errors
    /// It cannot be read, or it is as [`from_bytes`](Self::from_bytes) does not take it.
    pub fn read(path: &Path) -> Result<Self, Problem> {
        let name = path.display().to_string();
        match read_bounded(path) {
            Ok(bytes) => Self::from_bytes(name, bytes),
            Err(error) => Err(unreadable(&name, &error)),
        }
    }

    /// What problems call it by.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The text, without a byte order mark.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The line and column of a byte. One beyond the end is at the end.
    #[must_use]
    pub fn place(&self, offset: usize) -> Place {
        let Inner { text, lines, .. } = &*self.0;
        let offset = text.floor_char_boundary(offset);
        let line = lines.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).and_then(|line| lines.get(line)).copied().unwrap_or(0);
        let before = text.get(start..offset).unwrap_or_default();
        Place { line: count(line), column: count(before.chars().count() + 1) }
    }

    /// What stands in a span.
    pub(crate) fn slice(&self, at: Span) -> &str {
        self.0.text.get(at.range()).unwrap_or_default()
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Source").field(&self.0.name).finish()
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(MAX_BYTES).unwrap_or(u64::MAX);
    File::open(path)?.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok(bytes)
}

pub(super) fn unreadable(name: &str, error: &io::Error) -> Problem {
    match error.kind() {
        ErrorKind::NotFound => Problem::of_file(name, "there is no such file")
            .suggest("check the path, or make the file"),
        ErrorKind::PermissionDenied => Problem::of_file(name, "reading it is not permitted")
            .suggest("let the user that runs this read it"),
        ErrorKind::IsADirectory => {
            Problem::of_file(name, "it is a directory, not a file").suggest("name a file in it")
        }
        _ => Problem::of_file(name, format!("it cannot be read: {error}")),
    }
}

/// The text up to the bad byte is good, so its place is the same in a repaired text.
fn not_utf8(name: String, bytes: &[u8], good: usize) -> Problem {
    let repaired = Source::new(name, &String::from_utf8_lossy(bytes));
    let marked = bytes.starts_with("\u{feff}".as_bytes());
    let good = if marked { good.saturating_sub('\u{feff}'.len_utf8()) } else { good };
    let at = Span::new(good, good + char::REPLACEMENT_CHARACTER.len_utf8());
    let utf_16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    let message = if utf_16 { "it is UTF-16, not UTF-8" } else { "this byte is not UTF-8" };
    Problem::at(&repaired, at, message).suggest("save the file as UTF-8")
}
