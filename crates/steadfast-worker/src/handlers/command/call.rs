//! The payload of a `command` task.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::super::HandlerError;
use super::super::payload::{self, Content};
use super::super::secrets::Secrets;
use super::environment;

/// The length of the longest path.
const MAX_PROGRAM_BYTES: usize = 4096;

/// The payload of a `command` task: a program to run.
///
/// ```
/// use steadfast_worker::handlers::CommandCall;
///
/// let call = CommandCall::parse(r#"{
///     "program": "backup",
///     "args": ["--full", "orders"],
///     "stdin": "yes\n",
///     "env": {"REGION": "eu"},
///     "timeout": "10m"
/// }"#)?;
/// assert_eq!(call.args, ["--full", "orders"]);
///
/// let error = CommandCall::parse(r#"{"programm": "backup"}"#).unwrap_err();
/// assert!(error.to_string().ends_with("did you mean `program`?"));
/// # Ok::<(), steadfast_worker::handlers::HandlerError>(())
/// ```
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CommandCall {
    /// The program: a name on the worker's `PATH`, or a path. No shell is involved.
    pub program: String,
    /// Its arguments, passed unchanged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Its input: a string by its value, anything else as JSON; empty by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<Box<RawValue>>,
    /// Its environment, beside `PATH`, `STEADFAST_KEY` and `STEADFAST_ATTEMPT`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Its timeout; by default the worker's.
    #[serde(
        default,
        with = "steadfast::duration::serde_seconds::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub timeout: Option<Duration>,
}

impl CommandCall {
    const FIELDS: [&str; 5] = ["program", "args", "stdin", "env", "timeout"];

    /// Parses a task's payload from JSON.
    ///
    /// # Errors
    /// The payload is invalid: the error names the field and the problem.
    pub fn parse(json: &str) -> Result<Self, HandlerError> {
        let call: Self = payload::parse(json, &Self::FIELDS)?;
        call.check()?;
        Ok(call)
    }

    pub(super) fn check(&self) -> Result<(), HandlerError> {
        if self.program.is_empty() {
            return Err(HandlerError::invalid("program", "must not be empty"));
        }
        let bytes = self.program.len();
        if bytes > MAX_PROGRAM_BYTES {
            let problem = format!("is {bytes} bytes long; the maximum is {MAX_PROGRAM_BYTES}");
            return Err(HandlerError::invalid("program", problem));
        }
        if self.program.contains(char::is_control) {
            return Err(HandlerError::invalid("program", "contains a control character"));
        }
        if let Some(index) = self.args.iter().position(|argument| argument.contains('\0')) {
            return Err(HandlerError::invalid(&format!("args[{index}]"), "contains a NUL byte"));
        }
        self.env.iter().try_for_each(|(name, value)| environment::check(name, value))
    }

    pub(super) fn input(&self) -> Option<Vec<u8>> {
        let (Content::Text(input) | Content::Json(input)) = Content::of(self.stdin.as_deref()?);
        Some(input.into_bytes())
    }

    pub(super) fn secrets(&self) -> Secrets {
        let mut secrets = Secrets::default();
        for (name, value) in &self.env {
            secrets.add_named(name, value);
        }
        for (flag, value) in self.args.iter().zip(self.args.iter().skip(1)) {
            secrets.add_named(flag, value);
        }
        for (flag, value) in self.args.iter().filter_map(|argument| argument.split_once('=')) {
            secrets.add_named(flag, value);
        }
        secrets
    }
}

/// Arguments, input and environment may hold secrets.
impl fmt::Debug for CommandCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandCall")
            .field("program", &self.program)
            .field("args", &self.args.len())
            .field("env", &self.env.keys())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}
