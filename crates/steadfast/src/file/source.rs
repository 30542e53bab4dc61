//! A named text that converts byte offsets to lines and columns.
//!
//! Parsers report bytes and people read lines, so problems share the text. Reading a file is
//! limited, because the path may name an endless device.

use std::fmt;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use std::sync::Arc;

use super::limits::{MAX_BYTES, too_long};
use super::problem::Problem;
use super::tree::Span;

/// The text of a file and its name. Clones share the text.
#[derive(Clone)]
pub struct Source(Arc<Inner>);

struct Inner {
    name: String,
    text: Box<str>,
    /// The offset of each line.
    lines: Vec<usize>,
}

/// A position in a text, counted from 1 as in editors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcePosition {
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

impl fmt::Display for SourcePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

impl Source {
    /// A text and the name for problems. A byte order mark is removed.
    ///
    /// ```
    /// use steadfast::file::{SourcePosition, Source};
    ///
    /// let source = Source::new("steadfast.yaml", "policies:\n  ä: {}\n");
    /// assert_eq!(source.position(14), SourcePosition { line: 2, column: 4 });
    /// ```
    #[must_use]
    pub fn new(name: impl Into<String>, text: &str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let after_breaks = text.bytes().zip(1..).filter(|(byte, _)| *byte == b'\n');
        let lines = std::iter::once(0).chain(after_breaks.map(|(_, after)| after)).collect();
        Self(Arc::new(Inner { name: name.into(), text: text.into(), lines }))
    }

    /// A text from the bytes of a file.
    ///
    /// # Errors
    /// It is larger than 8 MiB, or not UTF-8.
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

    /// Reads a file, up to one byte beyond its limit.
    ///
    /// # Errors
    /// It cannot be read, or [`from_bytes`](Self::from_bytes) rejects it.
    pub fn read(path: &Path) -> Result<Self, Problem> {
        let name = path.display().to_string();
        match read_bounded(path) {
            Ok(bytes) => Self::from_bytes(name, bytes),
            Err(error) => Err(unreadable(&name, &error)),
        }
    }

    /// The name for problems.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The text, without a byte order mark.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The line and column of a byte. An offset beyond the end is at the end.
    #[must_use]
    pub fn position(&self, offset: usize) -> SourcePosition {
        let Inner { text, lines, .. } = &*self.0;
        let offset = floor_char_boundary(text, offset);
        let line = lines.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).and_then(|line| lines.get(line)).copied().unwrap_or(0);
        let before = text.get(start..offset).unwrap_or_default();
        SourcePosition { line: count(line), column: count(before.chars().count() + 1) }
    }

    pub(crate) fn slice(&self, at: Span) -> &str {
        self.0.text.get(at.range()).unwrap_or_default()
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Source").field(&self.0.name).finish()
    }
}

/// The start of the character at an offset, or the end of the text. The method of `str` is stable since
/// Rust 1.91.
pub(crate) fn floor_char_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
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
        ErrorKind::NotFound => {
            Problem::of_file(name, "no such file").suggest("check the path, or create the file")
        }
        ErrorKind::PermissionDenied => Problem::of_file(name, "permission denied")
            .suggest("grant read access to the user of this process"),
        ErrorKind::IsADirectory => {
            Problem::of_file(name, "is a directory").suggest("name a file in it")
        }
        _ => Problem::of_file(name, format!("cannot read the file: {error}")),
    }
}

/// The text before the invalid byte is valid, so its position is the same in the repaired text.
fn not_utf8(name: String, bytes: &[u8], valid_up_to: usize) -> Problem {
    let repaired = Source::new(name, &String::from_utf8_lossy(bytes));
    let marked = bytes.starts_with("\u{feff}".as_bytes());
    let valid_up_to =
        if marked { valid_up_to.saturating_sub('\u{feff}'.len_utf8()) } else { valid_up_to };
    let at = Span::new(valid_up_to, valid_up_to + char::REPLACEMENT_CHARACTER.len_utf8());
    let utf_16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    let message = if utf_16 { "the file is UTF-16, not UTF-8" } else { "invalid UTF-8" };
    Problem::at(&repaired, at, message).suggest("save the file as UTF-8")
}
