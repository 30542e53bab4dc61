//! The churn section: submission and processing at the same time, during a long-running transaction.
//!
//! The transaction prevents the vacuum of dead rows, and a queue that scans them becomes slower.

use std::time::Duration;

use anyhow::{Context, Result};
use steadfast_bench_drive::Action;

use super::Bench;
use super::choice::Case;
use super::markdown::{number, table};
use crate::measure::process::{PeerProcess, run};
use crate::measure::rounds::median;
use crate::peers::ON_POSTGRES;

const SECONDS: u64 = 60;
const QUICK_SECONDS: u64 = 15;
/// The time to start and to stop, beyond the measurement.
const TIMEOUT_MARGIN: Duration = Duration::from_secs(60);

/// Measures the section on PostgreSQL.
pub fn postgres_table(bench: &mut Bench) -> String {
    let seconds = if bench.choice.quick { QUICK_SECONDS } else { SECONDS };
    let cases = bench.choice.cases(ON_POSTGRES, |entry| entry.churn);
    let results = bench.in_rounds(&cases, Case::label, |bench, case| measure(bench, case, seconds));
    let head = [
        "churn under a long-running transaction",
        "seconds",
        "tasks/s, first fifth",
        "last fifth",
        "ratio",
    ];
    let row = |(case, runs): (&Case, &Vec<[f64; 2]>)| {
        let [first, last] = [median(runs, |[first, _]| *first), median(runs, |[_, last]| *last)];
        let ratio = median(runs, |[first, last]| last / first);
        [case.label(), seconds.to_string(), number(first, 0), number(last, 0), number(ratio, 2)]
    };
    table(head, cases.iter().zip(&results).map(row))
}

/// Measures the tasks per second in the first and in the last fifth.
fn measure(bench: &mut Bench, case: &Case, seconds: u64) -> Result<[f64; 2]> {
    let Bench { postgres, programs, .. } = bench;
    postgres.with_database(|postgres, database| {
        let command =
            |action, settings| programs.command(case.entry, action, settings, &database.url);
        run(&mut command(Action::Setup, &[])?)?;
        let mut churn = command(Action::Churn(seconds), case.run.settings)?;
        let mut process = PeerProcess::start(&mut churn)?;
        let mut open_transaction = postgres.connect(database)?;
        open_transaction
            .batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT txid_current()")?;
        process.begin()?;
        let results = process.wait_done(Duration::from_secs(seconds) + TIMEOUT_MARGIN)?;
        process.stop()?;
        open_transaction.batch_execute("ROLLBACK")?;
        results.try_into().ok().context("expected two results of the churn action")
    })
}
