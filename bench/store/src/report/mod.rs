//! The sections of the report, one per file. Each measures its rows and returns tables.

pub mod choice;
pub mod churn;
pub mod drain;
pub mod file;
pub mod future;
pub mod lateness;
pub mod machine;
mod markdown;
pub mod submit;

use anyhow::Result;

use crate::measure::postgres::Postgres;
use crate::measure::programs::Programs;
use crate::measure::rounds::rounds;

/// The context of a section.
pub struct Bench {
    /// The PostgreSQL server.
    pub postgres: Postgres,
    /// The programs of the peers.
    pub programs: Programs,
    /// The number of measurements per row.
    pub rounds: usize,
    /// The selection of rows.
    pub choice: choice::Choice,
}

impl Bench {
    /// Measures all cases in rounds.
    fn in_rounds<C, T>(
        &mut self,
        cases: &[C],
        name: impl Fn(&C) -> String,
        measure: impl Fn(&mut Self, &C) -> Result<T>,
    ) -> Vec<Vec<T>> {
        rounds(cases, self.rounds, name, |case| measure(self, case))
    }
}
