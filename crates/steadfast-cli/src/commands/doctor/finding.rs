//! Check results.

use anstyle::{AnsiColor, Style};
use serde::Serialize;
use serde_json::{Map, Value};
use steadfast_store::health::Fact;

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
    /// A warning or a problem from these values on.
    pub(super) fn of<T: PartialOrd>(value: T, warning: T, problem: T) -> Self {
        match value {
            value if value >= problem => Self::Problem,
            value if value >= warning => Self::Warning,
            _ => Self::Ok,
        }
    }

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

#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Finding {
    pub(super) check: &'static str,
    #[serde(flatten)]
    pub(super) verdict: Verdict,
}

impl Finding {
    pub(super) const fn new(check: &'static str, verdict: Verdict) -> Self {
        Self { check, verdict }
    }

    pub(super) fn of<T>(
        check: &'static str,
        seen: &Fact<T>,
        evaluate: impl FnOnce(&T) -> Verdict,
    ) -> Self {
        Self { check, verdict: Verdict::of(seen, evaluate) }
    }
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Verdict {
    #[serde(rename = "mark")]
    pub(super) level: Level,
    pub(super) found: String,
    pub(super) next: Vec<Advice>,
    /// Details for `--json`.
    facts: Map<String, Value>,
}

impl Verdict {
    pub(super) fn new(level: Level, found: impl Into<String>) -> Self {
        Self { level, found: found.into(), next: Vec::new(), facts: Map::new() }
    }

    /// Evaluates a fact, or says why it could not be read.
    pub(super) fn of<T>(seen: &Fact<T>, evaluate: impl FnOnce(&T) -> Self) -> Self {
        let unknown = |why| Self::new(Level::Unknown, format!("could not be checked: {why}"));
        seen.as_ref().map_or_else(unknown, evaluate)
    }

    pub(super) fn ok(found: impl Into<String>) -> Self {
        Self::new(Level::Ok, found)
    }

    pub(super) fn note(found: impl Into<String>) -> Self {
        Self::new(Level::Note, found)
    }

    pub(super) fn warning(found: impl Into<String>) -> Self {
        Self::new(Level::Warning, found)
    }

    pub(super) fn problem(found: impl Into<String>) -> Self {
        Self::new(Level::Problem, found)
    }

    /// Adds a detail for `--json`.
    pub(super) fn fact(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.facts.insert(name.to_owned(), value.into());
        self
    }

    /// Adds advice with commands, unless all is well.
    pub(super) fn advise<S: Into<String>>(
        mut self,
        say: impl Into<String>,
        run: impl IntoIterator<Item = S>,
    ) -> Self {
        if self.level != Level::Ok {
            let run = run.into_iter().map(Into::into).collect();
            self.next.push(Advice { say: say.into(), run });
        }
        self
    }

    /// Adds advice without commands.
    pub(super) fn say(self, say: impl Into<String>) -> Self {
        self.advise(say, [""; 0])
    }
}
