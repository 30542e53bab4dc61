//! The nodes of a workflow engine: the rows of its schedule in `snake_case`, and the
//! `retry` of a node in `camelCase`.
//!
//! | there | here |
//! |---|---|
//! | `max_attempts` | `max_retries` |
//! | `exponential_backoff`, `fixed_delay`, `immediate`, `custom` | `backoff_type` |
//! | `initial_delay_seconds`, `delay_seconds` | `base_delay` |
//! | `multiplier`, `max_delay_seconds` | `multiplier`, `max_delay` |
//! | `custom_schedule.attempts[].delay_days` | `schedule` |
//! | `retryOn`, `ignoreExceptions` | `retry_on`, `abort_on` |
//!
//! Its attempts are those that are scheduled after a node has failed, so they count retries:
//! five of them wait 60, 120, 240, 480 and 960 seconds, which takes six attempts in all (P6).
//! That is also why the schedule of 7 and 14 days has `max_attempts: 2`.

use std::time::Duration;

use super::backoff::{Exponential, write_schedule};
use super::names;
use super::new_policy::{NewPolicy, RuleList, count, time, word};
use super::reader::Reader;
use super::value::{Fields, Spelling, Value};
use steadfast::policy::Setting;

const MAX_ATTEMPTS: u32 = 3;
const MULTIPLIER: f64 = 2.0;
const DAY: u64 = 86_400;
const STRATEGIES: [&str; 4] = ["immediate", "exponential_backoff", "fixed_delay", "custom"];

/// What a row of the engine's table holds beside the settings.
const STATE: &[(&str, &str)] = &[
    ("id", "it is a row's state, not a setting"),
    ("retryType", "it is a row's state, not a setting"),
    ("targetId", "it is a row's state, not a setting"),
    ("executionId", "it is a row's state, not a setting"),
    ("currentAttempt", "it is a row's state, not a setting"),
    ("scheduledAt", "it is a row's state, not a setting"),
    ("lastRetriedAt", "it is a row's state, not a setting"),
    ("status", "it is a row's state, not a setting"),
    ("lockedBy", "it is a row's state, not a setting"),
    ("lockedAt", "it is a row's state, not a setting"),
    ("retryContext", "it is the task's payload, not a setting"),
    ("errorHistory", "it is a row's state, not a setting"),
    ("createdAt", "it is a row's state, not a setting"),
    ("updatedAt", "it is a row's state, not a setting"),
    ("version", "it is a row's state, not a setting"),
    ("expiresAt", "a policy holds no moment; give it to the task as expires_at"),
];

const NODE: &[(&str, &str)] = &[
    ("type", "what a node does says nothing about retrying"),
    ("subType", "what a node does says nothing about retrying"),
    ("name", "what a node is called says nothing about retrying"),
    ("url", "what a node does says nothing about retrying"),
    ("method", "what a node does says nothing about retrying"),
    ("headers", "what a node does says nothing about retrying"),
    ("body", "what a node does says nothing about retrying"),
    ("timeout", "its unit is not known; write it as attempt_timeout"),
];

pub(super) fn read(reader: &mut Reader<'_>) {
    let Some(tree) = reader.tree() else { return };
    part(reader, &Value::root(&tree));
}

/// A list of parts, a workflow, a node, or the settings themselves.
fn part(reader: &mut Reader<'_>, value: &Value<'_>) {
    if value.is_list() {
        value.items().iter().for_each(|item| part(reader, item));
        return;
    }
    let Some(mut fields) = reader.fields(value, Spelling::Relaxed) else { return };
    if let Some(nodes) = fields.take("nodes") {
        reader.list(&nodes).iter().for_each(|node| part(reader, node));
        return reader.leave(fields, NODE);
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

/// A node's `retry` stands in its `config`, or by itself.
fn node(reader: &mut Reader<'_>, mut fields: Fields<'_>) {
    let id = fields.take("node_id").and_then(|id| reader.text(&id)).map(names::id);
    let id = id.as_deref().unwrap_or("node");
    if let Some(config) = fields.take("config")
        && let Some(mut config) = reader.fields(&config, Spelling::Relaxed)
    {
        retry(reader, &mut config, id);
        reader.leave(config, NODE);
    }
    retry(reader, &mut fields, id);
    reader.leave(fields, NODE);
}

fn retry(reader: &mut Reader<'_>, fields: &mut Fields<'_>, id: &str) {
    let Some(retry) = fields.take("retry") else { return };
    let Some(fields) = reader.fields(&retry, Spelling::Relaxed) else { return };
    settings(reader, &retry, fields, id);
}

fn settings(reader: &mut Reader<'_>, value: &Value<'_>, mut fields: Fields<'_>, id: &str) {
    let mut policy = NewPolicy::new(id, value);
    if let Some(enabled) = fields.take("enabled")
        && let Some(on) = reader.bool(&enabled)
    {
        policy.set("enabled", Setting::Bool(on), &enabled);
    }
    let attempts = fields.take("max_attempts");
    let retries = attempts.as_ref().and_then(|value| reader.count(value)).unwrap_or(MAX_ATTEMPTS);
    policy.put("max_retries", count(retries), attempts.as_ref());
    timing(reader, &mut fields, &mut policy, retries);
    for (name, field) in [("retry_on", "retry_on"), ("ignore_exceptions", "abort_on")] {
        if let Some(value) = fields.take(name) {
            policy.set(field, rules(reader, &value).setting(), &value);
        }
    }
    reader.leave(fields, STATE);
    reader.add_policy(policy);
}

fn timing(reader: &mut Reader<'_>, fields: &mut Fields<'_>, policy: &mut NewPolicy, retries: u32) {
    let strategy = fields.take("retry_strategy").or_else(|| fields.take("strategy"));
    let Some(strategy) = strategy else {
        return reader.missing(fields, "the strategy", "write immediate, fixed_delay, …");
    };
    match reader.one_of(&strategy, &STRATEGIES) {
        Some("exponential_backoff") => exponential(reader, fields, policy, retries),
        Some("fixed_delay") => fixed(reader, fields, policy),
        Some("custom") => custom(reader, fields, policy),
        Some(_) => policy.set("backoff_type", word("immediate"), &strategy),
        None => {}
    }
    let unused = ["initial_delay_seconds", "delay_seconds", "multiplier", "max_delay_seconds"];
    for name in unused.into_iter().chain(["custom_schedule"]) {
        if let Some(unused) = fields.take(name)
            && !unused.is_zero()
        {
            let name = names::shown(strategy.as_text().unwrap_or_default());
            reader.lose(&unused, format!("the strategy {name} does not use it"));
        }
    }
}

fn exponential(
    reader: &mut Reader<'_>,
    fields: &mut Fields<'_>,
    policy: &mut NewPolicy,
    retries: u32,
) {
    let (base, growth) = (fields.take("initial_delay_seconds"), fields.take("multiplier"));
    let cap = fields.take("max_delay_seconds");
    let base_delay = base.as_ref().and_then(|value| reader.seconds(value)).unwrap_or_default();
    let multiplier = growth.as_ref().and_then(|value| reader.factor(value)).unwrap_or(MULTIPLIER);
    Exponential {
        base: base_delay,
        multiplier,
        cap: cap.as_ref().and_then(|value| reader.seconds(value)),
        retries,
        from: [base.as_ref(), growth.as_ref(), cap.as_ref()],
    }
    .write(policy);
}

fn fixed(reader: &mut Reader<'_>, fields: &mut Fields<'_>, policy: &mut NewPolicy) {
    policy.default("backoff_type", word("fixed"));
    match fields.take("delay_seconds") {
        Some(delay) => {
            if let Some(base) = reader.seconds(&delay) {
                policy.set("base_delay", time(base), &delay);
            }
        }
        None => reader.missing(fields, "delay_seconds", "the strategy fixed_delay needs it"),
    }
}

fn custom(reader: &mut Reader<'_>, fields: &mut Fields<'_>, policy: &mut NewPolicy) {
    let Some(schedule) = fields.take("custom_schedule") else {
        return reader.missing(fields, "custom_schedule", "the strategy custom needs it");
    };
    let Some(mut schedule) = reader.fields(&schedule, Spelling::Relaxed) else { return };
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
        reader.wrong(&attempts, "there is no delay in it");
    }
    reader.leave(schedule, &[]);
    write_schedule(policy, delays.into_iter());
}

/// The engine goes by an attempt's place in the list, not by its number.
fn delay(reader: &mut Reader<'_>, value: &Value<'_>, place: u32) -> Option<Duration> {
    let mut fields = reader.fields(value, Spelling::Relaxed)?;
    if let Some(attempt) = fields.take("attempt")
        && reader.count(&attempt).is_some_and(|number| number != place)
    {
        reader.lose(&attempt, format!("it is number {place} in the list, and that is what counts"));
    }
    let days = match fields.take("delay_days") {
        Some(days) => reader.number(&days).map(|number| (number, days)),
        None => {
            reader.missing(&fields, "delay_days", "write after how many days to try again");
            None
        }
    };
    reader.leave(fields, &[]);
    let (number, days) = days?;
    let delay = Duration::try_from_secs_f64(number * DAY as f64).ok();
    if delay.is_none() {
        reader.wrong(&days, format!("{number} is not a number of days"));
    }
    delay
}

/// The engine's rules are spelt as those of a policy.
fn rules(reader: &mut Reader<'_>, value: &Value<'_>) -> RuleList {
    let mut rules = RuleList::default();
    for item in reader.list(value) {
        let text = match reader.number_or_text(&item) {
            Some(text) => text,
            None => continue,
        };
        if !rules.add(&text) {
            let message = format!("`{}` is not a rule", names::shown(&text));
            reader.wrong_but(&item, message, "write one like 5xx, 408 or a type's name");
        }
    }
    rules
}
