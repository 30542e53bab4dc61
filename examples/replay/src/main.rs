//! `replay`: the demo, or the daemon.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use example_replay::config::Config;
use example_replay::daemon::{self, Problem};
use example_replay::demo::scenario;
use tracing::Level;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::fmt::format::debug_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Replay recorded requests against a service and compare the responses
#[derive(Parser)]
#[command(name = "replay", version)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Run the demo against a built-in service, including a crash (default)
    Demo {
        /// Keep the recordings and the store in this directory
        #[arg(long)]
        dir: Option<PathBuf>,
    },
    /// Discover and replay runs until stopped
    Daemon(Box<Config>),
}

#[tokio::main]
async fn main() -> ExitCode {
    let cli = Cli::parse();
    log();
    match go(cli).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("replay: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Sends the log to the standard error stream. A line has the run and the reason, without fields for
/// machines.
fn log() {
    let fields = debug_fn(|line, field, value| match field.name() {
        "message" => write!(line, "{value:?}"),
        "correlation_id" => write!(line, " run={value:?}"),
        "operation" | "session" | "delay" => Ok(()),
        name => write!(line, " {name}={value:?}"),
    });
    // Spans would repeat the fields on every line.
    let wanted = filter_fn(|metadata| metadata.is_event() && *metadata.level() <= Level::INFO);
    let lines = tracing_subscriber::fmt::layer().fmt_fields(fields).with_writer(io::stderr);
    let lines = lines.with_target(false).without_time().with_ansi(io::stderr().is_terminal());
    tracing_subscriber::registry().with(lines.with_filter(wanted)).init();
}

async fn go(cli: Cli) -> Result<(), Problem> {
    match cli.command.unwrap_or(Command::Demo { dir: None }) {
        Command::Demo { dir } => scenario::run(dir).await,
        Command::Daemon(config) => daemon::run(*config, stopped()).await,
    }
}

/// Resolves on a stop signal.
async fn stopped() {
    let interrupted = tokio::signal::ctrl_c();
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminated) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = interrupted => {}
                _ = terminated.recv() => {}
            }
            return;
        }
    }
    let _ = interrupted.await;
}
