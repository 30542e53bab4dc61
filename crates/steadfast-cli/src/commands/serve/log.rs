//! The log of a server: lines for people, or one JSON object a line for machines (O2).

use clap::ValueEnum;
use steadfast_server::{Logs, init_logs};

use crate::problem::Problem;

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
pub(super) fn begin(format: LogFormat) -> Result<Logs, Problem> {
    let format = match format {
        LogFormat::Text => steadfast_server::LogFormat::Text,
        LogFormat::Json => steadfast_server::LogFormat::Json,
    };
    init_logs(format).map_err(|why| Problem::configuration(why.to_string()))
}
