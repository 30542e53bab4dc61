//! What is wrong with a file: what, where, and what to do next (F2).
//!
//! ```
//! use steadfast::file::Format;
//!
//! let problem = Format::of("steadfast.ini".as_ref()).unwrap_err();
//! assert_eq!(
//!     problem.to_string(),
//!     "steadfast.ini: its extension .ini names no format; \
//!      let its name end in .yaml (or .yml), .json or .toml",
//! );
//! ```

use std::fmt;
use std::ops::Range;

use serde::Serialize;

use super::tree::Span;
use super::{Path, Source};

/// One thing that is wrong: reads as
/// `steadfast.yaml:7:5: policies.a.max_attempts: what is wrong; what to do`.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Problem {
    /// The name of the file.
    pub file: String,
    /// The line, from 1, if it is about a place.
    pub line: Option<u32>,
    /// The column, from 1, in characters, if it is about a place.
    pub column: Option<u32>,
    /// The way there, such as `policies.a.retry_on[1]`; empty at the top.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub suggestion: Option<String>,
    #[serde(skip)]
    within: Option<Box<(Source, Span)>>,
}

impl Problem {
    /// About a place in a text.
    #[doc(hidden)]
    #[must_use]
    pub fn at(source: &Source, at: Span, message: impl Into<String>) -> Self {
        let place = source.place(at.range().start);
        Self {
            line: Some(place.line),
            column: Some(place.column),
            within: Some(Box::new((source.clone(), at))),
            ..Self::of_file(source.name(), message)
        }
    }

    /// About a file as a whole.
    #[doc(hidden)]
    #[must_use]
    pub fn of_file(name: &str, message: impl Into<String>) -> Self {
        Self {
            // Names of files and variables are not always chosen by friends.
            file: name.chars().flat_map(visible).collect(),
            line: None,
            column: None,
            path: String::new(),
            message: fit(&message.into()),
            suggestion: None,
            within: None,
        }
    }

    pub(crate) fn path(self, path: &Path) -> Self {
        Self { path: path.to_string(), ..self }
    }

    /// The field that it is about.
    #[doc(hidden)]
    #[must_use]
    pub fn field(self, path: &str) -> Self {
        Self { path: fit(path), ..self }
    }

    /// The path so far begins further up.
    pub(crate) fn within(self, above: &str) -> Self {
        Self { path: format!("{above}{}", self.path), ..self }
    }

    /// What was probably meant.
    #[doc(hidden)]
    #[must_use]
    pub fn meant(self, near: Option<&str>) -> Self {
        match near {
            Some(near) => self.suggest(format!("did you mean {near}?")),
            None => self,
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn suggest(self, suggestion: impl Into<String>) -> Self {
        Self { suggestion: Some(fit(&suggestion.into())), ..self }
    }

    /// The text that it is about, to show it.
    #[must_use]
    pub fn source(&self) -> Option<&Source> {
        self.within.as_deref().map(|(source, _)| source)
    }

    /// The bytes of the [text](Self::source) that it is about.
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

/// Everything that is wrong with a file, and that is something: a line for each.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// Refuses if there are any.
    #[doc(hidden)]
    pub fn unless_none(problems: Vec<Problem>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self(problems)) }
    }

    /// Each of them.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }

    /// All of them, at least one.
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
        for (place, problem) in self.iter().enumerate() {
            if place > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for Problems {}

/// How many problems are told; nobody reads more.
pub(super) const MAX_TOLD: usize = 1000;

/// The problems found so far.
pub(super) struct Findings {
    file: String,
    told: Vec<Problem>,
    untold: usize,
}

impl Findings {
    pub(super) fn new(source: &Source) -> Self {
        Self { file: source.name().to_owned(), told: Vec::new(), untold: 0 }
    }

    /// Goes on from what has been found already.
    pub(super) fn from(source: &Source, found: Vec<Problem>) -> Self {
        Self { told: found, ..Self::new(source) }
    }

    pub(super) fn file(&self) -> &str {
        &self.file
    }

    pub(super) fn count(&self) -> usize {
        self.told.len() + self.untold
    }

    /// Whether no more will be told. A place costs the length of its line.
    pub(super) fn is_full(&self) -> bool {
        self.told.len() >= MAX_TOLD
    }

    /// One more that is not told.
    pub(super) fn skip(&mut self) {
        self.untold += 1;
    }

    /// `problem` is made only if it will be told.
    pub(super) fn add(&mut self, problem: impl FnOnce() -> Problem) {
        if self.is_full() {
            self.skip();
        } else {
            self.told.push(problem());
        }
    }

    pub(super) fn finish(mut self) -> Vec<Problem> {
        if self.untold > 0 {
            let message = format!("there are {} problems more", self.untold);
            self.told.push(Problem::of_file(&self.file, message).suggest("mend the first ones"));
        }
        self.told
    }
}

/// How much of a text is shown; enough to find it.
const MAX_SHOWN: usize = 60;

/// A text from a file, fit for a message: not too long, and nothing that commands a terminal.
#[doc(hidden)]
pub fn shown(text: &str) -> String {
    if text.is_empty() {
        return "\"\"".to_owned();
    }
    cut(text, MAX_SHOWN)
}

/// How long a whole sentence can be; what makes it longer is a text from the file.
const MAX_SENTENCE: usize = 1000;

/// A sentence that may repeat what the file says, such as a value that is refused.
fn fit(sentence: &str) -> String {
    cut(sentence, MAX_SENTENCE)
}

fn cut(text: &str, most: usize) -> String {
    let mut letters = text.chars();
    let mut cut: String = letters.by_ref().take(most).flat_map(visible).collect();
    if letters.next().is_some() {
        cut.push('…');
    }
    cut
}

fn visible(letter: char) -> impl Iterator<Item = char> {
    let escaped = letter.is_control().then(|| letter.escape_debug());
    let plain = escaped.is_none().then_some(letter);
    escaped.into_iter().flatten().chain(plain)
}
