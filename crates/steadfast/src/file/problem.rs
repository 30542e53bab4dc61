//! Problems of a policy file: what is wrong, where, and what to do next (F2).
//!
//! ```
//! use steadfast::file::Format;
//!
//! let problem = Format::of("steadfast.ini".as_ref()).unwrap_err();
//! assert_eq!(
//!     problem.to_string(),
//!     "steadfast.ini: unknown file extension .ini; use .yaml, .yml, .json or .toml",
//! );
//! ```

use std::fmt;
use std::ops::Range;

use serde::Serialize;

use super::tree::Span;
use super::{Path, Source};

/// A problem of a file. Displayed as
/// `steadfast.yaml:7:5: policies.a.max_attempts: what is wrong; what to do`.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Problem {
    /// The name of the file.
    pub file: String,
    /// The line, from 1; `None` for the file as a whole.
    pub line: Option<u32>,
    /// The column, from 1, in characters; `None` for the file as a whole.
    pub column: Option<u32>,
    /// The path in the file, such as `policies.a.retry_on[1]`; empty at the top.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub suggestion: Option<String>,
    #[serde(skip)]
    within: Option<Box<(Source, Span)>>,
}

impl Problem {
    /// A problem at a span of a text.
    #[doc(hidden)]
    #[must_use]
    pub fn at(source: &Source, at: Span, message: impl Into<String>) -> Self {
        let position = source.position(at.range().start);
        Self {
            line: Some(position.line),
            column: Some(position.column),
            within: Some(Box::new((source.clone(), at))),
            ..Self::of_file(source.name(), message)
        }
    }

    /// A problem of a file as a whole.
    #[doc(hidden)]
    #[must_use]
    pub fn of_file(name: &str, message: impl Into<String>) -> Self {
        Self {
            // Names of files and variables may be untrusted.
            file: name.chars().flat_map(visible).collect(),
            line: None,
            column: None,
            path: String::new(),
            message: limit(&message.into()),
            suggestion: None,
            within: None,
        }
    }

    pub(crate) fn path(self, path: &Path) -> Self {
        Self { path: path.to_string(), ..self }
    }

    /// Sets the path of the field.
    #[doc(hidden)]
    #[must_use]
    pub fn field(self, path: &str) -> Self {
        Self { path: limit(path), ..self }
    }

    /// Prefixes the path.
    pub(crate) fn within(self, above: &str) -> Self {
        Self { path: format!("{above}{}", self.path), ..self }
    }

    /// Suggests the nearest valid name.
    #[doc(hidden)]
    #[must_use]
    pub fn did_you_mean(self, near: Option<&str>) -> Self {
        match near {
            Some(near) => self.suggest(format!("did you mean `{near}`?")),
            None => self,
        }
    }

    /// Sets what to do about it.
    #[must_use]
    pub fn suggest(self, suggestion: impl Into<String>) -> Self {
        Self { suggestion: Some(limit(&suggestion.into())), ..self }
    }

    /// The text of the file, to show the problem in it.
    #[must_use]
    pub fn source(&self) -> Option<&Source> {
        self.within.as_deref().map(|(source, _)| source)
    }

    /// The bytes of the [text](Self::source) to point at.
    #[must_use]
    pub fn span(&self) -> Option<Range<usize>> {
        self.within.as_deref().map(|(_, at)| at.range())
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, ":{line}:{column}")?;
        }
        if !self.path.is_empty() {
            write!(f, ": {}", self.path)?;
        }
        write!(f, ": {}", self.message)?;
        match &self.suggestion {
            Some(suggestion) => write!(f, "; {suggestion}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Problem {}

/// All problems of a file, at least one. Displayed as one line each.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// An error unless the list is empty.
    #[doc(hidden)]
    pub fn into_result(problems: Vec<Problem>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self(problems)) }
    }

    /// Iterates over the problems.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }

    /// The problems, at least one.
    #[must_use]
    pub fn as_slice(&self) -> &[Problem] {
        &self.0
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Self {
        Self(vec![problem])
    }
}

impl IntoIterator for Problems {
    type Item = Problem;
    type IntoIter = std::vec::IntoIter<Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'p> IntoIterator for &'p Problems {
    type Item = &'p Problem;
    type IntoIter = std::slice::Iter<'p, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// The most problems that are listed; the rest is counted.
pub(super) const MAX_PROBLEMS: usize = 1000;

/// The problems found so far.
#[doc(hidden)]
pub struct Findings {
    file: String,
    listed: Vec<Problem>,
    omitted: usize,
}

impl Findings {
    /// No problems of this text.
    #[must_use]
    pub fn new(source: &Source) -> Self {
        Self { file: source.name().to_owned(), listed: Vec::new(), omitted: 0 }
    }

    /// Continues a list of problems.
    pub(super) fn from(source: &Source, found: Vec<Problem>) -> Self {
        Self { listed: found, ..Self::new(source) }
    }

    pub(super) fn file(&self) -> &str {
        &self.file
    }

    pub(super) fn count(&self) -> usize {
        self.listed.len() + self.omitted
    }

    /// Whether the list is full. Finding a position costs the length of its line.
    pub(super) fn is_full(&self) -> bool {
        self.listed.len() >= MAX_PROBLEMS
    }

    /// Counts a problem that is not listed.
    pub(super) fn skip(&mut self) {
        self.omitted += 1;
    }

    /// Adds a problem, computed only if it is listed.
    pub fn add(&mut self, problem: impl FnOnce() -> Problem) {
        if self.is_full() {
            self.skip();
        } else {
            self.listed.push(problem());
        }
    }

    /// The problems, and how many are not listed.
    #[must_use]
    pub fn finish(mut self) -> Vec<Problem> {
        if self.omitted > 0 {
            let message = format!("{} more problems are not listed", self.omitted);
            self.listed
                .push(Problem::of_file(&self.file, message).suggest("fix the listed ones first"));
        }
        self.listed
    }
}

const MAX_EXCERPT_CHARS: usize = 60;

/// A text from a file for use in a message: short, with control characters escaped.
#[doc(hidden)]
pub fn excerpt(text: &str) -> String {
    if text.is_empty() {
        return "\"\"".to_owned();
    }
    truncate(text, MAX_EXCERPT_CHARS)
}

/// The most characters of a message, which may quote the file.
const MAX_MESSAGE_CHARS: usize = 1000;

/// A message that may quote the file, limited in length.
fn limit(message: &str) -> String {
    truncate(message, MAX_MESSAGE_CHARS)
}

fn truncate(text: &str, max_chars: usize) -> String {
    let mut letters = text.chars();
    let mut short: String = letters.by_ref().take(max_chars).flat_map(visible).collect();
    if letters.next().is_some() {
        short.push('…');
    }
    short
}

fn visible(letter: char) -> impl Iterator<Item = char> {
    let escaped = letter.is_control().then(|| letter.escape_debug());
    let plain = escaped.is_none().then_some(letter);
    escaped.into_iter().flatten().chain(plain)
}
