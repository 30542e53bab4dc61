//! What became of a changed file: for the log, for the audit, for people (F4).

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::file::{Explanation, Extension, Policies, Problems};
use crate::observe::{Redactor, serde_format};
use crate::policy::{Policy, Setting};

/// A change of the file, and what became of it.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// When it was read.
    #[serde(serialize_with = "serde_format::time::serialize")]
    pub at: Timestamp,
    /// The file.
    pub file: String,
    /// The number of the version that is in force since; the first is 1.
    pub version: u64,
    /// What became of it.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// What became of a changed file.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Outcome {
    /// It is in force.
    Applied {
        /// What is different. Nothing, if only comments or their like are.
        changes: Vec<Changed>,
    },
    /// It is not: the policies before it stay.
    Refused {
        /// All that is wrong with it.
        problems: Problems,
    },
}

/// A value that is different: reads as `policies.a.max_attempts: 3 → 5`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Changed {
    /// The value, such as `policies.a.max_attempts`; a whole policy that came or went.
    pub path: String,
    /// What it was, if it was there.
    pub from: Option<Setting>,
    /// What it is, if it is there.
    pub to: Option<Setting>,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.outcome {
            Outcome::Applied { changes } => {
                write!(f, "{}: version {} is in force", self.file, self.version)?;
                changes.iter().try_for_each(|changed| write!(f, "\n  {changed}"))
            }
            Outcome::Refused { problems } => {
                write!(f, "{}: refused, version {} stays in force", self.file, self.version)?;
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
            (Some(from), Some(to)) => write!(f, "{}: {} → {}", self.path, Shown(from), Shown(to)),
        }
    }
}

/// Of two lists it is worth knowing what is in them.
struct Shown<'s>(&'s Setting);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            many @ (Setting::List(_) | Setting::Map(_)) => json(many).fmt(f),
            one => one.fmt(f),
        }
    }
}

/// What is different between two versions, those policies included that no file writes: the
/// global defaults make `default`, and a ready-made one takes the place of one that went.
pub(super) fn between(old: &Policies, new: &Policies) -> Vec<Changed> {
    let mut changes = Vec::new();
    for policy in old.all().filter(|policy| new.by_id(id(policy)).is_none()) {
        changes.push(Changed { path: path(policy), from: Some(whole(policy)), to: None });
    }
    for policy in new.all() {
        match old.by_id(id(policy)) {
            None => {
                changes.push(Changed { path: path(policy), from: None, to: Some(whole(policy)) });
            }
            Some(before) if before == policy => {}
            Some(before) => {
                let [before, after] = [(old, before), (new, policy)]
                    .map(|(version, policy)| version.explained(policy));
                changes.extend(values_between(&path(policy), &before, &after));
            }
        }
    }
    changes.extend(mappings_between(old, new));
    changes.extend(extensions_between(old, new));
    changes
}

fn values_between(path: &str, old: &Explanation, new: &Explanation) -> Vec<Changed> {
    let value = |of: &Explanation, field: &str| of.value(field).map(|found| found.value.clone());
    let gone = old.values.iter().filter(|before| new.value(&before.field).is_none());
    let fields = new.values.iter().chain(gone).map(|explained| explained.field.as_str());
    let changed = fields.map(|field| Changed {
        path: format!("{path}.{field}"),
        from: value(old, field),
        to: value(new, field),
    });
    changed.filter(|changed| changed.from != changed.to).collect()
}

fn mappings_between(old: &Policies, new: &Policies) -> Vec<Changed> {
    let [before, after] = [old, new].map(targets);
    let target = |of: &HashMap<&str, &str>, name: &str| of.get(name).copied().map(Setting::from);
    let gone = old.mapped().iter().filter(|mapped| !after.contains_key(mapped.name.as_str()));
    let changed = new.mapped().iter().chain(gone).map(|mapped| Changed {
        path: format!("subsystem_mappings.{}", mapped.name),
        from: target(&before, &mapped.name),
        to: target(&after, &mapped.name),
    });
    changed.filter(|changed| changed.from != changed.to).collect()
}

/// Nobody knows what a writer keeps under keys of their own, so it is told without its secrets.
fn extensions_between(old: &Policies, new: &Policies) -> Vec<Changed> {
    let value = |of: &Policies, key: &str| of.find_extension(key).map(Extension::json);
    let gone = old.extensions.iter().filter(|own| new.find_extension(&own.key).is_none());
    let keys = new.extensions.iter().chain(gone).map(|own| own.key.as_str());
    let changed = keys.filter(|key| value(old, key) != value(new, key)).map(|key| Changed {
        path: key.to_owned(),
        from: value(old, key).map(|value| without_secrets(key, value)),
        to: value(new, key).map(|value| without_secrets(key, value)),
    });
    changed.collect()
}

fn without_secrets(key: &str, value: Value) -> Setting {
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

/// A policy as one value.
fn whole(policy: &Policy) -> Setting {
    serde_json::from_value(json(policy)).unwrap_or(Setting::Null)
}

fn json(value: &impl Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
