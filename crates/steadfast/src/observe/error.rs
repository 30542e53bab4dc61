//! An error as events and records tell it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Fault;

/// What went wrong, for people: the full facts stand beside it where there is room.
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
    /// The name of the error's type, or of what else is known of it.
    #[serde(rename = "type")]
    pub error_type: String,
    /// The error's own words.
    pub message: String,
    /// How it came about. Only [in debug mode](super::Redactor::stack_traces) does it
    /// reach an event or a record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stack_trace: Option<String>,
}

impl ErrorRecord {
    /// An error of this type, with these words.
    #[must_use]
    pub fn new(error_type: impl Into<String>, message: impl Into<String>) -> Self {
        Self { error_type: error_type.into(), message: message.into(), stack_trace: None }
    }

    /// The same, and how it came about.
    #[must_use]
    pub fn with_stack_trace(mut self, trace: impl Into<String>) -> Self {
        self.stack_trace = Some(trace.into());
        self
    }

    /// The error behind a fault. What is known of its causes is its stack trace.
    #[must_use]
    pub fn of(fault: &Fault) -> Self {
        let mut message = fault.message.clone().unwrap_or_else(|| fault.to_string());
        if message.is_empty() {
            message.push_str("it says nothing");
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

/// The error's type, or else the code that names it, as a rule would spell it.
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

/// One line for each cause. The walk is bounded, as the facts may come from anywhere.
fn trace_causes(fault: &Fault, trace: &mut String) {
    let mut left = crate::fault::MAX_CAUSES;
    let mut waiting: Vec<&Fault> = fault.causes.iter().rev().collect();
    while let Some(cause) = waiting.pop() {
        if left == 0 {
            return;
        }
        left -= 1;
        if !trace.is_empty() {
            trace.push('\n');
        }
        trace.push_str("caused by: ");
        trace.push_str(&cause.to_string());
        waiting.extend(cause.causes.iter().rev());
    }
}

impl fmt::Display for ErrorRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.error_type, self.message)
    }
}
