//! Check results.

use anstyle::{AnsiColor, Style};
use serde::Serialize;
use serde_json::{Map, Value};
use steadfast_store::health::{Fact, Unavailable};

use crate::output::colour::{BAD, DIM, GOOD};

const NOTE: Style = AnsiColor::Cyan.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// The severity of a finding, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Level {
    Ok,
    Unknown,
    Note,
    Warning,
    Problem,
}

impl Level {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Unknown => "unknown",
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Problem => "problem",
        }
    }

    pub(super) const fn style(self) -> Style {
        match self {
            Self::Ok => GOOD,
            Self::Unknown => DIM,
            Self::Note => NOTE,
            Self::Warning => WARNING,
            Self::Problem => BAD,
        }
    }
}

/// Advice: a sentence, and commands to copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Advice {
    pub(super) say: String,
    pub(super) run: Vec<String>,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Finding {
    pub(super) check: &'static str,
    #[serde(rename = "mark")]
    pub(super) level: Level,
    pub(super) found: String,
    pub(super) next: Vec<Advice>,
    /// Details for `--json`.
    facts: Map<String, Value>,
}

impl Finding {
    pub(super) fn new(check: &'static str, level: Level, found: impl Into<String>) -> Self {
        Self { check, level, found: found.into(), next: Vec::new(), facts: Map::new() }
    }

    pub(super) fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Self::new(check, Level::Ok, found)
    }

    pub(super) fn note(check: &'static str, found: impl Into<String>) -> Self {
        Self::new(check, Level::Note, found)
    }

    pub(super) fn warning(check: &'static str, found: impl Into<String>) -> Self {
        Self::new(check, Level::Warning, found)
    }

    pub(super) fn problem(check: &'static str, found: impl Into<String>) -> Self {
        Self::new(check, Level::Problem, found)
    }

    fn unknown(check: &'static str, why: &Unavailable) -> Self {
        Self::new(check, Level::Unknown, format!("could not be checked: {why}"))
    }

    /// Evaluates a fact, or reports why it could not be read.
    pub(super) fn of<T>(
        check: &'static str,
        seen: &Fact<T>,
        evaluate: impl FnOnce(&T) -> Self,
    ) -> Self {
        match seen {
            Ok(fact) => evaluate(fact),
            Err(why) => Self::unknown(check, why),
        }
    }

    /// Whether it is a problem.
    pub(super) fn is_problem(&self) -> bool {
        self.level == Level::Problem
    }

    /// Adds a detail for `--json`.
    pub(super) fn fact(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.facts.insert(name.to_owned(), value.into());
        self
    }

    /// Adds advice with commands.
    pub(super) fn advise<S: Into<String>>(
        mut self,
        say: impl Into<String>,
        run: impl IntoIterator<Item = S>,
    ) -> Self {
        let run = run.into_iter().map(Into::into).collect();
        self.next.push(Advice { say: say.into(), run });
        self
    }

    /// Adds advice without commands.
    pub(super) fn say(self, say: impl Into<String>) -> Self {
        self.advise(say, [""; 0])
    }
}
