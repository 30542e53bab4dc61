//! The sections of the report, one to a file: each measures its rows and gives tables.

pub mod churn;
pub mod drain;
pub mod future;
pub mod lateness;
pub mod machine;
mod markdown;
pub mod submit;

use crate::entry::{Entry, Run};
use crate::measure::postgres::Postgres;
use crate::measure::programs::Programs;
use crate::measure::rounds::rounds;

/// What a section needs to measure.
pub struct Bench {
    /// The server.
    pub postgres: Postgres,
    /// The programs that drive the peers.
    pub programs: Programs,
    /// How often everything is measured.
    pub rounds: usize,
    /// Whether few peers and small numbers are enough.
    pub quick: bool,
    /// Whose rows are wanted; everyone's if none is named.
    pub only: Vec<String>,
}

/// A row: a peer, and a way to set it.
#[derive(Debug, Clone, Copy)]
struct Case {
    entry: &'static Entry,
    run: &'static Run,
}

impl Case {
    fn label(&self) -> String {
        format!("{}, {}", self.entry.name, self.run.label)
    }
}

impl Bench {
    /// The rows that are wanted. The first is what all others are compared with, and
    /// always among them.
    fn cases(&self, entries: &'static [Entry], runs: fn(&Entry) -> &'static [Run]) -> Vec<Case> {
        let all =
            entries.iter().flat_map(|entry| runs(entry).iter().map(move |run| Case { entry, run }));
        let mut first = true;
        all.filter(|case| std::mem::take(&mut first) || self.wants(case)).collect()
    }

    fn wants(&self, case: &Case) -> bool {
        (case.run.quick || !self.quick) && self.wants_entry(case.entry)
    }

    fn wants_entry(&self, entry: &Entry) -> bool {
        let named = self.only.is_empty() || self.only.iter().any(|name| name == entry.name);
        named && self.programs.has(entry)
    }

    /// Measures every case in rounds.
    fn in_rounds<C, T>(
        &mut self,
        cases: &[C],
        name: impl Fn(&C) -> String,
        measure: impl Fn(&mut Self, &C) -> anyhow::Result<T>,
    ) -> Vec<Vec<T>> {
        rounds(cases, self.rounds, name, |case| measure(self, case))
    }
}
