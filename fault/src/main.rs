//! The fault suite: breaks workers and databases on purpose, and checks what is left.
//!
//! A round starts worker processes on an empty store, submits tasks that fail in every way, and
//! meanwhile kills workers with -9, freezes them past their leases, lies to them about the time,
//! restarts, crashes, pauses and disconnects the database. When it is quiet again every task must
//! have ended, and the [checker](check) reads what every process saw and what the store kept.
//!
//! `cargo xtask fault` runs it. A round is named by its seed; the seed says what is broken, but
//! not at which instruction it hits, so a round that failed is worth running more than once.

mod check;
mod child;
mod fleet;
mod journal;
mod round;
mod witness;
mod work;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;
use round::{Found, Kind, Size};

/// Whatever went wrong with the suite itself.
type Problem = Box<dyn std::error::Error + Send + Sync>;

#[derive(Debug, Parser)]
#[command(about = "Breaks workers and databases on purpose, and checks what is left.")]
enum Command {
    /// Plays rounds, each with a seed of its own.
    Play(Play),
    /// Is one worker of a round.
    #[command(hide = true)]
    Worker(child::Arguments),
}

#[derive(Debug, clap::Args)]
struct Play {
    /// Only on this kind of store; on both unless said.
    #[arg(long)]
    store: Option<Kind>,
    /// How many rounds on each.
    #[arg(long, default_value_t = 20)]
    rounds: u64,
    /// The first round's seed; the others follow.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How long things break in each round, in seconds.
    #[arg(long, default_value_t = 15)]
    trouble: u64,
    /// How many tasks in each round.
    #[arg(long, default_value_t = 2000)]
    tasks: usize,
    /// How many workers at a time.
    #[arg(long, default_value_t = 10)]
    workers: usize,
    /// Where to leave the journals of rounds that failed.
    #[arg(long)]
    keep: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> ExitCode {
    let done = match Command::parse() {
        Command::Play(play) => play_all(&play).await,
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

async fn play_all(play: &Play) -> Result<bool, Problem> {
    let size = Size {
        tasks: play.tasks,
        workers: play.workers,
        trouble: Duration::from_secs(play.trouble),
        calm: Duration::from_secs(90),
    };
    let under = tempfile::tempdir()?;
    let root = play.keep.clone().unwrap_or_else(|| under.path().to_owned());
    let kinds = play.store.map_or(vec![Kind::Sqlite, Kind::Postgres], |kind| vec![kind]);
    let mut holds = true;
    for kind in kinds {
        for seed in play.seed..play.seed.saturating_add(play.rounds) {
            let home = round::home(kind, seed, &root);
            if home.exists() {
                std::fs::remove_dir_all(&home)?;
            }
            std::fs::create_dir_all(&home)?;
            let began = Instant::now();
            let found = round::play(kind, seed, size, &home).await?;
            report(kind, seed, &found, began.elapsed());
            holds &= found.violations.is_empty();
            if found.violations.is_empty() {
                std::fs::remove_dir_all(&home)?;
            }
        }
    }
    Ok(holds)
}

fn report(kind: Kind, seed: u64, found: &Found, took: Duration) {
    let seen = &found.seen;
    let verdict = if found.violations.is_empty() { "holds" } else { "BROKEN" };
    println!(
        "{kind:?} seed {seed}: {verdict} in {:.1} s; {} tasks ({} completed, {} failed), {} claims, \
         {} attempts begun, {} last words accepted, {} stale, {} unheard, {} faults kept, {} of lost workers",
        took.as_secs_f64(),
        seen.tasks,
        seen.completed,
        seen.failed,
        seen.claims,
        seen.attempts,
        seen.accepted,
        seen.stale,
        seen.unheard,
        seen.faults,
        seen.lost_workers,
    );
    let done: Vec<String> =
        found.done.iter().map(|(what, count)| format!("{count}x {what}")).collect();
    println!("    broken: {}", done.join(", "));
    for violation in found.violations.iter().take(20) {
        println!("    {violation}");
    }
    if found.violations.len() > 20 {
        println!("    and {} more", found.violations.len() - 20);
    }
}
