//! What a file says, whatever it is written in, and where it says so.
//!
//! A word of YAML keeps its letters: whether `08` is a number, a SQLSTATE class or a
//! name is for the reader of its field to say.

use std::ops::Range;

use super::bounds::{MAX_BYTES, too_long};
use super::problem::{Findings, Problem, shown};
use super::{Format, Path, Source, json, toml, yaml};

/// The bytes from `start` to before `end`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub at: Span,
    pub content: Content,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Nothing.
    Null,
    /// `true` or `false`, where the notation has them.
    Bool(bool),
    /// A finite number, where the notation has them.
    Number(f64),
    /// Letters of YAML without quotes: a number, a truth value, a duration or a text.
    Word(String),
    /// A text, surely.
    Text(String),
    /// Values in order.
    List(Vec<Node>),
    /// Keys and values in the order in which they are written. A key is there once.
    Map(Vec<Entry>),
}

/// A key and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub key: String,
    pub key_at: Span,
    pub value: Node,
}

impl Span {
    pub fn new(start: usize, end: usize) -> Self {
        let narrow = |offset| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: narrow(start), end: narrow(end) }
    }

    pub fn range(self) -> Range<usize> {
        let wide = |offset| usize::try_from(offset).unwrap_or(usize::MAX);
        wide(self.start)..wide(self.end)
    }
}

/// The tree of a text, and everything that is wrong with it as a text. There is no tree
/// if it cannot be known what was meant; what is wrong in itself alone, such as the
/// second of two equal keys, is left out of the tree.
pub fn parse(source: &Source, format: Format) -> (Option<Node>, Vec<Problem>) {
    if source.text().len() > MAX_BYTES {
        return (None, vec![too_long(source.name())]);
    }
    let mut findings = Findings::new(source);
    let tree = match format {
        Format::Yaml => yaml::parse(source, &mut findings),
        Format::Json => json::parse(source, &mut findings),
        Format::Toml => toml::parse(source, &mut findings),
    };
    (tree, findings.finish())
}

/// A file that says nothing.
pub(super) fn empty(source: &Source) -> Problem {
    Problem::of_file(source.name(), "the file is empty")
        .suggest("write the version and the policies, or delete it")
}

/// A key that is in its map already.
pub(super) fn written_twice(
    source: &Source,
    key: &str,
    second: Span,
    first: Option<Span>,
    path: &Path,
) -> Problem {
    let mut message = format!("{} is written twice", shown(key));
    if let Some(first) = first {
        message += &format!(", first in {}", source.place(first.range().start));
    }
    Problem::at(source, second, message).path(path).suggest("remove one of the two")
}
