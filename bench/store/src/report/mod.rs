//! The sections of the report, one to a file: each measures its rows and gives tables.

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

/// What a section needs to measure.
pub struct Bench {
    /// The server.
    pub postgres: Postgres,
    /// The programs that drive the peers.
    pub programs: Programs,
    /// How often everything is measured.
    pub rounds: usize,
    /// Which rows are wanted.
    pub choice: choice::Choice,
}

impl Bench {
    /// Measures every case in rounds.
    fn in_rounds<C, T>(
        &mut self,
        cases: &[C],
        name: impl Fn(&C) -> String,
        measure: impl Fn(&mut Self, &C) -> Result<T>,
    ) -> Vec<Vec<T>> {
        rounds(cases, self.rounds, name, |case| measure(self, case))
    }
}
