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
use super::policy_builder::{PolicyBuilder, count, word};
use super::reader::Reader;
use super::value::{Spelling, Value};
use super::{names, ruby};

const MAX_ATTEMPTS: u32 = 3;
const INITIAL_BACKOFF: Duration = Duration::from_secs(1);
const MAX_BACKOFF: Duration = Duration::from_secs(120);
const MULTIPLIER: f64 = 1.6;
const JITTER: &str = "equal";

const SETTINGS: [&str; 5] =
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
    let Some(mut fields) = reader.fields(value, Spelling::Exact) else { return };
    let [attempts, base, cap, multiplier, jitter] = SETTINGS.map(|name| fields.take(name));
    let found = [&attempts, &base, &cap, &multiplier, &jitter].iter().any(|value| value.is_some());
    reader.report_remaining(fields, &[]);
    if !found {
        return;
    }
    let mut policy = PolicyBuilder::new(id, value);
    let max_attempts =
        attempts.as_ref().and_then(|value| reader.count(value)).unwrap_or(MAX_ATTEMPTS);
    // The handler always makes the first attempt.
    policy.set_or_default("max_attempts", count(max_attempts.max(1)), attempts.as_ref());
    let mut seconds = |value: &Option<Value<'_>>, default| {
        value.as_ref().and_then(|value| reader.seconds(value)).unwrap_or(default)
    };
    let (base_delay, max_delay) = (seconds(&base, INITIAL_BACKOFF), seconds(&cap, MAX_BACKOFF));
    let growth = multiplier.as_ref().and_then(|value| reader.factor(value)).unwrap_or(MULTIPLIER);
    Exponential {
        base: base_delay,
        multiplier: growth,
        cap: Some(max_delay),
        retries: max_attempts.saturating_sub(1),
        from: [base.as_ref(), multiplier.as_ref(), cap.as_ref()],
    }
    .write(&mut policy);
    let name = match &jitter {
        Some(value) => reader.one_of(value, &["full", "equal", "none"]).unwrap_or(JITTER),
        None => JITTER,
    };
    policy.set_or_default("jitter", word(name), jitter.as_ref());
    reader.add_policy(policy);
}
