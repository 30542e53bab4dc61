//! Importer for `resilience4j.retry`.

use std::time::Duration;

use super::section::{Conversion, spring_duration};
use crate::backoff::Exponential;
use crate::exception_classes;
use crate::policy_builder::time;
use crate::reader::Reader;
use crate::value::{Read, Value};
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

impl Conversion<'_, '_, '_> {
    pub(super) fn write_retry(&mut self) {
        let attempts = self.read_or("maxAttempts", Reader::count, MAX_ATTEMPTS);
        let retries = attempts.value.saturating_sub(1);
        self.policy.put("max_attempts", attempts);
        self.write_delays(retries);
        match self.find("retryExceptions") {
            Some(value) if !value.items().is_empty() || value.as_text().is_some() => {
                let rules = exception_classes::rules(self.reader, &value);
                self.policy.set("retry_on", rules, Some(&value));
            }
            // An empty list means every exception.
            _ => self.policy.set("retry_on", Setting::List(vec!["any".into()]), None),
        }
        if let Some(value) = self.find("ignoreExceptions") {
            let rules = exception_classes::rules(self.reader, &value);
            if !rules.is_empty() {
                self.policy.set("abort_on", rules, Some(&value));
            }
        }
        let reason = "giving up is always an error, never the last result";
        self.unsupported_if_on("failAfterMaxAttempts", reason);
    }

    fn write_delays(&mut self, retries: u32) {
        let growing = self.is_on("enableExponentialBackoff");
        let random = self.is_on("enableRandomizedWait");
        let growth = ["exponentialBackoffMultiplier", "exponentialMaxWaitDuration"];
        let Some(wait) = self.find("waitDuration") else {
            let reason = "ignored by Resilience4j without waitDuration";
            self.unsupported(&growth, reason);
            self.unsupported(&["randomizedWaitFactor"], reason);
            self.unsupported_if_on("enableExponentialBackoff", reason);
            self.unsupported_if_on("enableRandomizedWait", reason);
            self.policy.set("backoff_type", "fixed", None);
            return self.policy.set("base_delay", time(WAIT), None);
        };
        let base = self.reader.read_or(Some(wait.clone()), spring_duration, WAIT);
        if growing {
            self.write_exponential(base, retries, random);
        } else {
            self.unsupported(&growth, "ignored by Resilience4j without enableExponentialBackoff");
            self.policy.set("backoff_type", "fixed", None);
            self.policy.put("base_delay", base.map(time));
        }
        if random {
            self.write_jitter(growing);
        } else {
            let reason = "ignored by Resilience4j without enableRandomizedWait";
            self.unsupported(&["randomizedWaitFactor"], reason);
            self.policy.set("jitter", "none", None);
        }
    }

    fn write_exponential(&mut self, base: Read<'_, Duration>, retries: u32, random: bool) {
        let multiplier = self.read_or("exponentialBackoffMultiplier", Reader::factor, MULTIPLIER);
        let mut cap = self.find("exponentialMaxWaitDuration");
        if multiplier.from.is_none() || (random && self.find("randomizedWaitFactor").is_none()) {
            let reason = "ignored by Resilience4j without exponentialBackoffMultiplier, and \
                          without randomizedWaitFactor if the wait is randomized";
            self.unsupported(&["exponentialMaxWaitDuration"], reason);
            cap = None;
        }
        let duration =
            |reader: &mut Reader<'_>, value: &Value<'_>| spring_duration(reader, value).map(Some);
        let cap = self.reader.read_or(cap, duration, None);
        Exponential { base, multiplier, cap, retries }.write(self.policy);
    }

    fn write_jitter(&mut self, growing: bool) {
        let mut factor = self.find("randomizedWaitFactor");
        if growing && self.find("exponentialBackoffMultiplier").is_none() {
            let reason = "ignored by Resilience4j without exponentialBackoffMultiplier";
            self.unsupported(&["randomizedWaitFactor"], reason);
            factor = None;
        }
        let amount = self.reader.read_or(factor, Reader::number, RANDOM_FACTOR);
        self.policy.set("jitter_type", "proportional", None);
        self.policy.put("jitter_amount", amount);
    }
}
