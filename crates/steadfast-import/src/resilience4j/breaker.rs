//! Importer for `resilience4j.circuitbreaker`.
//!
//! In half-open state, Resilience4j compares the failure rate of some calls with the threshold: as
//! many of them must succeed as keep the rate below it.

use std::time::Duration;

use super::section::{Conversion, spring_duration};
use crate::policy_builder::time;
use crate::reader::Reader;
use crate::value::Value;

pub(super) const SETTINGS: [&str; 10] = [
    "slidingWindowType",
    "slidingWindowSize",
    "minimumNumberOfCalls",
    "failureRateThreshold",
    "slowCallRateThreshold",
    "slowCallDurationThreshold",
    "waitDurationInOpenState",
    "permittedNumberOfCallsInHalfOpenState",
    "automaticTransitionFromOpenToHalfOpenEnabled",
    "initialState",
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
        let percent = self.read_or("failureRateThreshold", Reader::number, FAILURE_RATE_PERCENT);
        let failure_rate = percent.value / 100.0;
        self.policy.put("breaker.failure_rate", percent.map(|percent| percent / 100.0));
        let slow = self.read_or("slowCallRateThreshold", Reader::number, SLOW_CALL_RATE_PERCENT);
        self.policy.put("breaker.slow_call_rate", slow.map(|percent| percent / 100.0));
        for (name, field) in [
            ("slowCallDurationThreshold", "breaker.slow_call_threshold"),
            ("waitDurationInOpenState", "breaker.timeout"),
        ] {
            let duration = self.read_or(name, spring_duration, DEFAULT_DURATION);
            self.policy.put(field, duration.map(time));
        }
        self.write_probes(failure_rate);
        self.write_initial_state();
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

    fn write_probes(&mut self, failure_rate: f64) {
        let probes = self.read_or("permittedNumberOfCallsInHalfOpenState", Reader::count, PROBES);
        self.policy.put("breaker.probes", probes.clone());
        let successes = probes.clone().map(|calls| required_successes(calls, failure_rate));
        self.policy.put("breaker.success_threshold", successes);
        if probes.value > 1 {
            let reason =
                "a slow probe counts as failed; Resilience4j compares the rate of slow ones";
            let slow = self.find("slowCallDurationThreshold");
            if let Some(value) = slow.or_else(|| self.find("slowCallRateThreshold")) {
                self.reader.unsupported_part(&value, "slow probes", reason);
            }
        }
        self.policy.put("breaker.half_open_calls", probes);
    }

    fn write_initial_state(&mut self) {
        let Some(value) = self.find("initialState") else {
            return;
        };
        let names = ["CLOSED", "OPEN", "DISABLED", "FORCED_OPEN", "METRICS_ONLY"];
        match self.reader.one_of(&value, &names) {
            Some(name @ ("CLOSED" | "OPEN" | "DISABLED")) => {
                let name = name.to_lowercase();
                self.policy.set("breaker.initial_state", name.as_str(), Some(&value));
            }
            Some(_) => {
                let reason = "a breaker starts closed, open or disabled; isolate it by hand";
                self.reader.unsupported(&value, reason);
            }
            None => {}
        }
    }
}

/// How many of the half-open calls must succeed for a failure rate below this one.
pub(super) fn required_successes(calls: u32, failure_rate: f64) -> u32 {
    // Without the rounding error of a product such as 0.55 · 100.
    let failures = (f64::from(calls) * failure_rate - 1e-9).ceil().clamp(1.0, f64::from(calls));
    calls - failures as u32 + 1
}
