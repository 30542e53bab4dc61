//! `resilience4j.retry`.

use std::time::Duration;

use super::section::{Section, find, time as read_time};
use crate::backoff::Exponential;
use crate::java;
use crate::new_policy::{NewPolicy, count, time, word};
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

pub(super) const OTHER: &[(&str, &str)] = &[
    ("retryExceptionPredicate", "it is code; judge in code"),
    ("resultPredicate", "it is code; a call can refuse a result"),
    ("retryOnResultPredicate", "it is code; a call can refuse a result"),
    ("intervalFunction", "its delays are computed by code; write them as a schedule"),
    ("intervalBiFunction", "its delays are computed by code; write them as a schedule"),
    ("consumeResultBeforeRetryAttempt", "it is code; use a hook"),
    ("eventConsumerBufferSize", "events are not kept in a buffer of their own"),
];

const MAX_ATTEMPTS: u32 = 3;
const WAIT: Duration = Duration::from_millis(500);
const MULTIPLIER: f64 = 1.5;
const RANDOM_FACTOR: f64 = 0.5;

pub(super) fn write(reader: &mut Reader<'_>, layers: &[&Section<'_>], policy: &mut NewPolicy) {
    let attempts = find(layers, "maxAttempts");
    let most = attempts.and_then(|value| reader.count(value)).unwrap_or(MAX_ATTEMPTS);
    policy.put("max_attempts", count(most), attempts);
    delays(reader, layers, policy, most.saturating_sub(1));
    match find(layers, "retryExceptions") {
        Some(value) if !value.items().is_empty() || value.as_text().is_some() => {
            policy.set("retry_on", java::rules(reader, value).setting(), value);
        }
        // Without any, every exception is retried.
        _ => policy.default("retry_on", Setting::List(vec![word("any")])),
    }
    if let Some(value) = find(layers, "ignoreExceptions") {
        let rules = java::rules(reader, value);
        if !rules.is_empty() {
            policy.set("abort_on", rules.setting(), value);
        }
    }
    if let Some(value) = find(layers, "failAfterMaxAttempts")
        && reader.bool(value) == Some(true)
    {
        reader.lose(value, "giving up is always an error here, never the last result");
    }
}

fn delays(reader: &mut Reader<'_>, layers: &[&Section<'_>], policy: &mut NewPolicy, retries: u32) {
    let wait = find(layers, "waitDuration");
    let growing = is_on(reader, layers, "enableExponentialBackoff");
    let random = is_on(reader, layers, "enableRandomizedWait");
    let Some(wait) = wait else {
        let needed = "Resilience4j ignores it without a waitDuration";
        let mut unused = vec!["exponentialBackoffMultiplier", "exponentialMaxWaitDuration"];
        unused.push("randomizedWaitFactor");
        unused.extend(growing.then_some("enableExponentialBackoff"));
        unused.extend(random.then_some("enableRandomizedWait"));
        lose_all(reader, layers, &unused, needed);
        policy.default("backoff_type", word("fixed"));
        return policy.default("base_delay", time(WAIT));
    };
    let base = read_time(reader, wait).unwrap_or(WAIT);
    if growing {
        exponential(reader, layers, policy, (base, wait), (retries, random));
    } else {
        let needed = "Resilience4j ignores it without enableExponentialBackoff";
        let unused = ["exponentialBackoffMultiplier", "exponentialMaxWaitDuration"];
        lose_all(reader, layers, &unused, needed);
        policy.default("backoff_type", word("fixed"));
        policy.set("base_delay", time(base), wait);
    }
    if random {
        randomized(reader, layers, policy, growing, wait);
    } else {
        let needed = "Resilience4j ignores it without enableRandomizedWait";
        lose_all(reader, layers, &["randomizedWaitFactor"], needed);
        policy.default("jitter", word("none"));
    }
}

fn exponential(
    reader: &mut Reader<'_>,
    layers: &[&Section<'_>],
    policy: &mut NewPolicy,
    (base, wait): (Duration, &Value<'_>),
    (retries, random): (u32, bool),
) {
    let factor = find(layers, "exponentialBackoffMultiplier");
    let multiplier = factor.and_then(|value| reader.factor(value)).unwrap_or(MULTIPLIER);
    let counts = factor.is_some() && (!random || find(layers, "randomizedWaitFactor").is_some());
    let cap = find(layers, "exponentialMaxWaitDuration");
    if !counts {
        let needed = "Resilience4j ignores it unless exponentialBackoffMultiplier, and \
                      randomizedWaitFactor if the wait is random, are written";
        lose_all(reader, layers, &["exponentialMaxWaitDuration"], needed);
    }
    let cap = cap.filter(|_| counts);
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
    policy: &mut NewPolicy,
    growing: bool,
    wait: &Value<'_>,
) {
    let mut factor = find(layers, "randomizedWaitFactor");
    if growing && find(layers, "exponentialBackoffMultiplier").is_none() {
        let needed = "Resilience4j ignores it without exponentialBackoffMultiplier";
        lose_all(reader, layers, &["randomizedWaitFactor"], needed);
        factor = None;
    }
    let amount = factor.and_then(|value| reader.number(value)).unwrap_or(RANDOM_FACTOR);
    policy.default("jitter_type", word("full"));
    policy.put("jitter_amount", Setting::Number(amount), factor);
    let why = "a policy's jitter shortens; Resilience4j also lengthens by as much";
    reader.lose_what(factor.unwrap_or(wait), "a wait that is randomly longer", why);
}

fn is_on(reader: &mut Reader<'_>, layers: &[&Section<'_>], name: &str) -> bool {
    find(layers, name).is_some_and(|value| reader.bool(value) == Some(true))
}

fn lose_all(reader: &mut Reader<'_>, layers: &[&Section<'_>], names: &[&str], why: &str) {
    for name in names {
        if let Some(value) = find(layers, name) {
            reader.lose(value, why);
        }
    }
}
