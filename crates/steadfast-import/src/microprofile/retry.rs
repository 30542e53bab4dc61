//! Importer for `@Retry` and the backoff annotations.

use std::time::Duration;

use super::settings::{Conversion, EXPONENTIAL, FIBONACCI, RETRY};
use crate::backoff::{Exponential, UNBOUNDED, fibonacci, write_schedule};
use crate::exception_classes;
use crate::policy_builder::time;
use crate::reader::Reader;
use crate::value::{Read, Value};

const MAX_RETRIES: u32 = 3;
const JITTER: Duration = Duration::from_millis(200);
const MAX_DURATION: Duration = Duration::from_secs(180);
const FACTOR: f64 = 2.0;
const MAX_DELAY: Duration = Duration::from_secs(60);

impl<'t> Conversion<'_, '_, 't> {
    pub(super) fn write_retry(&mut self) {
        let enabled = self.reader.read(self.find(RETRY, "enabled"), Reader::bool);
        if let Some(enabled) = enabled.filter(|_| self.settings.off.is_none()) {
            self.policy.put("enabled", enabled);
        }
        let retries = self.read_or(RETRY, "maxRetries", max_retries, MAX_RETRIES);
        self.policy.put("max_retries", retries.clone());
        self.write_delays(retries.value);
        self.write_jitter();
        let limit = self.time_or(RETRY, ["maxDuration", "durationUnit"], MAX_DURATION);
        if !limit.value.is_zero() {
            self.policy.put("max_duration", limit.map(time));
        }
        for (member, field) in [("retryOn", "retry_on"), ("abortOn", "abort_on")] {
            if let Some(classes) = self.find(RETRY, member) {
                let rules = exception_classes::rules(self.reader, &classes);
                self.policy.set(field, rules, Some(&classes));
            }
        }
    }

    fn write_delays(&mut self, retries: u32) {
        let base = self.time_or(RETRY, ["delay", "delayUnit"], Duration::ZERO);
        if self.has(FIBONACCI) {
            let cap = self.max_delay(FIBONACCI, base.value).value.unwrap_or(UNBOUNDED);
            return write_schedule(self.policy, fibonacci(base.value, cap, retries));
        }
        if !self.has(EXPONENTIAL) && !self.settings.doubles {
            self.policy.set("backoff_type", "fixed", None);
            return self.policy.put("base_delay", base.map(time));
        }
        let multiplier = self.read_or(EXPONENTIAL, "factor", Reader::factor, FACTOR);
        let cap = self.max_delay(EXPONENTIAL, base.value);
        Exponential { base, multiplier, cap, retries }.write(self.policy);
    }

    /// The cap of the backoff; 0 means unlimited.
    fn max_delay(&mut self, annotation: &str, base: Duration) -> Read<'t, Option<Duration>> {
        let cap = self.time_or(annotation, ["maxDelay", "maxDelayUnit"], MAX_DELAY.max(base));
        cap.map(|cap| (!cap.is_zero()).then_some(cap))
    }

    /// MicroProfile's jitter goes both ways. With SmallRye's own spelling it is only added.
    fn write_jitter(&mut self) {
        let jitter = self.time_or(RETRY, ["jitter", "jitterDelayUnit"], JITTER);
        if !self.settings.doubles
            && !jitter.value.is_zero()
            && let Some(value) = jitter.from.as_ref().or(self.settings.first(self.target))
        {
            let reason = "a policy adds jitter; MicroProfile also subtracts it";
            self.reader.unsupported_part(value, "downward jitter", reason);
        }
        self.policy.put("jitter", jitter.map(time));
    }
}

fn max_retries(reader: &mut Reader<'_>, value: &Value<'_>) -> Option<u32> {
    if value.as_text() == Some("-1") {
        let reason = "a policy has an attempt limit; it gets the largest";
        reader.unsupported_part(value, "unlimited retries", reason);
        return Some(u32::MAX - 1);
    }
    reader.count(value).map(|retries| retries.min(u32::MAX - 1))
}
