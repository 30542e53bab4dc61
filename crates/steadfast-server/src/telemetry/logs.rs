//! Logging setup: text for people, JSON for machines (O2).
//!
//! Libraries emit log events and leave their output to the program. For programs without their own setup,
//! [`init_logs`] sends them to stderr, and traces and metrics over OTLP if configured.

use std::env;
use std::fmt;
use std::io::{self, IsTerminal};
use std::str::FromStr;

use thiserror::Error;
use tracing::Subscriber;
use tracing_subscriber::filter::ParseError;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};

/// The variables with the log filter; the first one that is set counts.
const FILTER_VARIABLES: [&str; 2] = ["STEADFAST_LOG", "RUST_LOG"];
const DEFAULT_FILTER: &str = "info";

/// The format of log lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// Text for people.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

impl FromStr for LogFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(format!("unknown log format `{name}`; expected text or json")),
        }
    }
}

impl fmt::Display for LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Json => "json",
        })
    }
}

/// An error in the logging setup.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LogError {
    /// The log filter is invalid.
    #[error(
        "{variable}={value} is not a valid log filter: {source}; use e.g. info or warn,steadfast=debug"
    )]
    Filter {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: String,
        /// The cause.
        source: ParseError,
    },
    /// Logging is already set up.
    #[error("logging is already set up; call init_logs once")]
    Taken,
    /// The OTLP export cannot start.
    #[error("cannot export over OTLP: {0}; check or unset the OTEL_EXPORTER_OTLP_* variables")]
    Otlp(String),
}

/// The running logging setup. [Shut it down](Self::shutdown) before the program ends to flush OTLP
/// exports.
#[derive(Debug)]
#[must_use = "unsent traces and metrics are lost without a shutdown"]
pub struct Logs {
    #[cfg(feature = "otlp")]
    exports: Option<crate::telemetry::otlp::Exports>,
}

impl Logs {
    /// Flushes the OTLP exports. The log itself needs no flush.
    pub async fn shutdown(self) {
        #[cfg(feature = "otlp")]
        if let Some(exports) = self.exports {
            exports.shutdown().await;
        }
    }
}

/// Logs to stderr, and exports traces and metrics over OTLP if `OTEL_EXPORTER_OTLP_ENDPOINT` or one of
/// its variants is set (this requires a tokio runtime).
///
/// The filter comes from `STEADFAST_LOG` or else `RUST_LOG`, e.g. `warn,steadfast=debug`; the default is
/// `info`.
///
/// # Errors
/// The environment is invalid, or logging is already set up.
pub fn init_logs(format: LogFormat) -> Result<Logs, LogError> {
    let filter = filter(|name| env::var(name).ok())?;
    let lines = log_layer(format, io::stderr);
    #[cfg(feature = "otlp")]
    let exports = crate::telemetry::otlp::start()?;
    let log = Registry::default().with(filter).with(lines);
    #[cfg(feature = "otlp")]
    let log = log.with(exports.as_ref().map(crate::telemetry::otlp::Exports::spans));
    log.try_init().map_err(|_| LogError::Taken)?;
    Ok(Logs {
        #[cfg(feature = "otlp")]
        exports,
    })
}

fn filter(variable: impl Fn(&str) -> Option<String>) -> Result<EnvFilter, LogError> {
    let setting = FILTER_VARIABLES.into_iter().find_map(|name| {
        let value = variable(name).filter(|value| !value.trim().is_empty())?;
        Some((name, value))
    });
    let Some((variable, value)) = setting else {
        return Ok(EnvFilter::new(DEFAULT_FILTER));
    };
    EnvFilter::try_new(&value).map_err(|source| LogError::Filter { variable, value, source })
}

/// The output layer of [`init_logs`], for a program with its own subscriber.
///
/// In JSON, a line has `timestamp`, `level`, `target`, `message` and the event's fields, and in `span` the
/// enclosing span: a request with its `request_id`, an attempt with its `session` and `correlation_id`.
pub fn log_layer<S, W>(format: LogFormat, writer: W) -> Box<dyn Layer<S> + Send + Sync>
where
    S: Subscriber + for<'s> LookupSpan<'s>,
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let lines = tracing_subscriber::fmt::layer().with_writer(writer);
    match format {
        LogFormat::Text => lines.with_ansi(has_colours()).boxed(),
        LogFormat::Json => lines.json().flatten_event(true).with_span_list(false).boxed(),
    }
}

/// On a terminal, unless `NO_COLOR` is set.
fn has_colours() -> bool {
    io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment<'v>(set: &'v [(&str, &str)]) -> impl Fn(&str) -> Option<String> + 'v {
        |name| {
            set.iter().find(|(variable, _)| *variable == name).map(|(_, value)| (*value).to_owned())
        }
    }

    /// O2: `STEADFAST_LOG` takes precedence over `RUST_LOG`.
    #[test]
    fn log_filter_comes_from_environment() {
        let (steadfast, rust) = (("STEADFAST_LOG", "debug"), ("RUST_LOG", "warn"));
        for (set, expected) in [
            (&[steadfast, rust][..], "debug"),
            (&[rust], "warn"),
            (&[("STEADFAST_LOG", " "), rust], "warn"),
            (&[], "info"),
        ] {
            assert_eq!(filter(environment(set)).unwrap().to_string(), expected);
        }
    }

    /// O2: the error for an invalid filter names the variable and an example.
    #[test]
    fn invalid_log_filter_is_rejected() {
        let error = filter(environment(&[("RUST_LOG", "steadfast=loud")])).unwrap_err().to_string();
        assert!(error.starts_with("RUST_LOG=steadfast=loud ") && error.contains("e.g. info"));
    }

    /// H1: `--log-format text|json`; the error lists the formats.
    #[test]
    fn log_format_round_trips_through_display() {
        for format in [LogFormat::Text, LogFormat::Json] {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        assert!("yaml".parse::<LogFormat>().unwrap_err().contains("expected text or json"));
    }
}
