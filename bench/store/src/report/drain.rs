//! The drain section: no-op tasks that were submitted before, processed by one process.

use anyhow::{Context, Result};
use steadfast_bench_drive::Action;

use super::Bench;
use super::choice::Case;
use super::markdown::{number, table};
use crate::measure::process::{PeerProcess, run};
use crate::measure::rounds::median;
use crate::measure::{postgres, sqlite};
use crate::peers::{ON_POSTGRES, ON_SQLITE};

/// The batch size of the submissions before the drain.
const SUBMIT_BATCH_SIZE: u64 = 1000;

/// Measures the drain on PostgreSQL.
pub fn postgres_table(bench: &mut Bench) -> String {
    let cases = bench.choice.cases(ON_POSTGRES, |entry| entry.drain);
    let results = bench.in_rounds(&cases, Case::label, drain_postgres);
    let rate = |runs: &[DrainResult<postgres::Usage>]| median(runs, |run| run.rate);
    let raw = results.first().map_or(f64::NAN, |runs| rate(runs));
    let head = [
        "drained on PostgreSQL",
        "tasks",
        "tasks/s",
        "ratio to raw",
        "CPU µs/task, server",
        "client",
        "total",
        "commits/task",
        "fsyncs/task",
        "WAL bytes/task",
        "stores",
    ];
    let row = |(case, runs): (&Case, &Vec<DrainResult<postgres::Usage>>)| {
        let tasks = case.run.tasks as f64;
        let each =
            |usage: fn(&postgres::Usage) -> f64| median(runs, |run| usage(&run.usage)) / tasks;
        let rate = rate(runs);
        [
            case.label(),
            number(tasks, 0),
            number(rate, if rate < 10.0 { 1 } else { 0 }),
            number(rate / raw, 2),
            number(each(|usage| usage.server * 1e6), 1),
            number(each(|usage| usage.client * 1e6), 1),
            number(each(|usage| (usage.server + usage.client) * 1e6), 1),
            number(each(|usage| usage.commits), 3),
            number(each(|usage| usage.fsyncs), 4),
            number(each(|usage| usage.wal), 0),
            case.entry.stores.to_owned(),
        ]
    };
    table(head, cases.iter().zip(&results).map(row))
}

/// Measures the drain on SQLite.
pub fn sqlite_table(bench: &mut Bench) -> Result<String> {
    bench.programs.build_effectum()?;
    let cases = bench.choice.cases(ON_SQLITE, |entry| entry.drain);
    let results = bench.in_rounds(&cases, Case::label, drain_sqlite);
    let rate = |runs: &[DrainResult<sqlite::Usage>]| median(runs, |run| run.rate);
    let raw = results.first().map_or(f64::NAN, |runs| rate(runs));
    let head = [
        "drained on SQLite, WAL, synchronous = NORMAL",
        "tasks",
        "tasks/s",
        "ratio to raw",
        "CPU µs/task",
        "bytes written/task",
        "stores",
    ];
    let row = |(case, runs): (&Case, &Vec<DrainResult<sqlite::Usage>>)| {
        let tasks = case.run.tasks as f64;
        let rate = rate(runs);
        [
            case.label(),
            number(tasks, 0),
            number(rate, 0),
            number(rate / raw, 2),
            number(median(runs, |run| run.usage.cpu * 1e6) / tasks, 1),
            number(median(runs, |run| run.usage.written) / tasks, 0),
            case.entry.stores.to_owned(),
        ]
    };
    Ok(table(head, cases.iter().zip(&results).map(row)))
}

/// The result of one drain.
struct DrainResult<Usage> {
    /// The tasks per second until the database had all outcomes.
    rate: f64,
    usage: Usage,
}

fn drain_postgres(bench: &mut Bench, case: &Case) -> Result<DrainResult<postgres::Usage>> {
    let Bench { postgres, programs, .. } = bench;
    postgres.with_database(|postgres, database| {
        let command =
            |action, settings| programs.command(case.entry, action, settings, &database.url);
        run(&mut command(Action::Setup, &[])?)?;
        PeerProcess::run_unmeasured(&mut command(
            Action::SubmitBulk(case.run.tasks, SUBMIT_BATCH_SIZE),
            &[],
        )?)?;
        postgres.vacuum_and_checkpoint(database)?;
        let mut drain = command(Action::Drain(case.run.tasks), case.run.settings)?;
        let (results, usage) = postgres.measure(database, &mut drain)?;
        Ok(DrainResult { rate: rate(case, &results)?, usage })
    })
}

fn drain_sqlite(bench: &mut Bench, case: &Case) -> Result<DrainResult<sqlite::Usage>> {
    sqlite::with_file(|file| {
        let command = |action, settings| bench.programs.command(case.entry, action, settings, file);
        run(&mut command(Action::Setup, &[])?)?;
        PeerProcess::run_unmeasured(&mut command(
            Action::SubmitBulk(case.run.tasks, SUBMIT_BATCH_SIZE),
            &[],
        )?)?;
        let mut drain = command(Action::Drain(case.run.tasks), case.run.settings)?;
        let (results, usage) = sqlite::measure(&mut drain)?;
        Ok(DrainResult { rate: rate(case, &results)?, usage })
    })
}

/// The tasks per second by the second result: the time until the database had all outcomes.
fn rate(case: &Case, results: &[f64]) -> Result<f64> {
    Ok(case.run.tasks as f64
        / results.get(1).context("expected two results of the drain action")?)
}
