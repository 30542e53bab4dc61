//! What went wrong, so that whoever reads it knows what to do.
//!
//! Every error of the command line is one of these: a sentence that says what and where, a
//! line that says what next, the place in the input if there is one, and the exit code. There
//! is one way to make it and one way to show it, so that no command invents its own.

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

/// How a server learns who asks.
const WITH_A_TOKEN: &str = "give a token with STEADFAST_TOKEN or --token-file; whoever runs the \
                            server makes one with `steadfast token new`";

/// A problem as a person sees it.
#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{what}")]
pub(crate) struct Problem {
    exit: Exit,
    what: String,
    #[help]
    next: Option<String>,
    #[source_code]
    input: Option<Arc<Excerpt>>,
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

    /// The same, and what to do then.
    pub(crate) fn and_next(mut self, next: &str) -> Self {
        self.next = Some(match self.next {
            Some(first) => format!("{first}\n{next}"),
            None => next.to_owned(),
        });
        self
    }

    /// The same, and where it is in an input. If that cannot be shown, it is said.
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
        let _ = write!(anstream::stderr(), "{}", self.shown(width::of_stderr()));
        self.exit
    }

    /// All of it as a text that is so wide. Colours are always in it: the stream takes them out
    /// where they are not wanted.
    pub(crate) fn shown(&self, width: usize) -> impl fmt::Display {
        fmt::from_fn(move |f| {
            let handler = handler(width);
            handler.debug(self, f)?;
            self.others.iter().try_for_each(|other| handler.debug(other, f))
        })
    }
}

/// What is wrong with a policy file, or with the environment over it.
impl From<&file::Problem> for Problem {
    fn from(found: &file::Problem) -> Self {
        let path = if found.path.is_empty() { "" } else { &format!("{}: ", found.path) };
        let what = format!("{path}{}", found.message);
        let next = found.suggestion.clone();
        match (found.source(), found.span()) {
            (Some(source), Some(span)) => {
                Self::configuration(what).at(source, &span).with_next(next)
            }
            _ => Self::configuration(format!("{}: {what}", found.file)).with_next(next),
        }
    }
}

/// What a store or a server refuses.
impl From<ApiError> for Problem {
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
            ErrorKind::Unauthenticated => problem.with_next(WITH_A_TOKEN.to_owned()),
            _ => problem.with_next(error.next),
        }
    }
}

impl From<Problems> for Problem {
    fn from(problems: Problems) -> Self {
        Self::all(in_order(problems).iter().map(Self::from))
            .unwrap_or_else(|| Self::configuration("the policies cannot be read"))
    }
}

/// From top to bottom, as people mend a file; what has no place comes last.
pub(crate) fn in_order(problems: Problems) -> Vec<file::Problem> {
    let mut problems: Vec<file::Problem> = problems.into_iter().collect();
    problems.sort_by_key(|problem| (problem.line.is_none(), problem.line, problem.column));
    problems
}

/// Flags are broken neither at their hyphens nor anywhere else.
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
    fn several_problems_end_as_the_first_and_are_all_shown() {
        let first = Problem::configuration("the first").with_next("mend it".to_owned());
        let both = Problem::all([first, Problem::usage("the second")]).unwrap();
        assert_eq!(both.exit, Exit::Configuration);
        let shown = both.shown(80).to_string();
        assert!(["the first", "mend it", "the second"].iter().all(|text| shown.contains(text)));
        assert!(Problem::all([]).is_none());
    }
}
