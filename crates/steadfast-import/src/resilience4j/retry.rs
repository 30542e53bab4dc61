//! Importer for `resilience4j.retry`.

use std::time::Duration;

use super::section::{Section, find, time as read_time};
use crate::backoff::Exponential;
use crate::exception_classes;
use crate::policy_builder::{PolicyBuilder, count, time, word};
use crate::reader::Reader;
use crate::value::Value;
use steadfast::policy::Setting;

pub(super) const SETTINGS: [&str; 10] = [
    "maxAttempts",
    "waitDuration",
    "enableExponentialBackoff",
    "exponentialBackoffMultiplier",
    "exponentialMaxWaitDuration",
    "enableRandomizedWait",
    "randomizedWaitFactor",
    "retryExceptions",
    "ignoreExceptions",
    "failAfterMaxAttempts",
];

pub(super) const UNSUPPORTED: &[(&str, &str)] = &[
    ("retryExceptionPredicate", "code cannot be imported; classify in code"),
    ("resultPredicate", "code cannot be imported; reject the result in the call"),
    ("retryOnResultPredicate", "code cannot be imported; reject the result in the call"),
    ("intervalFunction", "delays computed by code cannot be imported; write a schedule"),
    ("intervalBiFunction", "delays computed by code cannot be imported; write a schedule"),
    ("consumeResultBeforeRetryAttempt", "code cannot be imported; use a hook"),
    ("eventConsumerBufferSize", "a policy has no event buffer"),
];

const MAX_ATTEMPTS: u32 = 3;
const WAIT: Duration = Duration::from_millis(500);
const MULTIPLIER: f64 = 1.5;
const RANDOM_FACTOR: f64 = 0.5;

pub(super) fn write(reader: &mut Reader<'_>, layers: &[&Section<'_>], policy: &mut PolicyBuilder) {
    let attempts = find(layers, "maxAttempts");
    let max_attempts = attempts.and_then(|value| reader.count(value)).unwrap_or(MAX_ATTEMPTS);
    policy.set_or_default("max_attempts", count(max_attempts), attempts);
    delays(reader, layers, policy, max_attempts.saturating_sub(1));
    match find(layers, "retryExceptions") {
        Some(value) if !value.items().is_empty() || value.as_text().is_some() => {
            policy.set("retry_on", exception_classes::rules(reader, value).setting(), value);
        }
        // An empty list means every exception.
        _ => policy.set_default("retry_on", Setting::List(vec![word("any")])),
    }
    if let Some(value) = find(layers, "ignoreExceptions") {
        let rules = exception_classes::rules(reader, value);
        if !rules.is_empty() {
            policy.set("abort_on", rules.setting(), value);
        }
    }
    if let Some(value) = find(layers, "failAfterMaxAttempts")
        && reader.bool(value) == Some(true)
    {
        reader.unsupported(value, "giving up is always an error, never the last result");
    }
}

fn delays(
    reader: &mut Reader<'_>,
    layers: &[&Section<'_>],
    policy: &mut PolicyBuilder,
    retries: u32,
) {
    let wait = find(layers, "waitDuration");
    let growing = is_on(reader, layers, "enableExponentialBackoff");
    let random = is_on(reader, layers, "enableRandomizedWait");
    let Some(wait) = wait else {
        let reason = "ignored by Resilience4j without waitDuration";
        let mut unused = vec!["exponentialBackoffMultiplier", "exponentialMaxWaitDuration"];
        unused.push("randomizedWaitFactor");
        unused.extend(growing.then_some("enableExponentialBackoff"));
        unused.extend(random.then_some("enableRandomizedWait"));
        all_unsupported(reader, layers, &unused, reason);
        policy.set_default("backoff_type", word("fixed"));
        return policy.set_default("base_delay", time(WAIT));
    };
    let base = read_time(reader, wait).unwrap_or(WAIT);
    if growing {
        exponential(reader, layers, policy, (base, wait), (retries, random));
    } else {
        let reason = "ignored by Resilience4j without enableExponentialBackoff";
        let unused = ["exponentialBackoffMultiplier", "exponentialMaxWaitDuration"];
        all_unsupported(reader, layers, &unused, reason);
        policy.set_default("backoff_type", word("fixed"));
        policy.set("base_delay", time(base), wait);
    }
    if random {
        randomized(reader, layers, policy, growing, wait);
    } else {
        let reason = "ignored by Resilience4j without enableRandomizedWait";
        all_unsupported(reader, layers, &["randomizedWaitFactor"], reason);
        policy.set_default("jitter", word("none"));
    }
}

fn exponential(
    reader: &mut Reader<'_>,
    layers: &[&Section<'_>],
    policy: &mut PolicyBuilder,
    (base, wait): (Duration, &Value<'_>),
    (retries, random): (u32, bool),
) {
    let factor = find(layers, "exponentialBackoffMultiplier");
    let multiplier = factor.and_then(|value| reader.factor(value)).unwrap_or(MULTIPLIER);
    let applies = factor.is_some() && (!random || find(layers, "randomizedWaitFactor").is_some());
    let cap = find(layers, "exponentialMaxWaitDuration");
    if !applies {
        let reason = "ignored by Resilience4j without exponentialBackoffMultiplier, and without \
                      randomizedWaitFactor if the wait is randomized";
        all_unsupported(reader, layers, &["exponentialMaxWaitDuration"], reason);
    }
    let cap = cap.filter(|_| applies);
    Exponential {
        base,
        multiplier,
        cap: cap.and_then(|value| read_time(reader, value)),
        retries,
        from: [Some(wait), factor, cap],
    }
    .write(policy);
}

fn randomized(
    reader: &mut Reader<'_>,
    layers: &[&Section<'_>],
    policy: &mut PolicyBuilder,
    growing: bool,
    wait: &Value<'_>,
) {
    let mut factor = find(layers, "randomizedWaitFactor");
    if growing && find(layers, "exponentialBackoffMultiplier").is_none() {
        let reason = "ignored by Resilience4j without exponentialBackoffMultiplier";
        all_unsupported(reader, layers, &["randomizedWaitFactor"], reason);
        factor = None;
    }
    let amount = factor.and_then(|value| reader.number(value)).unwrap_or(RANDOM_FACTOR);
    policy.set_default("jitter_type", word("full"));
    policy.set_or_default("jitter_amount", Setting::Number(amount), factor);
    let reason = "a policy's jitter shortens the delay; Resilience4j also lengthens it";
    reader.unsupported_part(factor.unwrap_or(wait), "upward jitter", reason);
}

fn is_on(reader: &mut Reader<'_>, layers: &[&Section<'_>], name: &str) -> bool {
    find(layers, name).is_some_and(|value| reader.bool(value) == Some(true))
}

fn all_unsupported(reader: &mut Reader<'_>, layers: &[&Section<'_>], names: &[&str], reason: &str) {
    for name in names {
        if let Some(value) = find(layers, name) {
            reader.unsupported(value, reason);
        }
    }
}
