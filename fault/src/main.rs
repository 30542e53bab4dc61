//! The fault suite: injects faults into workers and databases, and checks the result.
//!
//! A round starts worker processes on an empty store and submits tasks that fail in every way.
//! Meanwhile it kills workers, freezes them past their leases, skews their clocks, and restarts,
//! crashes, pauses and disconnects the database. Afterwards every task must have ended, and the
//! [checker](check) compares the journal of every process with the contents of the store.
//!
//! `cargo xtask fault` runs it. The seed of a round determines its faults, but not the instruction at
//! which they hit, so a failed round is worth running more than once.

mod check;
mod child;
mod fleet;
mod journal;
mod journaled_roles;
mod round;
mod work;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use round::{Kind, Outcome, Size};

/// An error of the suite itself.
type Problem = Box<dyn std::error::Error + Send + Sync>;

#[derive(Debug, Parser)]
#[command(about = "Inject faults into workers and databases, and check the result")]
enum Command {
    /// Run rounds, each with its own seed
    #[command(alias = "play")]
    Run(RunArguments),
    /// Run one worker of a round
    #[command(hide = true)]
    Worker(child::Arguments),
}

#[derive(Debug, clap::Args)]
struct RunArguments {
    /// Store to test [default: both]
    #[arg(long)]
    store: Option<Kind>,
    /// Rounds per store
    #[arg(long, default_value_t = 20)]
    rounds: u64,
    /// Seed of the first round; each further round adds 1
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Seconds of fault injection per round
    #[arg(long, alias = "trouble", default_value_t = 15)]
    fault_seconds: u64,
    /// Tasks per round
    #[arg(long, default_value_t = 2000)]
    tasks: usize,
    /// Concurrent workers
    #[arg(long, default_value_t = 10)]
    workers: usize,
    /// Directory for the journals of failed rounds
    #[arg(long)]
    keep: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Run(arguments) => run_all(&arguments).await,
        Command::Worker(arguments) => {
            tracing_subscriber::fmt().with_env_filter("warn").with_writer(std::io::stderr).init();
            child::run(arguments).await.map(|()| true)
        }
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("error: {problem}");
            ExitCode::from(2)
        }
    }
}

async fn run_all(arguments: &RunArguments) -> Result<bool, Problem> {
    let size = Size {
        tasks: arguments.tasks,
        workers: arguments.workers,
        fault_duration: Duration::from_secs(arguments.fault_seconds),
        drain_timeout: Duration::from_secs(90),
    };
    let temporary = tempfile::tempdir()?;
    let root = arguments.keep.clone().unwrap_or_else(|| temporary.path().to_owned());
    let kinds = arguments.store.map_or(vec![Kind::Sqlite, Kind::Postgres], |kind| vec![kind]);
    let mut passed = true;
    for kind in kinds {
        for seed in arguments.seed..arguments.seed.saturating_add(arguments.rounds) {
            let home = round::home(kind, seed, &root);
            if home.exists() {
                std::fs::remove_dir_all(&home)?;
            }
            std::fs::create_dir_all(&home)?;
            let started = Instant::now();
            let outcome = round::run(kind, seed, size, &home).await?;
            report(kind, seed, &outcome, started.elapsed());
            passed &= outcome.violations.is_empty();
            if outcome.violations.is_empty() {
                std::fs::remove_dir_all(&home)?;
            }
        }
    }
    Ok(passed)
}

fn report(kind: Kind, seed: u64, outcome: &Outcome, took: Duration) {
    let counts = &outcome.counts;
    let verdict = if outcome.violations.is_empty() { "passed" } else { "FAILED" };
    println!(
        "{kind:?} seed {seed}: {verdict} in {:.1} s; {} tasks ({} completed, {} failed), {} claims, \
         {} attempts started, {} settlements accepted, {} stale, {} unanswered, {} faults stored, \
         {} of them worker_lost",
        took.as_secs_f64(),
        counts.tasks,
        counts.completed,
        counts.failed,
        counts.claims,
        counts.attempts,
        counts.accepted,
        counts.stale,
        counts.unanswered,
        counts.faults,
        counts.lost_workers,
    );
    let faults: Vec<String> =
        outcome.faults.iter().map(|(fault, count)| format!("{count}x {fault}")).collect();
    println!("    faults: {}", faults.join(", "));
    for violation in outcome.violations.iter().take(20) {
        println!("    {violation}");
    }
    if outcome.violations.len() > 20 {
        println!("    and {} more", outcome.violations.len() - 20);
    }
}
