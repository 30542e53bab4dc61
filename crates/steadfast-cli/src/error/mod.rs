//! The error type of the command line.
//!
//! An error has a message, advice on what to do next, the position in the input if there is one,
//! and an exit code. All commands create and report it the same way.

mod excerpt;

use std::fmt;
use std::io::Write;
use std::ops::Range;
use std::sync::Arc;

use miette::{Diagnostic, MietteHandler, MietteHandlerOpts, ReportHandler, SourceSpan};
use steadfast::file::{self, Problems, Source};
use steadfast_api::{ApiError, ErrorKind};

use crate::exit::Exit;
use crate::output::width;
use excerpt::Excerpt;

/// Advice for requests without a valid token.
const TOKEN_HELP: &str = "pass a token with STEADFAST_TOKEN or --token-file; the server's \
                          administrator creates one with `steadfast token new`";

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{what}")]
pub(crate) struct CliError {
    exit: Exit,
    what: String,
    #[help]
    next: Option<String>,
    #[source_code]
    input: Option<Arc<Excerpt>>,
    #[label("here")]
    place: Option<SourceSpan>,
    others: Vec<CliError>,
}

impl CliError {
    fn new(exit: Exit, what: impl Into<String>) -> Self {
        Self { exit, what: what.into(), next: None, input: None, place: None, others: Vec::new() }
    }

    pub(crate) fn failed(what: impl Into<String>) -> Self {
        Self::new(Exit::Failed, what)
    }

    pub(crate) fn usage(what: impl Into<String>) -> Self {
        Self::new(Exit::Usage, what)
    }

    pub(crate) fn configuration(what: impl Into<String>) -> Self {
        Self::new(Exit::Configuration, what)
    }

    pub(crate) fn with_help(self, next: impl Into<String>) -> Self {
        self.maybe_help(Some(next.into()))
    }

    pub(crate) fn maybe_help(mut self, next: Option<String>) -> Self {
        self.next = next;
        self
    }

    pub(crate) fn and_help(mut self, next: &str) -> Self {
        self.next = Some(match self.next {
            Some(first) => format!("{first}\n{next}"),
            None => next.to_owned(),
        });
        self
    }

    /// Sets the position in an input. If the line cannot be shown, the message names it.
    pub(crate) fn at(mut self, source: &Source, span: &Range<usize>) -> Self {
        match Excerpt::of(source, span) {
            Some(excerpt) => {
                self.place = Some(excerpt.label());
                self.input = Some(Arc::new(excerpt));
            }
            None => {
                let (name, place) = (source.name(), source.position(span.start));
                self.what = format!("{name}, {place}: {}", self.what);
            }
        }
        self
    }

    /// Combines several errors; the first decides the exit code.
    pub(crate) fn all(problems: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut problems = problems.into_iter();
        let mut first = problems.next()?;
        first.others.extend(problems);
        Some(first)
    }

    /// Prints the error on stderr and returns its exit code.
    pub(crate) fn report(&self) -> Exit {
        // A closed stderr is not an error.
        let _ = write!(anstream::stderr(), "{}", self.render(width::of_stderr()));
        self.exit
    }

    /// Renders the error with this width. It always contains colours; the stream strips them where
    /// they are not wanted.
    pub(crate) fn render(&self, width: usize) -> impl fmt::Display {
        fmt::from_fn(move |f| {
            let handler = handler(width);
            handler.debug(self, f)?;
            self.others.iter().try_for_each(|other| handler.debug(other, f))
        })
    }
}

/// An error in a policy file or in the environment variables applied to it.
impl From<&file::Problem> for CliError {
    fn from(found: &file::Problem) -> Self {
        let path = if found.path.is_empty() { "" } else { &format!("{}: ", found.path) };
        let what = format!("{path}{}", found.message);
        let next = found.suggestion.clone();
        match (found.source(), found.span()) {
            (Some(source), Some(span)) => {
                Self::configuration(what).at(source, &span).maybe_help(next)
            }
            _ => Self::configuration(format!("{}: {what}", found.file)).maybe_help(next),
        }
    }
}

/// An error of a store or a server.
impl From<ApiError> for CliError {
    fn from(error: ApiError) -> Self {
        let what = match &error.field {
            Some(field) => format!("{field}: {}", error.with_cause()),
            None => error.with_cause().into_owned(),
        };
        let problem = match error.kind {
            ErrorKind::Invalid | ErrorKind::KeyTaken => Self::usage(what),
            ErrorKind::WrongStore => Self::configuration(what),
            _ => Self::failed(what),
        };
        match error.kind {
            ErrorKind::Unauthenticated => problem.with_help(TOKEN_HELP),
            _ => problem.maybe_help(error.next),
        }
    }
}

impl From<Problems> for CliError {
    fn from(problems: Problems) -> Self {
        Self::all(in_order(problems).iter().map(Self::from))
            .unwrap_or_else(|| Self::configuration("cannot read the policies"))
    }
}

/// Sorts by position in the file; errors without a position come last.
pub(crate) fn in_order(problems: Problems) -> Vec<file::Problem> {
    let mut problems: Vec<file::Problem> = problems.into_iter().collect();
    problems.sort_by_key(|problem| (problem.line.is_none(), problem.line, problem.column));
    problems
}

/// Does not break words, so that flags stay in one piece.
fn handler(width: usize) -> MietteHandler {
    MietteHandlerOpts::new()
        .color(true)
        .terminal_links(false)
        .width(width)
        .break_words(false)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combined_errors_use_first_exit_code_and_show_all() {
        let first = CliError::configuration("the first").with_help("fix it");
        let both = CliError::all([first, CliError::usage("the second")]).unwrap();
        assert_eq!(both.exit, Exit::Configuration);
        let shown = both.render(80).to_string();
        assert!(["the first", "fix it", "the second"].iter().all(|text| shown.contains(text)));
        assert!(CliError::all([]).is_none());
    }
}
