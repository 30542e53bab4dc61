//! `replay`: the story in some seconds, or the daemon for good.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use example_replay::daemon::{self, Config, DaemonError};
use example_replay::{demo, view};
use steadfast::duration;
use steadfast::policy::{Policy, PolicyError};
use tracing::Level;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::fmt::format::debug_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use url::Url;

type Failure = Box<dyn std::error::Error>;

/// Replays recorded requests on a service and gives each a verdict.
#[derive(Parser)]
#[command(name = "replay", version)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Tell the whole story on a service of its own, a crash included; this is the default
    Demo {
        /// Keep the recordings and the store in this directory
        #[arg(long)]
        dir: Option<PathBuf>,
    },
    /// Discover and process runs until it is stopped
    Daemon(Box<Daemon>),
    /// Show how the runs stand: the view `runs` of the store's file
    Runs {
        /// The store's file
        #[arg(long, default_value = "replay.db")]
        store: PathBuf,
    },
}

#[derive(Args)]
struct Daemon {
    /// Where recordings are: CATEGORY/NAME.json
    #[arg(long)]
    runs: PathBuf,
    /// The service to replay them on
    #[arg(long, value_parser = service)]
    service: Url,
    /// The store's file; made if it is not there
    #[arg(long, default_value = "replay.db")]
    store: PathBuf,
    /// Process only runs of this category; may be said several times
    #[arg(long = "category", value_name = "CATEGORY")]
    categories: Vec<String>,
    /// How many at a time
    #[arg(long, default_value_t = 4)]
    concurrency: u32,
    /// How often to look for new runs
    #[arg(long, default_value = "1s", value_parser = duration::parse)]
    look_every: Duration,
    /// How long after a daemon was killed its runs are taken to be lost
    #[arg(long, default_value = "30s", value_parser = duration::parse)]
    lease: Duration,
    /// How often a run is tried again [default: 8]
    #[arg(long)]
    max_retries: Option<u32>,
    /// How long before the first retry [default: 60s]
    #[arg(long, value_parser = duration::parse)]
    base_delay: Option<Duration>,
    /// How long before any retry at most [default: 1h]
    #[arg(long, value_parser = duration::parse)]
    max_delay: Option<Duration>,
    /// End when every run has its end
    #[arg(long)]
    until_done: bool,
}

impl Daemon {
    fn config(self) -> Result<Config, PolicyError> {
        let retry = self.policy()?;
        let Self {
            runs,
            service,
            store,
            categories,
            concurrency,
            look_every,
            lease,
            until_done,
            ..
        } = self;
        Ok(Config {
            runs,
            store,
            service,
            categories,
            concurrency,
            look_every,
            lease,
            retry,
            until_done,
        })
    }

    fn policy(&self) -> Result<Policy, PolicyError> {
        let mut draft = daemon::patient();
        if let Some(retries) = self.max_retries {
            draft = draft.max_retries(retries);
        }
        if let Some(delay) = self.base_delay {
            draft = draft.base_delay(delay);
        }
        if let Some(delay) = self.max_delay {
            draft = draft.max_delay(delay);
        }
        draft.build()
    }
}

fn service(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("{error}; write http://HOST:PORT"))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(format!("`{other}` is not spoken here; write http://HOST:PORT")),
    }
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

/// Sends the log to the standard error stream. A line says which run it is about and why; what
/// only a machine would want of it is left out.
fn log() {
    let fields = debug_fn(|line, field, value| match field.name() {
        "message" => write!(line, "{value:?}"),
        "correlation_id" => write!(line, " run={value:?}"),
        "operation" | "session" | "delay" => Ok(()),
        name => write!(line, " {name}={value:?}"),
    });
    // Spans say it all again, at every line.
    let wanted = filter_fn(|metadata| metadata.is_event() && *metadata.level() <= Level::INFO);
    let lines = tracing_subscriber::fmt::layer().fmt_fields(fields).with_writer(io::stderr);
    let lines = lines.with_target(false).without_time().with_ansi(io::stderr().is_terminal());
    tracing_subscriber::registry().with(lines.with_filter(wanted)).init();
}

async fn go(cli: Cli) -> Result<(), Failure> {
    match cli.command.unwrap_or(Command::Demo { dir: None }) {
        Command::Demo { dir } => demo::tell(dir).await,
        Command::Daemon(daemon) => run(daemon.config()?).await.map_err(Into::into),
        Command::Runs { store } => show(store).await,
    }
}

async fn run(config: Config) -> Result<(), DaemonError> {
    daemon::run(config, stopped()).await
}

async fn show(store: PathBuf) -> Result<(), Failure> {
    let runs = view::read(&store).await.map_err(|error| {
        format!("{} has no runs to show: {error}; a daemon makes it", store.display())
    })?;
    println!("{}", view::table(&runs));
    Ok(())
}

/// Resolves when somebody wants the program to end.
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
