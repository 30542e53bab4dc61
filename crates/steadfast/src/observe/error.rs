//! An error in events and records.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::fault::MAX_CAUSES;
use crate::{Fault, Kind};

/// A readable error. Records have the complete [fault](struct@Fault) next to it.
///
/// ```
/// use steadfast::observe::ErrorRecord;
/// use steadfast::{Fault, Kind};
///
/// let fault = Fault::of(Kind::Timeout).with_type("TimeoutError").with_message("took 30 seconds");
/// let error = ErrorRecord::of(&fault);
/// assert_eq!(error.to_string(), "TimeoutError: took 30 seconds");
/// assert_eq!(ErrorRecord::of(&Fault::http(503)).error_type, "http:503");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(description = "The error of an attempt."))]
#[non_exhaustive]
#[must_use]
pub struct ErrorRecord {
    /// The type of the error, or else its code.
    #[serde(rename = "type")]
    pub error_type: String,
    /// The error message.
    pub message: String,
    /// Its causes, in debug mode only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack_trace: Option<String>,
}

impl ErrorRecord {
    /// An error with a type and a message.
    pub fn new(error_type: impl Into<String>, message: impl Into<String>) -> Self {
        Self { error_type: error_type.into(), message: message.into(), stack_trace: None }
    }

    /// Adds a stack trace.
    pub fn with_stack_trace(mut self, trace: impl Into<String>) -> Self {
        self.stack_trace = Some(trace.into());
        self
    }

    /// The error of a fault. The fault's causes become the stack trace.
    pub fn of(fault: &Fault) -> Self {
        let mut message = fault.message.clone().unwrap_or_else(|| fault.to_string());
        if message.is_empty() {
            message.push_str("no message");
        }
        let stack_trace = Some(trace_causes(fault)).filter(|trace| !trace.is_empty());
        Self { error_type: type_of(fault), message, stack_trace }
    }
}

/// The error's type, or else its code in the syntax of rules.
fn type_of(fault: &Fault) -> String {
    let name = fault.type_name.as_deref().or(fault.kind.map(Kind::name)).map(str::to_owned);
    name.or_else(|| fault.http_status.map(|status| format!("http:{status}")))
        .or_else(|| fault.sqlstate.map(|state| format!("sqlstate:{state}")))
        .or_else(|| fault.grpc_status.map(|code| format!("grpc:{code}")))
        .or_else(|| fault.exit_code.map(|code| format!("exit:{code}")))
        .unwrap_or_else(|| "error".to_owned())
}

/// One line for each cause, up to a limit.
fn trace_causes(fault: &Fault) -> String {
    let mut pending: Vec<&Fault> = fault.causes.iter().rev().collect();
    let mut lines = Vec::new();
    while let Some(cause) = pending.pop().filter(|_| lines.len() < MAX_CAUSES) {
        lines.push(format!("caused by: {cause}"));
        pending.extend(cause.causes.iter().rev());
    }
    lines.join("\n")
}

impl fmt::Display for ErrorRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.error_type, self.message)
    }
}
