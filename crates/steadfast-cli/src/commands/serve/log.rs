//! The log of a server: lines for people, or one JSON object a line for machines (O2).

use std::io::IsTerminal;

use clap::ValueEnum;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// The variables that say how much is logged, the first that is there: `info`,
/// `warn,steadfast=debug`.
const VARIABLES: [&str; 2] = ["STEADFAST_LOG", "RUST_LOG"];

/// How the log is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum LogFormat {
    /// For people, with colours on a terminal.
    #[default]
    Text,
    /// For machines.
    Json,
}

/// Begins to log on stderr.
pub(super) fn begin(format: LogFormat) {
    let log = tracing_subscriber::fmt().with_writer(std::io::stderr).with_env_filter(filter());
    let _ = match format {
        LogFormat::Text => log.with_ansi(has_colours()).try_init(),
        LogFormat::Json => log.json().flatten_event(true).with_ansi(false).try_init(),
    };
}

fn filter() -> EnvFilter {
    let said = VARIABLES.iter().find_map(|name| std::env::var(name).ok());
    EnvFilter::builder()
        .with_default_directive(LevelFilter::INFO.into())
        .parse_lossy(said.unwrap_or_default())
}

fn has_colours() -> bool {
    let stderr = std::io::stderr();
    match anstream::AutoStream::choice(&stderr) {
        anstream::ColorChoice::Auto => stderr.is_terminal(),
        choice => choice != anstream::ColorChoice::Never,
    }
}
