//! Churn: submitting and processing at once during a long open transaction. Dead rows cannot be
//! vacuumed, and a queue that scans them gets slower.

use std::time::Duration;

use anyhow::{Context, Result};
use steadfast_bench_drive::Action;

use super::Bench;
use super::choice::Case;
use super::markdown::{number, table};
use crate::measure::process::{Measured, run};
use crate::measure::rounds::median;
use crate::peers::ON_POSTGRES;

const SECONDS: u64 = 60;
const QUICK: u64 = 15;
/// Beside the time itself, to start and to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// On PostgreSQL.
pub fn table_of(bench: &mut Bench) -> String {
    let seconds = if bench.choice.quick { QUICK } else { SECONDS };
    let cases = bench.choice.cases(ON_POSTGRES, |entry| entry.churn);
    let results = bench.in_rounds(&cases, Case::label, |bench, case| churn(bench, case, seconds));
    let head = [
        "churn under a long-running transaction",
        "seconds",
        "tasks/s, first fifth",
        "last fifth",
        "ratio",
    ];
    let row = |(case, runs): (&Case, &Vec<[f64; 2]>)| {
        let [start, end] = [median(runs, |[start, _]| *start), median(runs, |[_, end]| *end)];
        let ratio = median(runs, |[start, end]| end / start);
        [case.label(), seconds.to_string(), number(start, 0), number(end, 0), number(ratio, 2)]
    };
    table(head, cases.iter().zip(&results).map(row))
}

fn churn(bench: &mut Bench, case: &Case, seconds: u64) -> Result<[f64; 2]> {
    let Bench { postgres, programs, .. } = bench;
    postgres.with_database(|postgres, database| {
        let command =
            |action, settings| programs.command(case.entry, action, settings, &database.url);
        run(&mut command(Action::Setup, &[])?)?;
        let mut churn = command(Action::Churn(seconds), case.run.settings)?;
        let mut measured = Measured::ready(&mut churn)?;
        let mut forgetful = postgres.connect(database)?;
        forgetful.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT txid_current()")?;
        measured.go()?;
        let figures = measured.done(Duration::from_secs(seconds) + PATIENCE)?;
        measured.end()?;
        forgetful.batch_execute("ROLLBACK")?;
        figures.try_into().ok().context("churn without its two figures")
    })
}
