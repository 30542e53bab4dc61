//! Lateness: the time from due to handled on an idle worker with many scheduled tasks; and the cost of
//! idling.

use std::time::Duration;

use anyhow::{Context, Result};
use steadfast_bench_drive::Action;

use super::Bench;
use super::choice::Case;
use super::markdown::{number, table};
use crate::measure::cpu;
use crate::measure::process::{Measured, run};
use crate::measure::rounds::median;
use crate::peers::ON_POSTGRES;

/// How long the idle are watched.
const IDLE: Duration = Duration::from_secs(10);
/// How long tasks become due.
const SECONDS: u64 = 10;
/// A peer whose search takes too long searches less often, half a minute apart.
const PATIENCE: Duration = Duration::from_secs(180);

/// A case with tasks that become due at a rate.
struct Waking {
    case: Case,
    future: u64,
    rate: u64,
}

/// What was seen.
struct Late {
    /// Cores that the server and the peer take while nothing is due.
    idle: f64,
    /// Median, 99th percentile and longest, in milliseconds.
    late: [f64; 3],
}

/// On PostgreSQL.
pub fn table_of(bench: &mut Bench) -> String {
    let future = if bench.choice.quick { 10_000 } else { 1_000_000 };
    let cases = bench.choice.cases(ON_POSTGRES, |entry| entry.lateness);
    let waking =
        cases.iter().flat_map(|case| [10, 1000].map(|rate| Waking { case: *case, future, rate }));
    let waking: Vec<Waking> = waking.collect();
    let label = |waking: &Waking| format!("{}, {} due/s", waking.case.label(), waking.rate);
    let results = bench.in_rounds(&waking, label, be_late);
    let head = [
        "lateness, from due to handled",
        "scheduled tasks",
        "due/s",
        "median ms",
        "99 % ms",
        "longest ms",
        "cores while idle",
    ];
    let row = |(waking, runs): (&Waking, &Vec<Late>)| {
        let late = |figure: fn([f64; 3]) -> f64| number(median(runs, |run| figure(run.late)), 1);
        [
            waking.case.label(),
            number(waking.future as f64, 0),
            number(waking.rate as f64, 0),
            late(|[median, _, _]| median),
            late(|[_, most, _]| most),
            late(|[_, _, longest]| longest),
            number(median(runs, |run| run.idle), 3),
        ]
    };
    table(head, waking.iter().zip(&results).map(row))
}

fn be_late(bench: &mut Bench, waking: &Waking) -> Result<Late> {
    let Bench { postgres, programs, .. } = bench;
    let Case { entry, run: how } = waking.case;
    postgres.with_database(|postgres, database| {
        let command = |action, settings| programs.command(entry, action, settings, &database.url);
        run(&mut command(Action::Setup, &[])?)?;
        run(&mut command(Action::SubmitLater(waking.future), &[])?)?;
        postgres.settle(database)?;
        let action = Action::Lateness(waking.rate * SECONDS, waking.rate);
        let mut measured = Measured::ready(&mut command(action, how.settings)?)?;
        let cores = || Ok::<f64, anyhow::Error>(postgres.cpu()? + cpu::of(measured.pid())?);
        let before = cores()?;
        std::thread::sleep(IDLE);
        let idle = (cores()? - before) / IDLE.as_secs_f64();
        measured.go()?;
        let figures = measured.done(PATIENCE)?;
        measured.end()?;
        let late = figures.try_into().ok().context("lateness without its three figures")?;
        Ok(Late { idle, late })
    })
}
