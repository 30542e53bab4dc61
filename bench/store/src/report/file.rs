//! A file of tasks, submitted by the command line, compared with the store's own rate.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use procfs::process::Process;
use steadfast_bench_drive::Action;

use super::Bench;
use super::markdown::{number, table};
use crate::entry::Entry;
use crate::measure::process::run;
use crate::measure::rounds::median;
use crate::measure::sqlite;
use crate::peers;

const BATCH: u64 = 1000;

/// How often it is looked how much memory a process has.
const LOOK: Duration = Duration::from_millis(20);

/// Who submits the tasks.
#[derive(Clone, Copy, PartialEq)]
enum By {
    /// A program that holds a store, 1 000 at a time.
    Store,
    /// `steadfast submit FILE`.
    CommandLine,
}

/// Where the tasks go.
#[derive(Clone, Copy, PartialEq)]
enum To {
    Sqlite,
    Postgres,
}

const CASES: [(To, By); 4] = [
    (To::Sqlite, By::Store),
    (To::Sqlite, By::CommandLine),
    (To::Postgres, By::Store),
    (To::Postgres, By::CommandLine),
];

/// One submission.
struct Submitted {
    seconds: f64,
    /// Peak memory, if it was measured.
    memory: f64,
}

/// A file as long as the choice allows.
pub fn table_of(bench: &mut Bench) -> Result<String> {
    let tasks: u64 = if bench.choice.quick { 100_000 } else { 1_000_000 };
    let folder = tempfile::Builder::new().prefix("steadfast-bench-").tempdir()?;
    let file = folder.path().join("tasks.jsonl");
    write(&file, tasks)?;
    bench.programs.build_command_line()?;
    let results = bench.in_rounds(&CASES, name, |bench, case| submit(bench, *case, &file, tasks));
    let rate = |runs: &[Submitted]| tasks as f64 / median(runs, |run| run.seconds);
    let own = |to: To| {
        let own = CASES.iter().zip(&results).find(|(case, _)| **case == (to, By::Store));
        own.map_or(f64::NAN, |(_, runs)| rate(runs))
    };
    let title = format!("a file of {} tasks", number(tasks as f64, 0));
    let head = [title.as_str(), "tasks/s", "ratio to the store's own", "MB at most"];
    let rows = CASES.iter().zip(&results).map(|(case, runs)| {
        let rate = rate(runs);
        let memory = median(runs, |run| run.memory) / 1e6;
        [name(case), number(rate, 0), number(rate / own(case.0), 2), number(memory, 0)]
    });
    Ok(table(head, rows))
}

/// The tasks that the other rows submit, as lines.
fn write(file: &Path, tasks: u64) -> Result<()> {
    let mut lines = BufWriter::new(File::create(file)?);
    let mut line = String::new();
    for id in 0..tasks {
        line.clear();
        writeln!(line, "{{\"kind\":\"noop\",\"payload\":{{\"id\":{id}}}}}")?;
        lines.write_all(line.as_bytes())?;
    }
    Ok(lines.flush()?)
}

fn submit(bench: &mut Bench, (to, by): (To, By), file: &Path, tasks: u64) -> Result<Submitted> {
    let Bench { postgres, programs, .. } = bench;
    let measure = |entry: &str, database: &str, store: &str| {
        let entry: &Entry = peers::named(entry).context("this project among its peers")?;
        run(&mut programs.command(entry, Action::Setup, &[], database)?)?;
        match by {
            By::Store => {
                let action = Action::SubmitBulk(tasks, BATCH);
                let mut command = programs.command(entry, action, &[], database)?;
                let (figures, _) = sqlite::measure(&mut command)?;
                let seconds = *figures.first().context("a submit without its figure")?;
                Ok(Submitted { seconds, memory: f64::NAN })
            }
            By::CommandLine => watched(
                Command::new(programs.command_line())
                    .arg("submit")
                    .arg(file)
                    .args(["--quiet", "--store", store]),
            ),
        }
    };
    match to {
        To::Sqlite => {
            sqlite::with_file(|path| measure("steadfast-sqlite", path, &format!("sqlite:{path}")))
        }
        To::Postgres => postgres.with_database(|postgres, database| {
            postgres.settle(database)?;
            measure("steadfast", &database.url, &database.url)
        }),
    }
}

/// Runs a command to its end, start and all.
fn watched(command: &mut Command) -> Result<Submitted> {
    let began = Instant::now();
    let mut child = command.stdout(Stdio::null()).spawn()?;
    let process = Process::new(child.id().cast_signed())?;
    let mut memory = f64::NAN;
    let status = loop {
        let peak = process.status().ok().and_then(|status| status.vmhwm);
        memory = peak.map_or(memory, |kilobytes| kilobytes as f64 * 1024.0);
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(LOOK);
    };
    if !status.success() {
        bail!("{command:?}: {status}");
    }
    Ok(Submitted { seconds: began.elapsed().as_secs_f64(), memory })
}

fn name((to, by): &(To, By)) -> String {
    let to = match to {
        To::Sqlite => "SQLite",
        To::Postgres => "PostgreSQL",
    };
    match by {
        By::Store => format!("{to}, 1 000 at a time by a program"),
        By::CommandLine => format!("{to}, `steadfast submit FILE`"),
    }
}
