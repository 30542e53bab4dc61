//! Importer for the nodes of a workflow engine: the rows of its schedule in `snake_case`, and the
//! `retry` of a node in `camelCase`.
//!
//! | setting (default) | policy |
//! |---|---|
//! | `max_attempts` | `max_retries` |
//! | `exponential_backoff`, `fixed_delay`, `immediate`, `custom` | `backoff_type` |
//! | `initial_delay_seconds`, `delay_seconds` | `base_delay` |
//! | `multiplier`, `max_delay_seconds` | `multiplier`, `max_delay` |
//! | `custom_schedule.attempts[].delay_days` | `schedule` |
//! | `retryOn`, `ignoreExceptions` | `retry_on`, `abort_on` |
//!
//! Its attempts are scheduled after a node has failed, so they count retries: five of them wait 60,
//! 120, 240, 480 and 960 seconds, and there are six attempts in all (P6).
//! For the same reason the schedule of 7 and 14 days has `max_attempts: 2`.

use std::time::Duration;

use super::backoff::{Exponential, write_schedule};
use super::names;
use super::policy_builder::{PolicyBuilder, RuleList, time};
use super::reader::Reader;
use super::value::{Fields, Value};

const MAX_ATTEMPTS: u32 = 3;
const MULTIPLIER: f64 = 2.0;
const SECONDS_PER_DAY: f64 = 86_400.0;
const STRATEGIES: [&str; 4] = ["immediate", "exponential_backoff", "fixed_delay", "custom"];

/// Columns of the engine's table other than settings.
const ROW_STATE: &[(&str, &str)] = &[
    ("id", NOT_A_SETTING),
    ("retryType", NOT_A_SETTING),
    ("targetId", NOT_A_SETTING),
    ("executionId", NOT_A_SETTING),
    ("currentAttempt", NOT_A_SETTING),
    ("scheduledAt", NOT_A_SETTING),
    ("lastRetriedAt", NOT_A_SETTING),
    ("status", NOT_A_SETTING),
    ("lockedBy", NOT_A_SETTING),
    ("lockedAt", NOT_A_SETTING),
    ("retryContext", "task payload, not a setting"),
    ("errorHistory", NOT_A_SETTING),
    ("createdAt", NOT_A_SETTING),
    ("updatedAt", NOT_A_SETTING),
    ("version", NOT_A_SETTING),
    ("expiresAt", "a policy has no absolute time; set expires_at on the task"),
];

const NOT_A_SETTING: &str = "row state, not a setting";

/// Fields of a node other than its retry settings.
const NODE_FIELDS: &[(&str, &str)] = &[
    ("type", "a node's action is not related to retries"),
    ("subType", "a node's action is not related to retries"),
    ("name", "a node's name is not related to retries"),
    ("url", "a node's action is not related to retries"),
    ("method", "a node's action is not related to retries"),
    ("headers", "a node's action is not related to retries"),
    ("body", "a node's action is not related to retries"),
    ("timeout", "unknown unit; set attempt_timeout instead"),
];

pub(super) fn read(reader: &mut Reader<'_>) {
    let Some(tree) = reader.tree() else { return };
    part(reader, &Value::root(&tree));
}

/// A list of these, a workflow, a node, or the settings alone.
fn part(reader: &mut Reader<'_>, value: &Value<'_>) {
    if value.is_list() {
        value.items().iter().for_each(|item| part(reader, item));
        return;
    }
    let Some(mut fields) = reader.fields(value) else { return };
    if let Some(nodes) = fields.take("nodes") {
        reader.list(&nodes).iter().for_each(|node| part(reader, node));
        return reader.report_remaining(fields, NODE_FIELDS);
    }
    if value
        .entries()
        .iter()
        .any(|entry| matches!(entry.key, "retry_strategy" | "retryStrategy" | "strategy"))
    {
        let id = fields.take("node_id").and_then(|id| reader.text(&id)).map(names::id);
        return settings(reader, value, fields, id.as_deref().unwrap_or("node"));
    }
    node(reader, fields);
}

/// A node with a `retry`, in its `config` or beside it.
fn node(reader: &mut Reader<'_>, mut fields: Fields<'_>) {
    let id = fields.take("node_id").and_then(|id| reader.text(&id)).map(names::id);
    let id = id.as_deref().unwrap_or("node");
    if let Some(config) = fields.take("config")
        && let Some(mut config) = reader.fields(&config)
    {
        retry(reader, &mut config, id);
        reader.report_remaining(config, NODE_FIELDS);
    }
    retry(reader, &mut fields, id);
    reader.report_remaining(fields, NODE_FIELDS);
}

fn retry(reader: &mut Reader<'_>, fields: &mut Fields<'_>, id: &str) {
    let Some(retry) = fields.take("retry") else { return };
    let Some(fields) = reader.fields(&retry) else { return };
    settings(reader, &retry, fields, id);
}

fn settings(reader: &mut Reader<'_>, value: &Value<'_>, mut fields: Fields<'_>, id: &str) {
    let mut policy = PolicyBuilder::new(id, value);
    if let Some(enabled) = reader.read(fields.take("enabled"), Reader::bool) {
        policy.put("enabled", enabled);
    }
    let attempts = reader.read_or(fields.take("max_attempts"), Reader::count, MAX_ATTEMPTS);
    let retries = attempts.value;
    policy.put("max_retries", attempts);
    timing(reader, value, &mut fields, &mut policy, retries);
    for (name, field) in [("retry_on", "retry_on"), ("ignore_exceptions", "abort_on")] {
        if let Some(value) = fields.take(name) {
            policy.set(field, rules(reader, &value), Some(&value));
        }
    }
    reader.report_remaining(fields, ROW_STATE);
    reader.add_policy(policy);
}

/// The name of a setting in the spelling of the map that lacks it: `snake_case` in a row,
/// `camelCase` in a node.
fn spelled(name: &str, within: &Value<'_>) -> String {
    if within.entries().iter().any(|entry| entry.key.contains('_')) {
        return name.to_owned();
    }
    let mut words = name.split('_');
    let mut spelled = words.next().unwrap_or_default().to_owned();
    for word in words {
        let (first, rest) = word.split_at(1);
        spelled.push_str(&first.to_ascii_uppercase());
        spelled.push_str(rest);
    }
    spelled
}

fn timing(
    reader: &mut Reader<'_>,
    value: &Value<'_>,
    fields: &mut Fields<'_>,
    policy: &mut PolicyBuilder,
    retries: u32,
) {
    let strategy = fields.take("retry_strategy").or_else(|| fields.take("strategy"));
    let Some(strategy) = strategy else {
        let hint = "use immediate, fixed_delay, exponential_backoff or custom";
        return reader.missing(fields, "strategy", hint);
    };
    match reader.one_of(&strategy, &STRATEGIES) {
        Some("exponential_backoff") => exponential(reader, fields, policy, retries),
        Some("fixed_delay") => fixed(reader, value, fields, policy),
        Some("custom") => custom(reader, value, fields, policy),
        Some(_) => policy.set("backoff_type", "immediate", Some(&strategy)),
        None => {}
    }
    let unused = ["initial_delay_seconds", "delay_seconds", "multiplier", "max_delay_seconds"];
    for name in unused.into_iter().chain(["custom_schedule"]) {
        if let Some(unused) = fields.take(name)
            && !unused.is_zero()
        {
            let name = names::excerpt(strategy.as_text().unwrap_or_default());
            reader.unsupported(&unused, format!("the strategy {name} ignores it"));
        }
    }
}

fn exponential(
    reader: &mut Reader<'_>,
    fields: &mut Fields<'_>,
    policy: &mut PolicyBuilder,
    retries: u32,
) {
    let seconds = |reader: &mut Reader<'_>, value: &Value<'_>| reader.seconds(value).map(Some);
    let base = fields.take("initial_delay_seconds");
    Exponential {
        base: reader.read_or(base, Reader::seconds, Duration::ZERO),
        multiplier: reader.read_or(fields.take("multiplier"), Reader::factor, MULTIPLIER),
        cap: reader.read_or(fields.take("max_delay_seconds"), seconds, None),
        retries,
    }
    .write(policy);
}

fn fixed(
    reader: &mut Reader<'_>,
    value: &Value<'_>,
    fields: &mut Fields<'_>,
    policy: &mut PolicyBuilder,
) {
    policy.set("backoff_type", "fixed", None);
    let Some(delay) = fields.take("delay_seconds") else {
        let name = spelled("delay_seconds", value);
        return reader.missing(fields, &name, "the strategy fixed_delay requires it");
    };
    if let Some(base) = reader.read(Some(delay), Reader::seconds) {
        policy.put("base_delay", base.map(time));
    }
}

fn custom(
    reader: &mut Reader<'_>,
    value: &Value<'_>,
    fields: &mut Fields<'_>,
    policy: &mut PolicyBuilder,
) {
    let Some(schedule) = fields.take("custom_schedule") else {
        let name = spelled("custom_schedule", value);
        return reader.missing(fields, &name, "the strategy custom requires it");
    };
    let Some(mut schedule) = reader.fields(&schedule) else { return };
    let Some(attempts) = schedule.take("attempts") else {
        return reader.missing(&schedule, "attempts", "list a delay for each attempt");
    };
    let delays: Vec<_> = reader
        .list(&attempts)
        .iter()
        .zip(1..)
        .filter_map(|(value, n)| delay(reader, value, n))
        .collect();
    if delays.is_empty() {
        reader.invalid(&attempts, "the list is empty");
    }
    reader.report_remaining(schedule, &[]);
    write_schedule(policy, delays.into_iter());
}

/// The engine uses an attempt's position in the list, not its number.
fn delay(reader: &mut Reader<'_>, value: &Value<'_>, position: u32) -> Option<Duration> {
    let mut fields = reader.fields(value)?;
    if let Some(attempt) = fields.take("attempt")
        && reader.count(&attempt).is_some_and(|number| number != position)
    {
        reader.unsupported(&attempt, format!("must be {position}: entries are numbered in order"));
    }
    let days = fields.take("delay_days");
    if days.is_none() {
        let name = spelled("delay_days", value);
        reader.missing(&fields, &name, "set the days until the next attempt");
    }
    reader.report_remaining(fields, &[]);
    reader.scaled(&days?, SECONDS_PER_DAY, "days")
}

/// The engine's rules have the syntax of a policy's.
fn rules(reader: &mut Reader<'_>, value: &Value<'_>) -> RuleList {
    let mut rules = RuleList::default();
    for item in reader.list(value) {
        let Some(text) = reader.number_or_text(&item) else { continue };
        if !rules.add(&text) {
            let message = format!("`{}` is not a rule", names::excerpt(&text));
            reader.invalid_with_hint(&item, message, "use a rule like 5xx, 408 or a type name");
        }
    }
    rules
}
