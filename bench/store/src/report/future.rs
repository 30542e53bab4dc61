//! The future section: the cost of a claim among many scheduled tasks.
//!
//! Due tasks are drained, and the server reports the statement that took most of its time:
//! the claim, or the statement that promotes due tasks.

use anyhow::Result;
use steadfast_bench_drive::Action;

use super::Bench;
use super::choice::Case;
use super::markdown::{number, table};
use crate::measure::postgres::Statement;
use crate::measure::process::{PeerProcess, run};
use crate::measure::rounds::median;
use crate::peers::ON_POSTGRES;

const SCHEDULED_TASKS: [u64; 3] = [10_000, 1_000_000, 10_000_000];
const QUICK_SCHEDULED_TASKS: [u64; 2] = [10_000, 100_000];

/// A case with a number of scheduled tasks.
struct FutureCase {
    case: Case,
    scheduled: u64,
}

/// Measures the section on PostgreSQL.
pub fn postgres_table(bench: &mut Bench) -> String {
    let sizes: &[u64] = if bench.choice.quick { &QUICK_SCHEDULED_TASKS } else { &SCHEDULED_TASKS };
    let cases = bench.choice.cases(ON_POSTGRES, |entry| entry.future);
    let future_cases = cases.iter().flat_map(|case| {
        sizes.iter().map(|scheduled| FutureCase { case: *case, scheduled: *scheduled })
    });
    let future_cases = future_cases.filter(|each| each.scheduled <= each.case.run.max_scheduled);
    let future_cases: Vec<FutureCase> = future_cases.collect();
    let label = |each: &FutureCase| {
        format!("{}, {} scheduled", each.case.label(), number(each.scheduled as f64, 0))
    };
    let results = bench.in_rounds(&future_cases, label, drain);
    let head = [
        "most expensive statement of a drain",
        "scheduled tasks",
        "mean ms",
        "ratio to fewest scheduled",
        "longest ms",
        "tasks per call",
        "pages/task",
    ];
    let mut fewest_mean = f64::NAN;
    let row = |(each, runs): (&FutureCase, &Vec<Statement>)| {
        let mean = median(runs, |statement| statement.mean);
        if sizes.first() == Some(&each.scheduled) {
            fewest_mean = mean;
        }
        [
            each.case.label(),
            number(each.scheduled as f64, 0),
            number(mean, 3),
            number(mean / fewest_mean, 2),
            number(median(runs, |statement| statement.max), 2),
            number(median(runs, |statement| statement.rows), 1),
            number(median(runs, |statement| statement.pages / statement.rows), 1),
        ]
    };
    table(head, future_cases.iter().zip(&results).map(row))
}

/// Drains tasks and returns the most expensive statement.
fn drain(bench: &mut Bench, future_case: &FutureCase) -> Result<Statement> {
    let Bench { postgres, programs, .. } = bench;
    let Case { entry, run: configuration } = future_case.case;
    postgres.with_database(|postgres, database| {
        let command = |action, settings| programs.command(entry, action, settings, &database.url);
        run(&mut command(Action::Setup, &[])?)?;
        run(&mut command(Action::SubmitScheduled(future_case.scheduled), &[])?)?;
        PeerProcess::run_unmeasured(&mut command(
            Action::SubmitBulk(configuration.tasks, configuration.tasks),
            &[],
        )?)?;
        postgres.vacuum_and_checkpoint(database)?;
        postgres.reset_statements()?;
        postgres.measure(
            database,
            &mut command(Action::Drain(configuration.tasks), configuration.settings)?,
        )?;
        let statement = postgres.most_expensive_statement(database)?;
        let words: Vec<&str> = statement.text.split_whitespace().take(8).collect();
        eprintln!("         {:.3} ms: {} …", statement.mean, words.join(" "));
        Ok(statement)
    })
}
