//! Importer for `resilience4j.circuitbreaker`.
//!
//! In half-open state, Resilience4j compares the failure rate of some calls with the threshold. A
//! policy's breaker requires that many probes to succeed; the difference is reported.

use std::time::Duration;

use super::section::{Section, find, time as read_time};
use crate::policy_builder::{PolicyBuilder, count, time};
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

const COUNTS_EVERY_FAILURE: &str = "a breaker counts every failure; classify exceptions in code";

pub(super) const UNSUPPORTED: &[(&str, &str)] = &[
    ("recordExceptions", COUNTS_EVERY_FAILURE),
    ("ignoreExceptions", COUNTS_EVERY_FAILURE),
    ("recordFailurePredicate", "code cannot be imported; classify in code"),
    ("recordResultPredicate", "code cannot be imported; reject the result in the call"),
    ("ignoreExceptionPredicate", "code cannot be imported; classify in code"),
    ("maxWaitDurationInHalfOpenState", "a lost probe frees its permit after `timeout`"),
    ("enableExponentialBackoff", "set breaker.timeout_multiplier for growing open times"),
    ("exponentialBackoffMultiplier", "set breaker.timeout_multiplier for growing open times"),
    ("exponentialMaxWaitDurationInOpenState", "set breaker.max_timeout"),
    ("enableRandomizedWait", "open times are not randomized"),
    ("randomizedWaitFactor", "open times are not randomized"),
    ("eventConsumerBufferSize", "a policy has no event buffer"),
    ("registerHealthIndicator", "health reporting is not part of a policy"),
    ("allowHealthIndicatorToFail", "health reporting is not part of a policy"),
    ("writableStackTraceEnabled", "not related to opening"),
    ("initialState", "a breaker always starts closed"),
    ("ringBufferSizeInClosedState", "replaced by slidingWindowSize"),
    ("ringBufferSizeInHalfOpenState", "replaced by permittedNumberOfCallsInHalfOpenState"),
];

const WINDOW_SIZE: u32 = 100;
const MINIMUM_CALLS: u32 = 100;
const PROBES: u32 = 10;
const FAILURE_RATE_PERCENT: f64 = 50.0;
const SLOW_CALL_RATE_PERCENT: f64 = 100.0;
const DEFAULT_DURATION: Duration = Duration::from_secs(60);

pub(super) fn write(reader: &mut Reader<'_>, layers: &[&Section<'_>], policy: &mut PolicyBuilder) {
    window(reader, layers, policy);
    for (name, field, default) in [
        ("failureRateThreshold", "breaker.failure_rate", FAILURE_RATE_PERCENT),
        ("slowCallRateThreshold", "breaker.slow_call_rate", SLOW_CALL_RATE_PERCENT),
    ] {
        let value = find(layers, name);
        let percent = value.and_then(|value| reader.number(value)).unwrap_or(default);
        policy.set_or_default(field, Setting::Number(percent / 100.0), value);
    }
    for (name, field) in [
        ("slowCallDurationThreshold", "breaker.slow_call_threshold"),
        ("waitDurationInOpenState", "breaker.timeout"),
    ] {
        let value = find(layers, name);
        let duration = value.and_then(|value| read_time(reader, value)).unwrap_or(DEFAULT_DURATION);
        policy.set_or_default(field, time(duration), value);
    }
    probes(reader, layers, policy);
    // Resilience4j counts every exception.
    policy.set_default("breaker.count_final", Setting::Bool(true));
    if let Some(value) = find(layers, "automaticTransitionFromOpenToHalfOpenEnabled")
        && reader.bool(value) == Some(true)
    {
        reader.unsupported(value, "a breaker turns half open on the next call");
    }
}

fn window(reader: &mut Reader<'_>, layers: &[&Section<'_>], policy: &mut PolicyBuilder) {
    let size = find(layers, "slidingWindowSize");
    let calls = size.and_then(|value| reader.count(value)).unwrap_or(WINDOW_SIZE);
    let minimum = find(layers, "minimumNumberOfCalls");
    let volume = minimum.and_then(|value| reader.count(value)).unwrap_or(MINIMUM_CALLS);
    if is_time_based(reader, find(layers, "slidingWindowType")) {
        policy.set_or_default("breaker.window", time(Duration::from_secs(calls.into())), size);
        policy.set_or_default("breaker.minimum_volume", count(volume), minimum);
    } else {
        policy.set_or_default("breaker.window_calls", count(calls), size);
        // As in Resilience4j: a minimum above the window size would never be reached.
        policy.set_or_default("breaker.minimum_volume", count(volume.min(calls)), minimum);
    }
}

fn is_time_based(reader: &mut Reader<'_>, value: Option<&Value<'_>>) -> bool {
    let kinds = ["COUNT_BASED", "TIME_BASED"];
    value.and_then(|value| reader.one_of(value, &kinds)) == Some("TIME_BASED")
}

fn probes(reader: &mut Reader<'_>, layers: &[&Section<'_>], policy: &mut PolicyBuilder) {
    let value = find(layers, "permittedNumberOfCallsInHalfOpenState");
    let probes = value.and_then(|value| reader.count(value)).unwrap_or(PROBES);
    policy.set_or_default("breaker.probes", count(probes), value);
    policy.set_or_default("breaker.success_threshold", count(probes), value);
    if probes > 1
        && let Some(section) = layers.first()
    {
        let reason = "a breaker closes when all probes succeed; Resilience4j compares their rate";
        let value = value.unwrap_or(&section.value);
        reader.unsupported_part(value, "the half-open failure rate", reason);
    }
}
