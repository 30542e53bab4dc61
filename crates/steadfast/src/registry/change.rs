//! Changes of the policy file, for logs and audits (F4).

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::file::{Policies, Problems};
use crate::observe::{Redactor, serde_format};
use crate::policy::{Policy, Setting};

/// A change of the file and its outcome.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// The time of the reload.
    #[serde(serialize_with = "serde_format::time::serialize")]
    pub at: Timestamp,
    /// The file.
    pub file: String,
    /// The active version after the change; the first is 1.
    pub version: u64,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// The outcome of a change.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// The file is active.
    Applied {
        /// The changed values; empty if only comments changed.
        changes: Vec<Changed>,
    },
    /// The file was rejected; the previous policies stay active.
    Refused {
        /// All problems of the file.
        problems: Problems,
    },
}

/// A changed value. Displayed as `policies.a.max_attempts: 3 → 5`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Changed {
    /// The path, such as `policies.a.max_attempts`, or that of an added or removed policy.
    pub path: String,
    /// The old value, if there was one.
    pub from: Option<Setting>,
    /// The new value, if there is one.
    pub to: Option<Setting>,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.outcome {
            Outcome::Applied { changes } => {
                write!(f, "{}: version {} is active", self.file, self.version)?;
                changes.iter().try_for_each(|changed| write!(f, "\n  {changed}"))
            }
            Outcome::Refused { problems } => {
                write!(f, "{}: rejected, version {} stays active", self.file, self.version)?;
                problems.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
            }
        }
    }
}

impl fmt::Display for Changed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.from, &self.to) {
            (None, _) => write!(f, "{}: added", self.path),
            (_, None) => write!(f, "{}: removed", self.path),
            (Some(from), Some(to)) => {
                write!(f, "{}: {} → {}", self.path, expanded(from), expanded(to))
            }
        }
    }
}

/// A value with the items of lists and maps.
fn expanded(value: &Setting) -> String {
    match value {
        Setting::List(_) | Setting::Map(_) => json(value).to_string(),
        scalar => scalar.to_string(),
    }
}

/// The differences between two versions, including policies that are not in the file: `default`
/// from the global defaults, and a preset that replaces a removed policy.
pub(super) fn diff(old: &Policies, new: &Policies) -> Vec<Changed> {
    let mut changes = Vec::new();
    for policy in old.all().filter(|policy| new.by_id(id(policy)).is_none()) {
        changes.push(Changed { path: path(policy), from: Some(as_setting(policy)), to: None });
    }
    for policy in new.all() {
        match old.by_id(id(policy)) {
            None => {
                let to = Some(as_setting(policy));
                changes.push(Changed { path: path(policy), from: None, to });
            }
            Some(before) if before == policy => {}
            Some(before) => {
                changes.extend(compare(values(old, before), values(new, policy)));
            }
        }
    }
    changes.extend(compare(mappings(old), mappings(new)));
    changes.extend(compare(extensions(old), extensions(new)).into_iter().map(redacted));
    changes
}

/// The differences between values by path: those of the new version, then the removed ones.
fn compare(old: Vec<(String, Setting)>, new: Vec<(String, Setting)>) -> Vec<Changed> {
    let mut removed: HashMap<String, Setting> = old.iter().cloned().collect();
    let new = new.into_iter().map(|(path, to)| {
        let from = removed.remove(&path);
        Changed { path, from, to: Some(to) }
    });
    let mut changes: Vec<_> = new.filter(|changed| changed.from != changed.to).collect();
    let removed = old.into_iter().filter(|(path, _)| removed.contains_key(path));
    changes.extend(removed.map(|(path, from)| Changed { path, from: Some(from), to: None }));
    changes
}

fn values(version: &Policies, policy: &Arc<Policy>) -> Vec<(String, Setting)> {
    let values = version.explained(policy).values.into_iter();
    values.map(|it| (format!("{}.{}", path(policy), it.field), it.value)).collect()
}

fn mappings(version: &Policies) -> Vec<(String, Setting)> {
    let path = |name: &str| format!("subsystem_mappings.{name}");
    version.mapped().iter().map(|it| (path(&it.name), it.policy.as_str().into())).collect()
}

fn extensions(version: &Policies) -> Vec<(String, Setting)> {
    version.extensions.iter().map(|it| (it.key.clone(), setting(it.json()))).collect()
}

/// Values of extension keys may contain secrets.
fn redacted(Changed { path, from, to }: Changed) -> Changed {
    let redact = |value: Setting| {
        let mut entry = Value::from_iter([(path.as_str(), json(&value))]);
        Redactor::installed().value(&mut entry);
        setting(entry.get_mut(&path).map(Value::take).unwrap_or_default())
    };
    let [from, to] = [from, to].map(|value| value.map(redact));
    Changed { path, from, to }
}

fn id(policy: &Policy) -> &str {
    policy.id().unwrap_or_default()
}

fn path(policy: &Arc<Policy>) -> String {
    format!("policies.{}", id(policy))
}

/// A policy as a single value.
fn as_setting(policy: &Policy) -> Setting {
    setting(json(policy))
}

fn setting(value: Value) -> Setting {
    serde_json::from_value(value).unwrap_or(Setting::Null)
}

fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
