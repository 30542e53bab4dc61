//! What a check found.

use anstyle::{AnsiColor, Style};
use serde::Serialize;
use serde_json::{Map, Value};
use steadfast_store::health::{Seen, Unavailable};

use crate::output::colour::{BAD, DIM, GOOD};

const NOTE: Style = AnsiColor::Cyan.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();

/// How bad it is; worse ones are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Mark {
    Ok,
    Unknown,
    Note,
    Warning,
    Problem,
}

impl Mark {
    pub(super) const fn word(self) -> &'static str {
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

/// What to do: a sentence, and what can be copied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Advice {
    pub(super) say: String,
    pub(super) run: Vec<String>,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Finding {
    pub(super) check: &'static str,
    pub(super) mark: Mark,
    pub(super) found: String,
    pub(super) next: Vec<Advice>,
    /// The numbers behind it, for machines.
    facts: Map<String, Value>,
}

impl Finding {
    pub(super) fn new(check: &'static str, mark: Mark, found: impl Into<String>) -> Self {
        Self { check, mark, found: found.into(), next: Vec::new(), facts: Map::new() }
    }

    pub(super) fn ok(check: &'static str, found: impl Into<String>) -> Self {
        Self::new(check, Mark::Ok, found)
    }

    pub(super) fn note(check: &'static str, found: impl Into<String>) -> Self {
        Self::new(check, Mark::Note, found)
    }

    pub(super) fn warning(check: &'static str, found: impl Into<String>) -> Self {
        Self::new(check, Mark::Warning, found)
    }

    pub(super) fn problem(check: &'static str, found: impl Into<String>) -> Self {
        Self::new(check, Mark::Problem, found)
    }

    fn unknown(check: &'static str, why: &Unavailable) -> Self {
        Self::new(check, Mark::Unknown, format!("could not be checked: {why}"))
    }

    /// What the judge makes of a fact that was seen.
    pub(super) fn of<T>(
        check: &'static str,
        seen: &Seen<T>,
        judge: impl FnOnce(&T) -> Self,
    ) -> Self {
        match seen {
            Ok(fact) => judge(fact),
            Err(why) => Self::unknown(check, why),
        }
    }

    /// Whether it hurts now.
    pub(super) fn is_bad(&self) -> bool {
        self.mark == Mark::Problem
    }

    /// The same, with a number behind it.
    pub(super) fn fact(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.facts.insert(name.to_owned(), value.into());
        self
    }

    /// The same, and what to do.
    pub(super) fn advise<S: Into<String>>(
        mut self,
        say: impl Into<String>,
        run: impl IntoIterator<Item = S>,
    ) -> Self {
        let run = run.into_iter().map(Into::into).collect();
        self.next.push(Advice { say: say.into(), run });
        self
    }

    /// The same, and what to do, in words alone.
    pub(super) fn say(self, say: impl Into<String>) -> Self {
        self.advise(say, [""; 0])
    }
}
