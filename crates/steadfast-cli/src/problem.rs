//! What went wrong, so that whoever reads it knows what to do.
//!
//! Every error of the command line is one of these: a sentence that says what and where, a
//! line that says what next, the place in the input if there is one, and the exit code. There
//! is one way to make it and one way to show it, so that no command invents its own.

use std::fmt;
use std::io::Write;
use std::sync::Arc;

use miette::{
    Diagnostic, MietteHandler, MietteHandlerOpts, NamedSource, ReportHandler, SourceSpan,
};

use crate::exit::Exit;
use crate::output::width;

/// A problem as a person sees it.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{what}")]
pub(crate) struct Problem {
    exit: Exit,
    what: String,
    #[help]
    next: Option<String>,
    #[source_code]
    input: Option<Arc<NamedSource<String>>>,
    #[label("here")]
    place: Option<SourceSpan>,
    others: Vec<Problem>,
}

impl Problem {
    fn new(exit: Exit, what: impl Into<String>) -> Self {
        Self { exit, what: what.into(), next: None, input: None, place: None, others: Vec::new() }
    }

    /// The work was understood, and failed.
    pub(crate) fn failed(what: impl Into<String>) -> Self {
        Self::new(Exit::Failed, what)
    }

    /// What was asked cannot be understood.
    pub(crate) fn usage(what: impl Into<String>) -> Self {
        Self::new(Exit::Usage, what)
    }

    /// The configuration is wrong.
    pub(crate) fn configuration(what: impl Into<String>) -> Self {
        Self::new(Exit::Configuration, what)
    }

    /// The same, and what to do about it.
    pub(crate) fn with_next(mut self, next: impl Into<Option<String>>) -> Self {
        self.next = next.into();
        self
    }

    /// The same, and where it is in an input: `line` and `column` count from 1, in bytes.
    pub(crate) fn at(mut self, name: &str, text: String, line: usize, column: usize) -> Self {
        self.place = Some(offset(&text, line, column).into());
        self.input = Some(Arc::new(NamedSource::new(name, text)));
        self
    }

    /// All of them as one, the first in front.
    pub(crate) fn all(problems: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut problems = problems.into_iter();
        let mut first = problems.next()?;
        first.others.extend(problems);
        Some(first)
    }

    /// Shows it on stderr and says how to end.
    pub(crate) fn report(&self) -> Exit {
        // Who has closed stderr does not want to know.
        let _ = write!(anstream::stderr(), "{}", Shown(self));
        self.exit
    }
}

/// The place in the whole text; never within a character.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len);
    text.floor_char_boundary(before.sum::<usize>() + column.saturating_sub(1))
}

/// Colours are always written: the stream takes them out where they are not wanted.
struct Shown<'p>(&'p Problem);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let handler = handler();
        handler.debug(self.0, f)?;
        self.0.others.iter().try_for_each(|other| handler.debug(other, f))
    }
}

/// Flags are broken neither at their hyphens nor anywhere else.
fn handler() -> MietteHandler {
    MietteHandlerOpts::new()
        .color(true)
        .terminal_links(false)
        .width(width::of_stderr())
        .break_words(false)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F2: line and column, whatever stands before them.
    #[test]
    fn a_place_is_found_after_other_lines_and_wide_characters() {
        let text = "{\n \"é\": 1}\n";
        assert_eq!(text.get(offset(text, 2, 8)..), Some("1}\n"));
        assert_eq!(offset(text, 2, 4), offset(text, 2, 3), "é has two bytes");
        assert_eq!(offset(text, 9, 9), text.len());
        assert_eq!(offset("", 0, 0), 0);
    }

    #[test]
    fn several_problems_end_as_the_first_and_are_all_shown() {
        let first = Problem::configuration("the first").with_next("mend it".to_owned());
        let both = Problem::all([first, Problem::usage("the second")]).unwrap();
        assert_eq!(both.exit, Exit::Configuration);
        let shown = Shown(&both).to_string();
        assert!(["the first", "mend it", "the second"].iter().all(|text| shown.contains(text)));
        assert!(Problem::all([]).is_none());
    }
}
