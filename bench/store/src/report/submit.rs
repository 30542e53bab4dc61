//! The submit section: submission one by one, and in batches of a thousand.

use anyhow::{Context, Result};
use steadfast_bench_drive::Action;

use super::Bench;
use super::choice::Case;
use super::markdown::{number, table};
use crate::measure::process::run;
use crate::measure::rounds::median;
use crate::measure::{postgres, sqlite};
use crate::peers::{ON_POSTGRES, ON_SQLITE};

const SINGLE_TASKS: u64 = 1000;
const BULK_TASKS: u64 = 20_000;
const BATCH_SIZE: u64 = 1000;

/// Measures submission to PostgreSQL.
pub fn postgres_table(bench: &mut Bench) -> String {
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
    let row = |(case, runs): (&Case, &Vec<SubmitResult<postgres::Usage>>)| {
        let [single, single_ratio, bulk, bulk_ratio] = rates_and_ratios(rates(runs), raw);
        let each = |usage: fn(&postgres::Usage) -> f64| {
            median(runs, |run| usage(&run.usage)) / BULK_TASKS as f64
        };
        [
            case.label(),
            single,
            single_ratio,
            bulk,
            bulk_ratio,
            number(each(|usage| usage.server * 1e6), 1),
            number(each(|usage| usage.client * 1e6), 1),
            number(each(|usage| usage.wal), 0),
        ]
    };
    table(head, cases.iter().zip(&results).map(row))
}

/// Measures submission to SQLite.
pub fn sqlite_table(bench: &mut Bench) -> Result<String> {
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
    let row = |(case, runs): (&Case, &Vec<SubmitResult<sqlite::Usage>>)| {
        let [single, single_ratio, bulk, bulk_ratio] = rates_and_ratios(rates(runs), raw);
        [
            case.label(),
            single,
            single_ratio,
            bulk,
            bulk_ratio,
            number(median(runs, |run| run.usage.cpu * 1e6) / BULK_TASKS as f64, 1),
            number(median(runs, |run| run.usage.written) / BULK_TASKS as f64, 0),
        ]
    };
    Ok(table(head, cases.iter().zip(&results).map(row)))
}

/// The result of one measurement.
struct SubmitResult<Usage> {
    /// The seconds of all submissions one by one.
    single: f64,
    /// The seconds of all submissions in batches.
    bulk: f64,
    /// The resource usage of the submissions in batches.
    usage: Usage,
}

fn submit_postgres(bench: &mut Bench, case: &Case) -> Result<SubmitResult<postgres::Usage>> {
    let Bench { postgres, programs, .. } = bench;
    let Case { entry, run: configuration } = *case;
    postgres.with_database(|postgres, database| {
        let command =
            |action| programs.command(entry, action, configuration.settings, &database.url);
        run(&mut programs.command(entry, Action::Setup, &[], &database.url)?)?;
        postgres.vacuum_and_checkpoint(database)?;
        let single = command(Action::SubmitSingle(SINGLE_TASKS))?;
        let (single, _) = postgres.measure(database, &mut { single })?;
        let bulk = command(Action::SubmitBulk(BULK_TASKS, BATCH_SIZE))?;
        let (bulk, usage) = postgres.measure(database, &mut { bulk })?;
        Ok(SubmitResult { single: seconds(&single)?, bulk: seconds(&bulk)?, usage })
    })
}

fn submit_sqlite(bench: &mut Bench, case: &Case) -> Result<SubmitResult<sqlite::Usage>> {
    let Case { entry, run: configuration } = *case;
    sqlite::with_file(|file| {
        let command = |action| bench.programs.command(entry, action, configuration.settings, file);
        run(&mut bench.programs.command(entry, Action::Setup, &[], file)?)?;
        let (single, _) = sqlite::measure(&mut command(Action::SubmitSingle(SINGLE_TASKS))?)?;
        let (bulk, usage) =
            sqlite::measure(&mut command(Action::SubmitBulk(BULK_TASKS, BATCH_SIZE))?)?;
        Ok(SubmitResult { single: seconds(&single)?, bulk: seconds(&bulk)?, usage })
    })
}

fn seconds(results: &[f64]) -> Result<f64> {
    results.first().copied().context("expected one result of the submit action")
}

/// The tasks per second, one by one and in batches.
fn rates<Usage>(runs: &[SubmitResult<Usage>]) -> [f64; 2] {
    [
        SINGLE_TASKS as f64 / median(runs, |run| run.single),
        BULK_TASKS as f64 / median(runs, |run| run.bulk),
    ]
}

/// The rates and their ratios to those of the raw loop.
fn rates_and_ratios([single, bulk]: [f64; 2], [raw_single, raw_bulk]: [f64; 2]) -> [String; 4] {
    [number(single, 0), number(single / raw_single, 2), number(bulk, 0), number(bulk / raw_bulk, 2)]
}

fn name(case: &Case) -> String {
    format!("{}, submitting", case.label())
}
