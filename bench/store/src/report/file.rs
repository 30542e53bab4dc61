//! The file section: a task file submitted by the command line, compared with a program that uses the
//! store directly.

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

const BATCH_SIZE: u64 = 1000;

/// The interval at which the memory of a process is read.
const MEMORY_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The program that submits the tasks.
#[derive(Clone, Copy, PartialEq)]
enum Submitter {
    /// A program that uses the store directly, 1 000 tasks per call.
    Store,
    /// `steadfast submit FILE`.
    CommandLine,
}

/// The database of the tasks.
#[derive(Clone, Copy, PartialEq)]
enum Database {
    Sqlite,
    Postgres,
}

const CASES: [(Database, Submitter); 4] = [
    (Database::Sqlite, Submitter::Store),
    (Database::Sqlite, Submitter::CommandLine),
    (Database::Postgres, Submitter::Store),
    (Database::Postgres, Submitter::CommandLine),
];

/// The result of one submission.
struct SubmitResult {
    seconds: f64,
    /// The peak memory in bytes; NaN if it was not measured.
    peak_memory: f64,
}

/// Measures the section, with a smaller file in a quick report.
pub fn file_table(bench: &mut Bench) -> Result<String> {
    let tasks: u64 = if bench.choice.quick { 100_000 } else { 1_000_000 };
    let folder = tempfile::Builder::new().prefix("steadfast-bench-").tempdir()?;
    let file = folder.path().join("tasks.jsonl");
    write_tasks(&file, tasks)?;
    bench.programs.build_command_line()?;
    let results = bench.in_rounds(&CASES, name, |bench, case| submit(bench, *case, &file, tasks));
    let rate = |runs: &[SubmitResult]| tasks as f64 / median(runs, |run| run.seconds);
    let direct_rate = |database: Database| {
        let direct =
            CASES.iter().zip(&results).find(|(case, _)| **case == (database, Submitter::Store));
        direct.map_or(f64::NAN, |(_, runs)| rate(runs))
    };
    let title = format!("a file of {} tasks", number(tasks as f64, 0));
    let head = [title.as_str(), "tasks/s", "ratio to direct use", "peak MB"];
    let rows = CASES.iter().zip(&results).map(|(case, runs)| {
        let rate = rate(runs);
        let memory = median(runs, |run| run.peak_memory) / 1e6;
        [name(case), number(rate, 0), number(rate / direct_rate(case.0), 2), number(memory, 0)]
    });
    Ok(table(head, rows))
}

/// Writes the tasks of the other sections to a file, one per line.
fn write_tasks(file: &Path, tasks: u64) -> Result<()> {
    let mut lines = BufWriter::new(File::create(file)?);
    let mut line = String::new();
    for id in 0..tasks {
        line.clear();
        writeln!(line, "{{\"kind\":\"noop\",\"payload\":{{\"id\":{id}}}}}")?;
        lines.write_all(line.as_bytes())?;
    }
    Ok(lines.flush()?)
}

fn submit(
    bench: &mut Bench,
    (database, submitter): (Database, Submitter),
    file: &Path,
    tasks: u64,
) -> Result<SubmitResult> {
    let Bench { postgres, programs, .. } = bench;
    let measure = |entry: &str, address: &str, store: &str| {
        let entry: &Entry = peers::find(entry).context("no entry of this project")?;
        run(&mut programs.command(entry, Action::Setup, &[], address)?)?;
        match submitter {
            Submitter::Store => {
                let action = Action::SubmitBulk(tasks, BATCH_SIZE);
                let mut command = programs.command(entry, action, &[], address)?;
                let (results, _) = sqlite::measure(&mut command)?;
                let seconds =
                    *results.first().context("expected one result of the submit action")?;
                Ok(SubmitResult { seconds, peak_memory: f64::NAN })
            }
            Submitter::CommandLine => run_with_peak_memory(
                Command::new(programs.command_line())
                    .arg("submit")
                    .arg(file)
                    .args(["--quiet", "--store", store]),
            ),
        }
    };
    match database {
        Database::Sqlite => {
            sqlite::with_file(|path| measure("steadfast-sqlite", path, &format!("sqlite:{path}")))
        }
        Database::Postgres => postgres.with_database(|postgres, database| {
            postgres.vacuum_and_checkpoint(database)?;
            measure("steadfast", &database.url, &database.url)
        }),
    }
}

/// Runs a command and measures its time, startup included, and its peak memory.
fn run_with_peak_memory(command: &mut Command) -> Result<SubmitResult> {
    let start = Instant::now();
    let mut child = command.stdout(Stdio::null()).spawn()?;
    let process = Process::new(child.id().cast_signed())?;
    let mut peak_memory = f64::NAN;
    let status = loop {
        let peak = process.status().ok().and_then(|status| status.vmhwm);
        peak_memory = peak.map_or(peak_memory, |kilobytes| kilobytes as f64 * 1024.0);
        if let Some(status) = child.try_wait()? {
            break status;
        }
        std::thread::sleep(MEMORY_POLL_INTERVAL);
    };
    if !status.success() {
        bail!("{command:?}: {status}");
    }
    Ok(SubmitResult { seconds: start.elapsed().as_secs_f64(), peak_memory })
}

fn name((database, submitter): &(Database, Submitter)) -> String {
    let database = match database {
        Database::Sqlite => "SQLite",
        Database::Postgres => "PostgreSQL",
    };
    match submitter {
        Submitter::Store => format!("{database}, 1 000 at a time by a program"),
        Submitter::CommandLine => format!("{database}, `steadfast submit FILE`"),
    }
}
