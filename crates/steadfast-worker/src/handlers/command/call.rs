//! What a task of kind `command` asks for.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::super::HandlerFault;
use super::super::payload::{self, Content};
use super::super::secrets::Secrets;
use super::environment;

/// As long as a path can be.
const MAX_PROGRAM: usize = 4096;

/// A program to run, as a task's payload spells it.
///
/// ```
/// use steadfast_worker::handlers::CommandCall;
///
/// let call = CommandCall::read(r#"{
///     "program": "backup",
///     "args": ["--full", "orders"],
///     "stdin": "yes\n",
///     "env": {"REGION": "eu"},
///     "timeout": "10m"
/// }"#)?;
/// assert_eq!(call.args, ["--full", "orders"]);
///
/// let error = CommandCall::read(r#"{"programm": "backup"}"#).unwrap_err();
/// assert!(error.to_string().ends_with("did you mean `program`?"));
/// # Ok::<(), steadfast_worker::handlers::HandlerFault>(())
/// ```
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CommandCall {
    /// The program: a name that is looked up on the worker's `PATH`, or a path. No shell reads it.
    pub program: String,
    /// Its arguments, each as it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// What it reads: a text as it is, anything else as JSON. Without it, nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stdin: Option<Box<RawValue>>,
    /// Its environment, beside `PATH`, `STEADFAST_KEY` and `STEADFAST_ATTEMPT`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// How long it may take; the worker's default without it.
    #[serde(
        default,
        with = "steadfast::duration::serde_seconds::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub timeout: Option<Duration>,
}

impl CommandCall {
    const FIELDS: [&str; 5] = ["program", "args", "stdin", "env", "timeout"];

    /// Reads a task's payload, a text of JSON.
    ///
    /// # Errors
    /// It makes no sense: the fault names the field and what is wrong with it.
    pub fn read(json: &str) -> Result<Self, HandlerFault> {
        let call: Self = payload::read(json, &Self::FIELDS)?;
        call.check()?;
        Ok(call)
    }

    pub(super) fn check(&self) -> Result<(), HandlerFault> {
        if self.program.is_empty() || self.program.len() > MAX_PROGRAM {
            let problem = format!("must have 1 to {MAX_PROGRAM} bytes");
            return Err(HandlerFault::invalid("program", problem));
        }
        if self.program.contains(char::is_control) {
            return Err(HandlerFault::invalid("program", "has a control character"));
        }
        if let Some(place) = self.args.iter().position(|argument| argument.contains('\0')) {
            return Err(HandlerFault::invalid(&format!("args[{place}]"), "has a zero byte"));
        }
        self.env.iter().try_for_each(|(name, value)| environment::check(name, value))
    }

    /// What the program reads.
    pub(super) fn input(&self) -> Option<Vec<u8>> {
        let (Content::Text(input) | Content::Json(input)) = Content::of(self.stdin.as_deref()?);
        Some(input.into_bytes())
    }

    pub(super) fn secrets(&self) -> Secrets {
        let mut secrets = Secrets::default();
        for (name, value) in &self.env {
            secrets.named(name, value);
        }
        for (flag, value) in self.args.iter().zip(self.args.iter().skip(1)) {
            secrets.named(flag, value);
        }
        for (flag, value) in self.args.iter().filter_map(|argument| argument.split_once('=')) {
            secrets.named(flag, value);
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
