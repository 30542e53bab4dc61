//! The cost of a claim among many scheduled tasks.
//!
//! A thousand tasks that are due are drained, and the server reports the statement
//! that took most of its time. That is whatever finds the due ones, be it a claim, or
//! something that moves them where a claim finds them.

use anyhow::Result;
use steadfast_bench_drive::Action;

use super::Bench;
use super::choice::Case;
use super::markdown::{number, table};
use crate::measure::postgres::Statement;
use crate::measure::process::{Measured, run};
use crate::measure::rounds::median;
use crate::peers::ON_POSTGRES;

const FUTURE: [u64; 3] = [10_000, 1_000_000, 10_000_000];
const QUICK: [u64; 2] = [10_000, 100_000];

/// A case with a number of future tasks.
struct Crowded {
    case: Case,
    future: u64,
}

/// On PostgreSQL.
pub fn table_of(bench: &mut Bench) -> String {
    let sizes: &[u64] = if bench.choice.quick { &QUICK } else { &FUTURE };
    let cases = bench.choice.cases(ON_POSTGRES, |entry| entry.future);
    let crowded = cases
        .iter()
        .flat_map(|case| sizes.iter().map(|future| Crowded { case: *case, future: *future }));
    let crowded = crowded.filter(|crowded| crowded.future <= crowded.case.run.future);
    let crowded: Vec<Crowded> = crowded.collect();
    let label = |crowded: &Crowded| {
        format!("{}, {} scheduled", crowded.case.label(), number(crowded.future as f64, 0))
    };
    let results = bench.in_rounds(&crowded, label, drain);
    let head = [
        "most expensive statement of a drain",
        "scheduled tasks",
        "mean ms",
        "ratio to the fewest",
        "longest ms",
        "tasks each time",
        "pages/task",
    ];
    let mut fewest = f64::NAN;
    let row = |(crowded, runs): (&Crowded, &Vec<Statement>)| {
        let mean = median(runs, |statement| statement.mean);
        if sizes.first() == Some(&crowded.future) {
            fewest = mean;
        }
        [
            crowded.case.label(),
            number(crowded.future as f64, 0),
            number(mean, 3),
            number(mean / fewest, 2),
            number(median(runs, |statement| statement.longest), 2),
            number(median(runs, |statement| statement.rows), 1),
            number(median(runs, |statement| statement.pages / statement.rows), 1),
        ]
    };
    table(head, crowded.iter().zip(&results).map(row))
}

fn drain(bench: &mut Bench, crowded: &Crowded) -> Result<Statement> {
    let Bench { postgres, programs, .. } = bench;
    let Case { entry, run: how } = crowded.case;
    postgres.with_database(|postgres, database| {
        let command = |action, settings| programs.command(entry, action, settings, &database.url);
        run(&mut command(Action::Setup, &[])?)?;
        run(&mut command(Action::SubmitLater(crowded.future), &[])?)?;
        Measured::just(&mut command(Action::SubmitBulk(how.tasks, how.tasks), &[])?)?;
        postgres.settle(database)?;
        postgres.forget_statements()?;
        postgres.measure(database, &mut command(Action::Drain(how.tasks), how.settings)?)?;
        let statement = postgres.most_expensive_statement(database)?;
        let words: Vec<&str> = statement.text.split_whitespace().take(8).collect();
        eprintln!("         {:.3} ms: {} …", statement.mean, words.join(" "));
        Ok(statement)
    })
}
