//! The format-independent tree of a file, with the span of every value.
//!
//! A plain YAML scalar stays a string: only the reader of a field knows whether `08` is a number, a
//! SQLSTATE class or a name.

use std::fmt;
use std::ops::Range;

use super::limits::{MAX_BYTES, too_long};
use super::problem::{Findings, Problem, excerpt};
use super::{Format, Path, Source, json, toml, yaml};

/// A byte range: from `start` to before `end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its bytes in the text.
    pub span: Span,
    /// Its type and content.
    pub content: Content,
}

/// The type and content of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Null.
    Null,
    /// A boolean of a format that has them.
    Bool(bool),
    /// A finite number of a format that has them.
    Number(f64),
    /// A plain (unquoted) YAML scalar: a number, a boolean, a duration or a string.
    Plain(String),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// Entries in the order of the text, with distinct keys.
    Map(Vec<Entry>),
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// The key's bytes in the text.
    pub key_span: Span,
    /// The value.
    pub value: Node,
}

impl Span {
    /// The range between two offsets.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        let narrow = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: narrow(start), end: narrow(end) }
    }

    /// The offsets, to index a text.
    #[must_use]
    pub fn range(self) -> Range<usize> {
        let wide = |offset| usize::try_from(offset).unwrap_or(usize::MAX);
        wide(self.start)..wide(self.end)
    }
}

/// Parses a text: the tree, and all syntax problems. There is no tree if the structure is unclear;
/// an isolated problem, such as a duplicate key, is only left out of the tree.
#[must_use]
pub fn parse(source: &Source, format: Format) -> (Option<Node>, Vec<Problem>) {
    if let Err(problem) = check_size(source) {
        return (None, vec![problem]);
    }
    let mut findings = Findings::new(source);
    let tree = match format {
        Format::Yaml => yaml::parse(source, &mut findings),
        Format::Json => json::parse(source, &mut findings),
        Format::Toml => toml::parse(source, &mut findings),
    };
    (tree, findings.finish())
}

/// Rejects a text that is too long.
///
/// # Errors
/// It is larger than 8 MiB.
pub fn check_size(source: &Source) -> Result<(), Problem> {
    if source.text().len() > MAX_BYTES { Err(too_long(source.name())) } else { Ok(()) }
}

/// The value as a message shows it.
impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(bool) => bool.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Plain(text) | Self::Text(text) => write!(f, "`{}`", excerpt(text)),
            Self::List(_) => f.write_str("a list"),
            Self::Map(_) => f.write_str("a map"),
        }
    }
}

pub(super) fn empty_file(source: &Source) -> Problem {
    match source.name() {
        "stdin" => {
            Problem::of_file("stdin", "the input is empty").suggest("add version and policies")
        }
        name => Problem::of_file(name, "the file is empty")
            .suggest("add version and policies, or delete it"),
    }
}

/// A key that its map already has.
pub(super) fn duplicate_key(
    source: &Source,
    key: &str,
    second: Span,
    first: Option<Span>,
    path: &Path,
) -> Problem {
    let mut message = format!("duplicate key {}", excerpt(key));
    if let Some(first) = first {
        message += &format!(", first at {}", source.position(first.range().start));
    }
    Problem::at(source, second, message).path(path).suggest("remove one of the two")
}
