//! Drains: no-op tasks that were submitted before, processed by one process.

use anyhow::{Context, Result};
use steadfast_bench_drive::Action;

use super::Bench;
use super::choice::Case;
use super::markdown::{number, table};
use crate::measure::process::{Measured, run};
use crate::measure::rounds::median;
use crate::measure::{postgres, sqlite};
use crate::peers::{ON_POSTGRES, ON_SQLITE};

/// How many are submitted at a time beforehand.
const BATCH: u64 = 1000;

/// On PostgreSQL.
pub fn on_postgres(bench: &mut Bench) -> String {
    let cases = bench.choice.cases(ON_POSTGRES, |entry| entry.drain);
    let results = bench.in_rounds(&cases, Case::label, drain_postgres);
    let rate = |runs: &[Drained<postgres::Spent>]| median(runs, |run| run.rate);
    let raw = results.first().map_or(f64::NAN, |runs| rate(runs));
    let head = [
        "drained on PostgreSQL",
        "tasks",
        "tasks/s",
        "ratio to raw",
        "CPU µs/task, server",
        "client",
        "together",
        "commits/task",
        "fsyncs/task",
        "WAL bytes/task",
        "stores",
    ];
    let row = |(case, runs): (&Case, &Vec<Drained<postgres::Spent>>)| {
        let tasks = case.run.tasks as f64;
        let each =
            |spent: fn(&postgres::Spent) -> f64| median(runs, |run| spent(&run.spent)) / tasks;
        let rate = rate(runs);
        [
            case.label(),
            number(tasks, 0),
            number(rate, if rate < 10.0 { 1 } else { 0 }),
            number(rate / raw, 2),
            number(each(|spent| spent.server * 1e6), 1),
            number(each(|spent| spent.client * 1e6), 1),
            number(each(|spent| (spent.server + spent.client) * 1e6), 1),
            number(each(|spent| spent.commits), 3),
            number(each(|spent| spent.fsyncs), 4),
            number(each(|spent| spent.wal), 0),
            case.entry.keeps.to_owned(),
        ]
    };
    table(head, cases.iter().zip(&results).map(row))
}

/// On SQLite.
pub fn on_sqlite(bench: &mut Bench) -> Result<String> {
    bench.programs.build_effectum()?;
    let cases = bench.choice.cases(ON_SQLITE, |entry| entry.drain);
    let results = bench.in_rounds(&cases, Case::label, drain_sqlite);
    let rate = |runs: &[Drained<sqlite::Spent>]| median(runs, |run| run.rate);
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
    let row = |(case, runs): (&Case, &Vec<Drained<sqlite::Spent>>)| {
        let tasks = case.run.tasks as f64;
        let rate = rate(runs);
        [
            case.label(),
            number(tasks, 0),
            number(rate, 0),
            number(rate / raw, 2),
            number(median(runs, |run| run.spent.cpu * 1e6) / tasks, 1),
            number(median(runs, |run| run.spent.written) / tasks, 0),
            case.entry.keeps.to_owned(),
        ]
    };
    Ok(table(head, cases.iter().zip(&results).map(row)))
}

/// One drain.
struct Drained<Spent> {
    /// Tasks a second, until the database knew of all of them.
    rate: f64,
    spent: Spent,
}

fn drain_postgres(bench: &mut Bench, case: &Case) -> Result<Drained<postgres::Spent>> {
    let Bench { postgres, programs, .. } = bench;
    postgres.with_database(|postgres, database| {
        let command =
            |action, settings| programs.command(case.entry, action, settings, &database.url);
        run(&mut command(Action::Setup, &[])?)?;
        Measured::just(&mut command(Action::SubmitBulk(case.run.tasks, BATCH), &[])?)?;
        postgres.settle(database)?;
        let mut drain = command(Action::Drain(case.run.tasks), case.run.settings)?;
        let (figures, spent) = postgres.measure(database, &mut drain)?;
        Ok(Drained { rate: rate(case, &figures)?, spent })
    })
}

fn drain_sqlite(bench: &mut Bench, case: &Case) -> Result<Drained<sqlite::Spent>> {
    sqlite::with_file(|file| {
        let command = |action, settings| bench.programs.command(case.entry, action, settings, file);
        run(&mut command(Action::Setup, &[])?)?;
        Measured::just(&mut command(Action::SubmitBulk(case.run.tasks, BATCH), &[])?)?;
        let mut drain = command(Action::Drain(case.run.tasks), case.run.settings)?;
        let (figures, spent) = sqlite::measure(&mut drain)?;
        Ok(Drained { rate: rate(case, &figures)?, spent })
    })
}

/// By the second figure: the handlers' end is not the end.
fn rate(case: &Case, figures: &[f64]) -> Result<f64> {
    Ok(case.run.tasks as f64 / figures.get(1).context("a drain without its second figure")?)
}
