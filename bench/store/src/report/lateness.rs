//! The lateness section: the time from due to handled on an idle worker with many scheduled tasks, and
//! the CPU usage while idle.

use std::time::Duration;

use anyhow::{Context, Result};
use steadfast_bench_drive::Action;

use super::Bench;
use super::choice::Case;
use super::markdown::{number, table};
use crate::measure::cpu;
use crate::measure::process::{PeerProcess, run};
use crate::measure::rounds::median;
use crate::peers::ON_POSTGRES;

/// The time over which idle CPU usage is measured.
const IDLE_DURATION: Duration = Duration::from_secs(10);
/// The seconds during which tasks become due.
const DUE_SECONDS: u64 = 10;
/// Includes a poll interval of half a minute, to which a peer with slow polls falls back.
const TIMEOUT: Duration = Duration::from_secs(180);

/// A case with a number of scheduled tasks and a rate at which others become due.
struct LatenessCase {
    case: Case,
    scheduled: u64,
    /// Tasks that become due per second.
    rate: u64,
}

/// The result of one measurement.
struct LatenessResult {
    /// The cores that the server and the peer use while idle.
    idle_cores: f64,
    /// The median, the 99th percentile and the maximum, in milliseconds.
    lateness: [f64; 3],
}

/// Measures the section on PostgreSQL.
pub fn postgres_table(bench: &mut Bench) -> String {
    let scheduled = if bench.choice.quick { 10_000 } else { 1_000_000 };
    let cases = bench.choice.cases(ON_POSTGRES, |entry| entry.lateness);
    let lateness_cases = cases
        .iter()
        .flat_map(|case| [10, 1000].map(|rate| LatenessCase { case: *case, scheduled, rate }));
    let lateness_cases: Vec<LatenessCase> = lateness_cases.collect();
    let label = |each: &LatenessCase| format!("{}, {} due/s", each.case.label(), each.rate);
    let results = bench.in_rounds(&lateness_cases, label, measure);
    let head = [
        "lateness, from due to handled",
        "scheduled tasks",
        "due/s",
        "median ms",
        "99 % ms",
        "longest ms",
        "cores while idle",
    ];
    let row = |(each, runs): (&LatenessCase, &Vec<LatenessResult>)| {
        let lateness =
            |select: fn([f64; 3]) -> f64| number(median(runs, |run| select(run.lateness)), 1);
        [
            each.case.label(),
            number(each.scheduled as f64, 0),
            number(each.rate as f64, 0),
            lateness(|[median, _, _]| median),
            lateness(|[_, p99, _]| p99),
            lateness(|[_, _, max]| max),
            number(median(runs, |run| run.idle_cores), 3),
        ]
    };
    table(head, lateness_cases.iter().zip(&results).map(row))
}

fn measure(bench: &mut Bench, lateness_case: &LatenessCase) -> Result<LatenessResult> {
    let Bench { postgres, programs, .. } = bench;
    let Case { entry, run: configuration } = lateness_case.case;
    postgres.with_database(|postgres, database| {
        let command = |action, settings| programs.command(entry, action, settings, &database.url);
        run(&mut command(Action::Setup, &[])?)?;
        run(&mut command(Action::SubmitScheduled(lateness_case.scheduled), &[])?)?;
        postgres.vacuum_and_checkpoint(database)?;
        let action = Action::Lateness(lateness_case.rate * DUE_SECONDS, lateness_case.rate);
        let mut process = PeerProcess::start(&mut command(action, configuration.settings)?)?;
        let cpu_seconds =
            || Ok::<f64, anyhow::Error>(postgres.cpu()? + cpu::of_process(process.pid())?);
        let before = cpu_seconds()?;
        std::thread::sleep(IDLE_DURATION);
        let idle_cores = (cpu_seconds()? - before) / IDLE_DURATION.as_secs_f64();
        process.begin()?;
        let results = process.wait_done(TIMEOUT)?;
        process.stop()?;
        let lateness =
            results.try_into().ok().context("expected three results of the lateness action")?;
        Ok(LatenessResult { idle_cores, lateness })
    })
}
