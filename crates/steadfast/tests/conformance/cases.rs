//! Parsing of the case files.

use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use steadfast::Policy;
use steadfast::policy::{Draft, PolicyError, Setting};

pub(crate) const FILES: [&str; 10] = [
    "delays",
    "jitter",
    "judgement",
    "hints",
    "signals",
    "decisions",
    "policies",
    "durations",
    "seeds",
    "peers",
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    about: String,
    cases: Vec<Map<String, Value>>,
}

/// What all cases have in common, and the rest as it stands.
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) clause: String,
    pub(crate) why: String,
    pub(crate) check: String,
    body: Value,
}

pub(crate) fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../conformance")
}

pub(crate) fn load(file: &str) -> Vec<Case> {
    let path = directory().join(file).with_extension("json");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|why| panic!("{path:?}: {why}"));
    let file: File = serde_json::from_str(&text).unwrap_or_else(|why| panic!("{path:?}: {why}"));
    assert!(!file.about.is_empty() && !file.cases.is_empty(), "{path:?} is empty");
    file.cases.into_iter().map(Case::of).collect()
}

impl Case {
    fn of(mut fields: Map<String, Value>) -> Self {
        let mut take = |name| match fields.remove(name) {
            Some(Value::String(text)) => text,
            _ => panic!("a case has no {name}: {fields:?}"),
        };
        Self {
            id: take("id"),
            clause: take("clause"),
            why: take("why"),
            check: take("check"),
            body: fields.into(),
        }
    }

    /// The same, with one field more.
    pub(crate) fn with(mut self, field: &str) -> Self {
        self.body[field] = Value::Null;
        self
    }

    /// The rest of the case. Types that refuse unknown fields make this refuse them.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, String> {
        serde_json::from_value(self.body.clone()).map_err(|why| why.to_string())
    }
}

/// A policy as a policy file has it: the id stands before it, not in it.
pub(crate) fn policy(id: &str, fields: &Map<String, Value>) -> Result<Policy, PolicyError> {
    let mut draft = Draft::new().id(id);
    for (field, value) in fields {
        let value: Setting = serde_json::from_value(value.clone()).unwrap();
        draft.set(field, &value)?;
    }
    draft.try_into()
}

/// The same, where it must be one.
pub(crate) fn valid(id: &str, fields: &Map<String, Value>) -> Result<Policy, String> {
    policy(id, fields).map_err(|why| format!("the policy is refused: {why}"))
}

/// A fraction of one as a fraction of 2⁶⁴.
pub(crate) fn draw(fraction: f64) -> u64 {
    assert!((0.0..1.0).contains(&fraction), "{fraction} is not a draw");
    (fraction * 2.0_f64.powi(64)) as u64
}

/// Whether a duration equals a number of seconds, within the precision of a decimal.
pub(crate) fn is(duration: Duration, seconds: f64) -> bool {
    (duration.as_secs_f64() - seconds).abs() <= 1e-6 + seconds.abs() * 1e-9
}

/// The error where something is not what was expected.
pub(crate) fn expect<T: PartialEq + std::fmt::Debug>(
    what: &str,
    found: T,
    expected: T,
) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what} is {found:?}, not {expected:?}"))
}

/// The same for a duration in seconds.
pub(crate) fn expect_seconds(what: &str, found: Duration, expected: f64) -> Result<(), String> {
    if is(found, expected) {
        return Ok(());
    }
    Err(format!("{what} is {found:?}, not {expected} s"))
}
