//! The server log: text or one JSON object per line (O2).

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use steadfast_server::{LogFormat, Logs, init_logs};

use crate::error::CliError;

/// Parses the log format, with help for shell completion.
pub(super) fn parser() -> impl TypedValueParser<Value = LogFormat> {
    let names = [
        PossibleValue::new("text").help("Text, with colours on a terminal"),
        PossibleValue::new("json").help("One JSON object per line"),
    ];
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

pub(super) fn start(format: LogFormat) -> Result<Logs, CliError> {
    check_otlp_support()?;
    init_logs(format).map_err(|why| CliError::configuration(why.to_string()))
}

/// Fails if the environment configures OTLP export and this build has none.
#[cfg(not(feature = "otlp"))]
fn check_otlp_support() -> Result<(), CliError> {
    use std::env;

    const ENDPOINTS: [&str; 3] = [
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
        "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    ];
    let is_set = |name: &&&str| env::var(name).is_ok_and(|value| !value.trim().is_empty());
    let is_disabled =
        env::var("OTEL_SDK_DISABLED").is_ok_and(|value| value.trim().eq_ignore_ascii_case("true"));
    match ENDPOINTS.iter().find(is_set).filter(|_| !is_disabled) {
        Some(name) => Err(CliError::configuration(format!(
            "{name} is set, but this build has no OTLP support"
        ))
        .with_help(format!("rebuild with `--features otlp`, or unset {name}"))),
        None => Ok(()),
    }
}

#[cfg(feature = "otlp")]
#[expect(clippy::unnecessary_wraps, reason = "the other build can fail")]
const fn check_otlp_support() -> Result<(), CliError> {
    Ok(())
}
