//! Changes of the policy file, for logs and audits (F4).

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::file::{Explanation, Extension, Policies, Problems};
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
                write!(f, "{}: {} → {}", self.path, Expanded(from), Expanded(to))
            }
        }
    }
}

/// A value with the items of lists and maps.
struct Expanded<'s>(&'s Setting);

impl fmt::Display for Expanded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            nested @ (Setting::List(_) | Setting::Map(_)) => json(nested).fmt(f),
            scalar => scalar.fmt(f),
        }
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
                changes.push(Changed {
                    path: path(policy),
                    from: None,
                    to: Some(as_setting(policy)),
                });
            }
            Some(before) if before == policy => {}
            Some(before) => {
                let [before, after] = [(old, before), (new, policy)]
                    .map(|(version, policy)| version.explained(policy));
                changes.extend(diff_values(&path(policy), &before, &after));
            }
        }
    }
    changes.extend(diff_mappings(old, new));
    changes.extend(diff_extensions(old, new));
    changes
}

fn diff_values(path: &str, old: &Explanation, new: &Explanation) -> Vec<Changed> {
    let value = |of: &Explanation, field: &str| of.value(field).map(|found| found.value.clone());
    let removed = old.values.iter().filter(|before| new.value(&before.field).is_none());
    let fields = new.values.iter().chain(removed).map(|explained| explained.field.as_str());
    let changed = fields.map(|field| Changed {
        path: format!("{path}.{field}"),
        from: value(old, field),
        to: value(new, field),
    });
    changed.filter(|changed| changed.from != changed.to).collect()
}

fn diff_mappings(old: &Policies, new: &Policies) -> Vec<Changed> {
    let [before, after] = [old, new].map(targets);
    let target = |of: &HashMap<&str, &str>, name: &str| of.get(name).copied().map(Setting::from);
    let removed = old.mapped().iter().filter(|mapped| !after.contains_key(mapped.name.as_str()));
    let changed = new.mapped().iter().chain(removed).map(|mapped| Changed {
        path: format!("subsystem_mappings.{}", mapped.name),
        from: target(&before, &mapped.name),
        to: target(&after, &mapped.name),
    });
    changed.filter(|changed| changed.from != changed.to).collect()
}

/// Values of extension keys may contain secrets, so they are redacted.
fn diff_extensions(old: &Policies, new: &Policies) -> Vec<Changed> {
    let value = |of: &Policies, key: &str| of.find_extension(key).map(Extension::json);
    let removed =
        old.extensions.iter().filter(|extension| new.find_extension(&extension.key).is_none());
    let keys = new.extensions.iter().chain(removed).map(|extension| extension.key.as_str());
    let changed = keys.filter(|key| value(old, key) != value(new, key)).map(|key| Changed {
        path: key.to_owned(),
        from: value(old, key).map(|value| redacted(key, value)),
        to: value(new, key).map(|value| redacted(key, value)),
    });
    changed.collect()
}

fn redacted(key: &str, value: Value) -> Setting {
    let mut entry = Value::from_iter([(key, value)]);
    Redactor::installed().value(&mut entry);
    let value = entry.get_mut(key).map(Value::take).unwrap_or_default();
    serde_json::from_value(value).unwrap_or(Setting::Null)
}

/// The policy that each name is mapped to.
fn targets(of: &Policies) -> HashMap<&str, &str> {
    of.mapped().iter().map(|mapped| (mapped.name.as_str(), mapped.policy.as_str())).collect()
}

fn id(policy: &Policy) -> &str {
    policy.id().unwrap_or_default()
}

fn path(policy: &Arc<Policy>) -> String {
    format!("policies.{}", id(policy))
}

/// A policy as a single value.
fn as_setting(policy: &Policy) -> Setting {
    serde_json::from_value(json(policy)).unwrap_or(Setting::Null)
}

fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
