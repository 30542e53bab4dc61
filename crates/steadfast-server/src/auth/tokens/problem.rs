//! Problems in a tokens file, with their position and a suggestion.

use std::fmt;
use std::ops::Range;

use steadfast::file::{Problem, Source};

/// One problem; displays as `tokens.toml:7:1: message; suggestion`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenProblem {
    /// The name of the file.
    pub file: String,
    /// The line, from 1, if the problem has a position.
    pub line: Option<u32>,
    /// The column, from 1, if the problem has a position.
    pub column: Option<u32>,
    /// The problem.
    pub message: String,
    /// How to fix it.
    pub suggestion: Option<String>,
}

impl TokenProblem {
    pub(super) fn at(source: &Source, at: Range<usize>, message: impl Into<String>) -> Self {
        let position = source.position(at.start);
        let (file, message) = (source.name().to_owned(), message.into());
        let (line, column) = (Some(position.line), Some(position.column));
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

/// All problems of a tokens file; displays one per line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenProblems(pub(super) Vec<TokenProblem>);

impl TokenProblems {
    /// The problems, at least one.
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
        for (index, problem) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            problem.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for TokenProblems {}
