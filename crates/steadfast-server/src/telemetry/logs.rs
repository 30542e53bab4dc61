//! The log of a program that serves: text for people, JSON for machines (O2).
//!
//! A library writes lines and leaves it to the program where they go. This is the program's part,
//! for whoever has none of its own: one call that sends them to the standard error stream, and
//! traces and figures over OTLP if the environment says where to.

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

/// Where it is said what to log, the first of them that is set.
const VARIABLES: [&str; 2] = ["STEADFAST_LOG", "RUST_LOG"];
/// What is logged unless said.
const USUAL: &str = "info";

/// How lines of the log look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// An object a line, for machines.
    Json,
}

impl FromStr for LogFormat {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "text" => Ok(Self::Text),
            "json" => Ok(Self::Json),
            _ => Err(format!("`{name}` is no format of a log; say text or json")),
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

/// Why there is no log.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LogError {
    /// What to log is not said so that it can be understood.
    #[error(
        "{variable}={value} does not say what to log: {source}; write it like info, or like warn,steadfast=debug"
    )]
    Filter {
        /// The variable that says it.
        variable: &'static str,
        /// What it says.
        value: String,
        /// Why that cannot be.
        source: ParseError,
    },
    /// The program has a log already.
    #[error("this program writes its log elsewhere already; set it up once")]
    Taken,
    /// Traces and figures cannot be sent where they are to go.
    #[error(
        "nothing can be sent over OTLP: {0}; see the variables OTEL_EXPORTER_OTLP_ENDPOINT and its kin, or unset them"
    )]
    Otlp(String),
}

/// A log that is written. [End](Self::end) it before the program does, so that nothing is left
/// unsent.
#[derive(Debug)]
#[must_use = "what was not sent yet is lost unless it is ended"]
pub struct Logs {
    #[cfg(feature = "otlp")]
    exports: Option<crate::telemetry::otlp::Exports>,
}

impl Logs {
    /// Sends what is left to be sent over OTLP. The log itself needs no end.
    pub async fn end(self) {
        #[cfg(feature = "otlp")]
        if let Some(exports) = self.exports {
            exports.end().await;
        }
    }
}

/// Writes this program's log to the standard error stream, and sends traces and figures over OTLP
/// if the environment says where to (`OTEL_EXPORTER_OTLP_ENDPOINT` and its kin; it has to be
/// called in a tokio runtime then).
///
/// What is logged is said by `STEADFAST_LOG`, else by `RUST_LOG`, as in `warn,steadfast=debug`;
/// else it is everything from `info` on.
///
/// # Errors
/// The environment says something that cannot be, or the program has a log already.
pub fn init_logs(format: LogFormat) -> Result<Logs, LogError> {
    let filter = filter(|name| env::var(name).ok())?;
    let lines = log_lines(format, io::stderr);
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

/// What to log, as the environment says.
fn filter(variable: impl Fn(&str) -> Option<String>) -> Result<EnvFilter, LogError> {
    let said = VARIABLES.into_iter().find_map(|name| {
        let value = variable(name).filter(|value| !value.trim().is_empty())?;
        Some((name, value))
    });
    let Some((variable, value)) = said else {
        return Ok(EnvFilter::new(USUAL));
    };
    EnvFilter::try_new(&value).map_err(|source| LogError::Filter { variable, value, source })
}

/// The lines that [`init_logs`] writes, for a program with a subscriber of its own.
///
/// In JSON, a line has `timestamp`, `level`, `target`, `message` and its own fields, and in `span`
/// what it is a part of: a request with its `request_id`, an attempt with its `session` and
/// `correlation_id`.
pub fn log_lines<S, W>(format: LogFormat, writer: W) -> Box<dyn Layer<S> + Send + Sync>
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

/// On a terminal, unless its owner wants none.
fn has_colours() -> bool {
    io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none_or(|said| said.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said<'v>(said: &'v [(&str, &str)]) -> impl Fn(&str) -> Option<String> + 'v {
        |name| said.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).to_owned())
    }

    /// O2: our own variable comes first, the one that everybody knows second.
    #[test]
    fn what_to_log_is_said_by_the_environment() {
        let (ours, everybodys) = (("STEADFAST_LOG", "debug"), ("RUST_LOG", "warn"));
        for (set, expected) in [
            (&[ours, everybodys][..], "debug"),
            (&[everybodys], "warn"),
            (&[("STEADFAST_LOG", " "), everybodys], "warn"),
            (&[], "info"),
        ] {
            assert_eq!(filter(said(set)).unwrap().to_string(), expected);
        }
    }

    /// O2: what cannot be understood is told, with the variable and what to write.
    #[test]
    fn a_filter_that_makes_no_sense_is_refused() {
        let refused = filter(said(&[("RUST_LOG", "steadfast=loud")])).unwrap_err().to_string();
        assert!(refused.starts_with("RUST_LOG=steadfast=loud ") && refused.contains("like info"));
    }

    /// H1: `--log-format text|json`, and a near miss is told what there is.
    #[test]
    fn a_format_is_named_as_it_is_shown() {
        for format in [LogFormat::Text, LogFormat::Json] {
            assert_eq!(format.to_string().parse(), Ok(format));
        }
        assert!("yaml".parse::<LogFormat>().unwrap_err().contains("say text or json"));
    }
}
