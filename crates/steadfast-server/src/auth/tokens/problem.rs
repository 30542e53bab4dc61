//! What is wrong with a tokens file: what, where, and what to do next.

use std::fmt;
use std::ops::Range;

use steadfast::file::{Problem, Source};

/// One thing that is wrong: reads as `tokens.toml:7:1: what is wrong; what to do`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenProblem {
    /// The name of the file.
    pub file: String,
    /// The line, from 1, if it is about a place.
    pub line: Option<u32>,
    /// The column, from 1, if it is about a place.
    pub column: Option<u32>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub suggestion: Option<String>,
}

impl TokenProblem {
    pub(super) fn at(source: &Source, at: Range<usize>, message: impl Into<String>) -> Self {
        let place = source.place(at.start);
        let (file, message) = (source.name().to_owned(), message.into());
        let (line, column) = (Some(place.line), Some(place.column));
        Self { file, line, column, message, suggestion: None }
    }

    pub(super) fn suggest(self, suggestion: impl Into<String>) -> Self {
        Self { suggestion: Some(suggestion.into()), ..self }
    }
}

impl fmt::Display for TokenProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.message)?;
        match &self.suggestion {
            Some(suggestion) => write!(f, "; {suggestion}"),
            None => Ok(()),
        }
    }
}

/// Everything that is wrong with a tokens file: a line for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenProblems(pub(super) Vec<TokenProblem>);

impl TokenProblems {
    /// All of them, at least one.
    #[must_use]
    pub fn as_slice(&self) -> &[TokenProblem] {
        &self.0
    }

    pub(super) fn unreadable(problem: Problem) -> Self {
        let Problem { file, line, column, message, suggestion, .. } = problem;
        Self(vec![TokenProblem { file, line, column, message, suggestion }])
    }
}

impl fmt::Display for TokenProblems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, problem) in self.0.iter().enumerate() {
            if place > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for TokenProblems {}
