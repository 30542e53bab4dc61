//! The log of a server: lines for people, or one JSON object a line for machines (O2).

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use steadfast_server::{LogFormat, Logs, init_logs};

use crate::error::CliError;

/// Reads how the log is written, and tells shells what there is.
pub(super) fn parser() -> impl TypedValueParser<Value = LogFormat> {
    let names = [
        PossibleValue::new("text").help("For people, with colours on a terminal"),
        PossibleValue::new("json").help("For machines"),
    ];
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

/// Begins to log on stderr.
pub(super) fn begin(format: LogFormat) -> Result<Logs, CliError> {
    init_logs(format).map_err(|why| CliError::configuration(why.to_string()))
}
