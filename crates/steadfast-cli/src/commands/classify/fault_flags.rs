//! Failure facts as flags.

use std::path::PathBuf;
use std::time::SystemTime;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use steadfast::fault::{RetrySignal, RetrySignals};
use steadfast::{Fault, GrpcCode, Hint, Kind, SqlState};

use super::fault_file;
use crate::error::CliError;
use crate::output::note;

/// The facts of a failure.
#[derive(Debug, Args)]
#[command(next_help_heading = "Failure details")]
pub(super) struct FaultFlags {
    /// SQLSTATE of a database error, such as 40P01
    #[arg(long, value_name = "CODE")]
    sqlstate: Option<String>,

    /// HTTP status, such as 503
    #[arg(long, value_name = "STATUS", value_parser = http_status)]
    http: Option<u16>,

    /// Retry-After header: seconds or an HTTP date
    #[arg(long, value_name = "VALUE", conflicts_with = "pushback", allow_negative_numbers = true)]
    retry_after: Option<String>,

    /// Response header with a retry signal, such as "retry-after-ms: 250" or "x-should-retry: false"; repeatable
    #[arg(long, value_name = "NAME: VALUE", value_parser = header)]
    header: Vec<(String, String)>,

    /// gRPC status, such as UNAVAILABLE or 14
    #[arg(
        long,
        value_name = "CODE",
        value_parser = grpc_codes(),
        ignore_case = true,
        hide_possible_values = true
    )]
    grpc: Option<GrpcCode>,

    /// gRPC trailer grpc-retry-pushback-ms; a negative value means do not retry
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    pushback: Option<String>,

    /// Kind of failure, such as timeout or connection_reset
    #[arg(
        long,
        visible_alias = "io",
        value_parser = kinds(),
        hide_possible_values = true,
        long_help = every_kind()
    )]
    kind: Option<Kind>,

    /// Exit code of a process, such as 75
    #[arg(long, value_name = "CODE", value_parser = exit_code, allow_negative_numbers = true)]
    exit: Option<i32>,

    /// Type name of the error, such as TimeoutError
    #[arg(long = "type", value_name = "NAME")]
    type_name: Option<String>,

    /// Error message; matched only by rules such as message:TEXT
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,

    /// The request was sent but no response arrived, so it may have taken effect
    #[arg(long)]
    unknown_outcome: bool,

    /// JSON file with the details of the failure, such as {"http_status": 503}; - is stdin
    #[arg(long, value_name = "FILE")]
    fault: Option<PathBuf>,
}

impl FaultFlags {
    /// The fault from the file, overridden by the flags.
    pub(super) fn fault(&self) -> Result<Fault, CliError> {
        let mut fault = match &self.fault {
            Some(file) => fault_file::read(file)?,
            None => Fault::default(),
        };
        fault.sqlstate = self.sqlstate().or(fault.sqlstate);
        fault.http_status = self.http.or(fault.http_status);
        fault.grpc_status = self.grpc.or(fault.grpc_status);
        fault.exit_code = self.exit.or(fault.exit_code);
        fault.kind = self.kind.or(fault.kind);
        self.add_signals(&mut fault);
        fault.type_name = self.type_name.clone().map(Into::into).or(fault.type_name);
        fault.message = self.message.clone().or(fault.message);
        fault.unknown_outcome |= self.unknown_outcome;
        Ok(fault)
    }

    /// An invalid SQLSTATE is ignored (J3), with a note.
    fn sqlstate(&self) -> Option<SqlState> {
        let text = self.sqlstate.as_deref()?;
        let state = SqlState::new(text);
        if state.is_none() {
            note(&format!("--sqlstate `{text}` is ignored: it is {}", SqlState::UNREADABLE));
        }
        state
    }

    /// Adds what the headers and the trailer ask for.
    fn add_signals(&self, fault: &mut Fault) {
        let header = |wanted: &str| {
            let found = self.header.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted));
            found.map(|(_, value)| value.as_str())
        };
        let status = fault.http_status.unwrap_or_default();
        let by_headers = RetrySignals::ALL.http_fault(status, header, SystemTime::now());
        fault.should_retry = by_headers.should_retry.or(fault.should_retry);
        let by_headers = by_headers.hint.zip(by_headers.hint_source);
        if let Some((hint, source)) = self.hint().or(by_headers) {
            (fault.hint, fault.hint_source) = (Some(hint), Some(source));
        }
    }

    fn hint(&self) -> Option<(Hint, RetrySignal)> {
        match (&self.retry_after, &self.pushback) {
            (Some(value), _) => Some((retry_after(value)?, RetrySignal::RetryAfter)),
            (None, Some(value)) => {
                Some((Hint::grpc_pushback(value), RetrySignal::GrpcRetryPushback))
            }
            (None, None) => None,
        }
    }
}

fn header(text: &str) -> Result<(String, String), &'static str> {
    match text.split_once(':') {
        Some((name, value)) if !name.trim().is_empty() => {
            Ok((name.trim().to_owned(), value.trim().to_owned()))
        }
        _ => Err("must be a name and a value, such as \"x-should-retry: false\""),
    }
}

/// An invalid hint is ignored (J6), with a note.
fn retry_after(value: &str) -> Option<Hint> {
    let hint = Hint::retry_after(value, SystemTime::now());
    if hint.is_none() {
        note(&format!(
            "--retry-after `{value}` is ignored: it is neither seconds nor an HTTP date"
        ));
    }
    hint
}

fn http_status(text: &str) -> Result<u16, &'static str> {
    let status = text.parse().ok().filter(|status| (100..=599).contains(status));
    status.ok_or("must be a number from 100 to 599")
}

fn exit_code(text: &str) -> Result<i32, &'static str> {
    text.parse().map_err(|_| "must be a whole number")
}

fn every_kind() -> String {
    let names: Vec<&str> = Kind::ALL.iter().map(|kind| kind.name()).collect();
    format!("Kind of failure: {}", names.join(", "))
}

fn kinds() -> impl TypedValueParser<Value = Kind> {
    PossibleValuesParser::new(Kind::ALL.iter().map(|kind| kind.name()))
        .try_map(|name| Kind::named(&name).ok_or(Kind::UNKNOWN))
}

/// Accepts a code by name or number.
fn grpc_codes() -> impl TypedValueParser<Value = GrpcCode> {
    let codes = (0..).map_while(GrpcCode::from_number);
    let names =
        codes.map(|code| PossibleValue::new(code.name()).alias(i32::from(code).to_string()));
    PossibleValuesParser::new(names).try_map(|text| {
        let by_number = text.parse().ok().and_then(GrpcCode::from_number);
        by_number.or_else(|| GrpcCode::named(&text)).ok_or(GrpcCode::UNKNOWN)
    })
}
