//! `resilience4j.circuitbreaker`.
//!
//! Half open, Resilience4j lets some calls through and compares their failures with the
//! same rate as ever. A breaker here wants that many probes to succeed; that is listed.

use std::time::Duration;

use super::section::{Section, find, time as read_time};
use crate::new_policy::{NewPolicy, count, time};
use crate::reader::Reader;
use crate::value::Value;
use steadfast::policy::Setting;

pub(super) const SETTINGS: [&str; 9] = [
    "slidingWindowType",
    "slidingWindowSize",
    "minimumNumberOfCalls",
    "failureRateThreshold",
    "slowCallRateThreshold",
    "slowCallDurationThreshold",
    "waitDurationInOpenState",
    "permittedNumberOfCallsInHalfOpenState",
    "automaticTransitionFromOpenToHalfOpenEnabled",
];

const BY_FACTS: &str = "a breaker counts every failure; judge in code what is none";

pub(super) const OTHER: &[(&str, &str)] = &[
    ("recordExceptions", BY_FACTS),
    ("ignoreExceptions", BY_FACTS),
    ("recordFailurePredicate", "it is code; judge in code"),
    ("recordResultPredicate", "it is code; a call can refuse a result"),
    ("ignoreExceptionPredicate", "it is code; judge in code"),
    ("maxWaitDurationInHalfOpenState", "a probe that is lost gives its place back after `timeout`"),
    ("enableExponentialBackoff", "write breaker.timeout_multiplier for open times that grow"),
    ("exponentialBackoffMultiplier", "write breaker.timeout_multiplier for open times that grow"),
    ("exponentialMaxWaitDurationInOpenState", "write breaker.max_timeout"),
    ("enableRandomizedWait", "open times are not random"),
    ("randomizedWaitFactor", "open times are not random"),
    ("eventConsumerBufferSize", "events are not kept in a buffer of their own"),
    ("registerHealthIndicator", "health is shown elsewhere"),
    ("allowHealthIndicatorToFail", "health is shown elsewhere"),
    ("writableStackTraceEnabled", "it says nothing about when to open"),
    ("initialState", "a breaker begins closed"),
    ("ringBufferSizeInClosedState", "it is of an old version; write slidingWindowSize"),
    ("ringBufferSizeInHalfOpenState", "it is of an old version; write permittedNumberOfCalls…"),
];

const WINDOW: u32 = 100;
const MINIMUM: u32 = 100;
const PROBES: u32 = 10;
const FAILURES: f64 = 50.0;
const SLOW: f64 = 100.0;
const MINUTE: Duration = Duration::from_secs(60);

pub(super) fn write(reader: &mut Reader<'_>, layers: &[&Section<'_>], policy: &mut NewPolicy) {
    window(reader, layers, policy);
    for (name, field, default) in [
        ("failureRateThreshold", "breaker.failure_rate", FAILURES),
        ("slowCallRateThreshold", "breaker.slow_call_rate", SLOW),
    ] {
        let value = find(layers, name);
        let percent = value.and_then(|value| reader.number(value)).unwrap_or(default);
        policy.put(field, Setting::Number(percent / 100.0), value);
    }
    for (name, field) in [
        ("slowCallDurationThreshold", "breaker.slow_call_threshold"),
        ("waitDurationInOpenState", "breaker.timeout"),
    ] {
        let value = find(layers, name);
        let duration = value.and_then(|value| read_time(reader, value)).unwrap_or(MINUTE);
        policy.put(field, time(duration), value);
    }
    probes(reader, layers, policy);
    // Every exception counts there.
    policy.default("breaker.count_final", Setting::Bool(true));
    if let Some(value) = find(layers, "automaticTransitionFromOpenToHalfOpenEnabled")
        && reader.bool(value) == Some(true)
    {
        reader.lose(value, "a breaker turns half open when the next call comes");
    }
}

fn window(reader: &mut Reader<'_>, layers: &[&Section<'_>], policy: &mut NewPolicy) {
    let size = find(layers, "slidingWindowSize");
    let calls = size.and_then(|value| reader.count(value)).unwrap_or(WINDOW);
    let minimum = find(layers, "minimumNumberOfCalls");
    let volume = minimum.and_then(|value| reader.count(value)).unwrap_or(MINIMUM);
    if is_time_based(reader, find(layers, "slidingWindowType")) {
        policy.put("breaker.window", time(Duration::from_secs(calls.into())), size);
        policy.put("breaker.minimum_volume", count(volume), minimum);
    } else {
        policy.put("breaker.window_calls", count(calls), size);
        // As Resilience4j does: a window that is never full enough would never open it.
        policy.put("breaker.minimum_volume", count(volume.min(calls)), minimum);
    }
}

fn is_time_based(reader: &mut Reader<'_>, value: Option<&Value<'_>>) -> bool {
    let kinds = ["COUNT_BASED", "TIME_BASED"];
    value.and_then(|value| reader.one_of(value, &kinds)) == Some("TIME_BASED")
}

fn probes(reader: &mut Reader<'_>, layers: &[&Section<'_>], policy: &mut NewPolicy) {
    let value = find(layers, "permittedNumberOfCallsInHalfOpenState");
    let probes = value.and_then(|value| reader.count(value)).unwrap_or(PROBES);
    policy.put("breaker.probes", count(probes), value);
    policy.put("breaker.success_threshold", count(probes), value);
    if probes > 1
        && let Some(section) = layers.first()
    {
        let why = "a breaker closes when all its probes succeed, not when few enough of them fail";
        reader.lose_what(value.unwrap_or(&section.value), "the rate that closes a breaker", why);
    }
}
