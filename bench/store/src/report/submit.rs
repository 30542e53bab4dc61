//! Submission: one by one, and in batches of a thousand.

use anyhow::{Context, Result};
use steadfast_bench_drive::Action;

use super::Bench;
use super::choice::Case;
use super::markdown::{number, table};
use crate::measure::process::run;
use crate::measure::rounds::median;
use crate::measure::{postgres, sqlite};
use crate::peers::{ON_POSTGRES, ON_SQLITE};

const SINGLE: u64 = 1000;
const BULK: u64 = 20_000;
const BATCH: u64 = 1000;

/// On PostgreSQL.
pub fn on_postgres(bench: &mut Bench) -> String {
    let cases = bench.choice.cases(ON_POSTGRES, |entry| entry.submit);
    let results = bench.in_rounds(&cases, name, submit_postgres);
    let head = [
        "submitted to PostgreSQL",
        "one by one, tasks/s",
        "ratio to raw",
        "1 000 at a time, tasks/s",
        "ratio to raw",
        "CPU µs/task, server",
        "client",
        "WAL bytes/task",
    ];
    let raw = results.first().map_or([f64::NAN; 2], |runs| rates(runs));
    let row = |(case, runs): (&Case, &Vec<Submitted<postgres::Spent>>)| {
        let [single, single_ratio, bulk, bulk_ratio] = compared(rates(runs), raw);
        let each = |spent: fn(&postgres::Spent) -> f64| {
            median(runs, |run| spent(&run.spent)) / BULK as f64
        };
        [
            case.label(),
            single,
            single_ratio,
            bulk,
            bulk_ratio,
            number(each(|spent| spent.server * 1e6), 1),
            number(each(|spent| spent.client * 1e6), 1),
            number(each(|spent| spent.wal), 0),
        ]
    };
    table(head, cases.iter().zip(&results).map(row))
}

/// On SQLite.
pub fn on_sqlite(bench: &mut Bench) -> Result<String> {
    bench.programs.build_effectum()?;
    let cases = bench.choice.cases(ON_SQLITE, |entry| entry.submit);
    let results = bench.in_rounds(&cases, name, submit_sqlite);
    let head = [
        "submitted to SQLite, WAL, synchronous = NORMAL",
        "one by one, tasks/s",
        "ratio to raw",
        "1 000 at a time, tasks/s",
        "ratio to raw",
        "CPU µs/task",
        "bytes written/task",
    ];
    let raw = results.first().map_or([f64::NAN; 2], |runs| rates(runs));
    let row = |(case, runs): (&Case, &Vec<Submitted<sqlite::Spent>>)| {
        let [single, single_ratio, bulk, bulk_ratio] = compared(rates(runs), raw);
        [
            case.label(),
            single,
            single_ratio,
            bulk,
            bulk_ratio,
            number(median(runs, |run| run.spent.cpu * 1e6) / BULK as f64, 1),
            number(median(runs, |run| run.spent.written) / BULK as f64, 0),
        ]
    };
    Ok(table(head, cases.iter().zip(&results).map(row)))
}

/// Both ways of one peer.
struct Submitted<Spent> {
    /// Seconds.
    single: f64,
    /// Seconds.
    bulk: f64,
    /// In bulk.
    spent: Spent,
}

fn submit_postgres(bench: &mut Bench, case: &Case) -> Result<Submitted<postgres::Spent>> {
    let Bench { postgres, programs, .. } = bench;
    let Case { entry, run: how } = *case;
    postgres.with_database(|postgres, database| {
        let command = |action| programs.command(entry, action, how.settings, &database.url);
        run(&mut programs.command(entry, Action::Setup, &[], &database.url)?)?;
        postgres.settle(database)?;
        let single = command(Action::SubmitSingle(SINGLE))?;
        let (single, _) = postgres.measure(database, &mut { single })?;
        let bulk = command(Action::SubmitBulk(BULK, BATCH))?;
        let (bulk, spent) = postgres.measure(database, &mut { bulk })?;
        Ok(Submitted { single: seconds(&single)?, bulk: seconds(&bulk)?, spent })
    })
}

fn submit_sqlite(bench: &mut Bench, case: &Case) -> Result<Submitted<sqlite::Spent>> {
    let Case { entry, run: how } = *case;
    sqlite::with_file(|file| {
        let command = |action| bench.programs.command(entry, action, how.settings, file);
        run(&mut bench.programs.command(entry, Action::Setup, &[], file)?)?;
        let (single, _) = sqlite::measure(&mut command(Action::SubmitSingle(SINGLE))?)?;
        let (bulk, spent) = sqlite::measure(&mut command(Action::SubmitBulk(BULK, BATCH))?)?;
        Ok(Submitted { single: seconds(&single)?, bulk: seconds(&bulk)?, spent })
    })
}

fn seconds(figures: &[f64]) -> Result<f64> {
    figures.first().copied().context("a submit without its figure")
}

/// Tasks a second, one by one and in bulk.
fn rates<Spent>(runs: &[Submitted<Spent>]) -> [f64; 2] {
    [SINGLE as f64 / median(runs, |run| run.single), BULK as f64 / median(runs, |run| run.bulk)]
}

fn compared([single, bulk]: [f64; 2], [raw_single, raw_bulk]: [f64; 2]) -> [String; 4] {
    [number(single, 0), number(single / raw_single, 2), number(bulk, 0), number(bulk / raw_bulk, 2)]
}

fn name(case: &Case) -> String {
    format!("{}, submitting", case.label())
}
