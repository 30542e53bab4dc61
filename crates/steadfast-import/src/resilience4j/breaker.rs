//! Importer for `resilience4j.circuitbreaker`.
//!
//! In half-open state, Resilience4j compares the failure rate of some calls with the threshold. A
//! policy's breaker requires that many probes to succeed; the difference is reported.

use std::time::Duration;

use super::section::{Conversion, spring_duration};
use crate::policy_builder::time;
use crate::reader::Reader;
use crate::value::Value;

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

impl Conversion<'_, '_, '_> {
    pub(super) fn write_breaker(&mut self) {
        self.write_window();
        for (name, field, default) in [
            ("failureRateThreshold", "breaker.failure_rate", FAILURE_RATE_PERCENT),
            ("slowCallRateThreshold", "breaker.slow_call_rate", SLOW_CALL_RATE_PERCENT),
        ] {
            let percent = self.read_or(name, Reader::number, default);
            self.policy.put(field, percent.map(|percent| percent / 100.0));
        }
        for (name, field) in [
            ("slowCallDurationThreshold", "breaker.slow_call_threshold"),
            ("waitDurationInOpenState", "breaker.timeout"),
        ] {
            let duration = self.read_or(name, spring_duration, DEFAULT_DURATION);
            self.policy.put(field, duration.map(time));
        }
        self.write_probes();
        // Resilience4j counts every exception.
        self.policy.set("breaker.count_final", true, None);
        let reason = "a breaker turns half open on the next call";
        self.unsupported_if_on("automaticTransitionFromOpenToHalfOpenEnabled", reason);
    }

    fn write_window(&mut self) {
        let size = self.read_or("slidingWindowSize", Reader::count, WINDOW_SIZE);
        let volume = self.read_or("minimumNumberOfCalls", Reader::count, MINIMUM_CALLS);
        let kind = |reader: &mut Reader<'_>, value: &Value<'_>| {
            reader.one_of(value, &["COUNT_BASED", "TIME_BASED"])
        };
        if self.read_or("slidingWindowType", kind, "COUNT_BASED").value == "TIME_BASED" {
            let window = size.map(|seconds| time(Duration::from_secs(seconds.into())));
            self.policy.put("breaker.window", window);
            self.policy.put("breaker.minimum_volume", volume);
        } else {
            // As in Resilience4j: a minimum above the window size would never be reached.
            let volume = volume.map(|volume| volume.min(size.value));
            self.policy.put("breaker.window_calls", size);
            self.policy.put("breaker.minimum_volume", volume);
        }
    }

    fn write_probes(&mut self) {
        let probes = self.read_or("permittedNumberOfCallsInHalfOpenState", Reader::count, PROBES);
        self.policy.put("breaker.probes", probes.clone());
        self.policy.put("breaker.success_threshold", probes.clone());
        if probes.value > 1
            && let Some(value) = probes.from.as_ref().or(self.layers.first().map(|own| &own.value))
        {
            let reason =
                "a breaker closes when all probes succeed; Resilience4j compares their rate";
            self.reader.unsupported_part(value, "the half-open failure rate", reason);
        }
    }
}
