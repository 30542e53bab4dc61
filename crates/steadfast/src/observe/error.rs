//! An error in events and records.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Fault;

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
#[non_exhaustive]
pub struct ErrorRecord {
    /// The error's type, or else its code.
    #[serde(rename = "type")]
    pub error_type: String,
    /// The error's message.
    pub message: String,
    /// Its causes. Events and records include it only in
    /// [debug mode](super::Redactor::stack_traces).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack_trace: Option<String>,
}

impl ErrorRecord {
    /// An error with a type and a message.
    #[must_use]
    pub fn new(error_type: impl Into<String>, message: impl Into<String>) -> Self {
        Self { error_type: error_type.into(), message: message.into(), stack_trace: None }
    }

    /// Adds a stack trace.
    #[must_use]
    pub fn with_stack_trace(mut self, trace: impl Into<String>) -> Self {
        self.stack_trace = Some(trace.into());
        self
    }

    /// The error of a fault. The fault's causes become the stack trace.
    #[must_use]
    pub fn of(fault: &Fault) -> Self {
        let mut message = fault.message.clone().unwrap_or_else(|| fault.to_string());
        if message.is_empty() {
            message.push_str("no message");
        }
        let mut trace = String::new();
        trace_causes(fault, &mut trace);
        Self {
            error_type: type_of(fault),
            message,
            stack_trace: Some(trace).filter(|trace| !trace.is_empty()),
        }
    }
}

/// The error's type, or else its code in the syntax of rules.
fn type_of(fault: &Fault) -> String {
    if let Some(name) = &fault.type_name {
        return name.clone().into_owned();
    }
    if let Some(kind) = fault.kind {
        return kind.name().to_owned();
    }
    if let Some(status) = fault.http_status {
        return format!("http:{status}");
    }
    if let Some(state) = fault.sqlstate {
        return format!("sqlstate:{state}");
    }
    if let Some(code) = fault.grpc_status {
        return format!("grpc:{code}");
    }
    match fault.exit_code {
        Some(code) => format!("exit:{code}"),
        None => "error".to_owned(),
    }
}

/// One line for each cause, up to a limit.
fn trace_causes(fault: &Fault, trace: &mut String) {
    let mut remaining = crate::fault::MAX_CAUSES;
    let mut pending: Vec<&Fault> = fault.causes.iter().rev().collect();
    while let Some(cause) = pending.pop() {
        if remaining == 0 {
            return;
        }
        remaining -= 1;
        if !trace.is_empty() {
            trace.push('\n');
        }
        trace.push_str("caused by: ");
        trace.push_str(&cause.to_string());
        pending.extend(cause.causes.iter().rev());
    }
}

impl fmt::Display for ErrorRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.error_type, self.message)
    }
}
