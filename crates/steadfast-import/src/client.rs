//! Importer for a client library with gRPC's backoff: Ruby assignments, or the same names in YAML
//! or JSON.
//!
//! | setting | policy |
//! |---|---|
//! | `max_retries` | `max_attempts` |
//! | `initial_backoff`, `max_backoff` (seconds), `backoff_multiplier` | `base_delay`, `max_delay`, `multiplier` |
//! | `retry_jitter` | `jitter` |
//!
//! Its `max_retries` counts attempts in spite of its name: the client passes it to its retry
//! handler as `max_attempts`.
//!
//! The retried errors are fixed in its code: lost connections, timeouts, an exhausted pool, 5xx and
//! 429. The default rules retry the same.

use std::time::Duration;

use super::backoff::Exponential;
use super::policy_builder::PolicyBuilder;
use super::reader::Reader;
use super::value::Value;
use super::{names, ruby};

const MAX_ATTEMPTS: u32 = 3;
const INITIAL_BACKOFF: Duration = Duration::from_secs(1);
const MAX_BACKOFF: Duration = Duration::from_secs(120);
const MULTIPLIER: f64 = 1.6;
const JITTER: &str = "equal";
const JITTERS: [&str; 3] = ["full", "equal", "none"];

pub(super) const SETTINGS: [&str; 5] =
    ["max_retries", "initial_backoff", "max_backoff", "backoff_multiplier", "retry_jitter"];

pub(super) fn read(reader: &mut Reader<'_>) {
    if !reader.check_size() {
        return;
    }
    if is_ruby(reader.source.text()) {
        let tree = ruby::tree(reader);
        return settings(reader, &Value::root(&tree), "client");
    }
    let Some(tree) = reader.tree() else { return };
    clients(reader, &Value::root(&tree));
}

/// Whether the text has an assignment of a setting, or a configuration block.
fn is_ruby(text: &str) -> bool {
    text.lines().map(str::trim).any(|line| {
        let assigned = line.split_once('=').is_some_and(|(target, _)| {
            SETTINGS.iter().any(|name| target.trim().ends_with(&format!(".{name}")))
        });
        assigned || line.ends_with("|config|")
    })
}

/// The settings of one client, or a map of clients.
fn clients(reader: &mut Reader<'_>, value: &Value<'_>) {
    let has_settings = |value: &Value<'_>| SETTINGS.iter().any(|name| value.get(name).is_some());
    if has_settings(value) || !value.entries().iter().any(has_settings) {
        return settings(reader, value, "client");
    }
    for entry in value.entries() {
        if has_settings(&entry) {
            settings(reader, &entry, &names::id(entry.key));
        } else {
            reader.unsupported(&entry, "no retry settings in it");
        }
    }
}

fn settings(reader: &mut Reader<'_>, value: &Value<'_>, id: &str) {
    let Some(mut fields) = reader.fields(value) else { return };
    let [attempts, base, cap, multiplier, jitter] = SETTINGS.map(|name| fields.take(name));
    let found = [&attempts, &base, &cap, &multiplier, &jitter].iter().any(|value| value.is_some());
    reader.report_remaining(fields, &[]);
    if !found {
        return;
    }
    let mut policy = PolicyBuilder::new(id, value);
    let attempts = reader.read_or(attempts, Reader::count, MAX_ATTEMPTS);
    let retries = attempts.value.saturating_sub(1);
    // The handler always makes the first attempt.
    policy.put("max_attempts", attempts.map(|attempts| attempts.max(1)));
    Exponential {
        base: reader.read_or(base, Reader::seconds, INITIAL_BACKOFF),
        cap: reader.read_or(cap, Reader::seconds, MAX_BACKOFF).map(Some),
        multiplier: reader.read_or(multiplier, Reader::factor, MULTIPLIER),
        retries,
    }
    .write(&mut policy);
    let name = |reader: &mut Reader<'_>, value: &Value<'_>| reader.one_of(value, &JITTERS);
    policy.put("jitter", reader.read_or(jitter, name, JITTER));
    reader.add_policy(policy);
}
