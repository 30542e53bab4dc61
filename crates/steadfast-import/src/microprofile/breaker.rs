//! `@CircuitBreaker`: a rolling window of so many calls, which must be full.

use std::time::Duration;

use super::retry::is_on;
use super::settings::{BREAKER, Settings, Target};
use crate::new_policy::{NewPolicy, count, time};
use crate::reader::Reader;
use steadfast::policy::Setting;

const VOLUME: u32 = 20;
const RATIO: f64 = 0.5;
const DELAY: Duration = Duration::from_secs(5);
const SUCCESSES: u32 = 1;

pub(super) fn write(
    reader: &mut Reader<'_>,
    settings: &Settings<'_>,
    target: &Target,
    policy: &mut NewPolicy,
) {
    if !settings.names(target, &[BREAKER]) || !is_on(reader, settings, target, BREAKER) {
        return;
    }
    let volume = settings.find(target, BREAKER, "requestVolumeThreshold");
    let calls = volume.and_then(|value| reader.count(value)).unwrap_or(VOLUME);
    policy.put("breaker.window_calls", count(calls), volume);
    policy.put("breaker.minimum_volume", count(calls), volume);
    let ratio = settings.find(target, BREAKER, "failureRatio");
    let rate = ratio.and_then(|value| reader.number(value)).unwrap_or(RATIO);
    policy.put("breaker.failure_rate", Setting::Number(rate), ratio);
    let delay = settings.time(reader, target, BREAKER, ["delay", "delayUnit"]);
    let (timeout, from) = delay.map_or((DELAY, None), |(time, from)| (time, Some(from)));
    policy.put("breaker.timeout", time(timeout), from);
    let threshold = settings.find(target, BREAKER, "successThreshold");
    let successes = threshold.and_then(|value| reader.count(value)).unwrap_or(SUCCESSES);
    policy.put("breaker.probes", count(successes), threshold);
    policy.put("breaker.success_threshold", count(successes), threshold);
    // Every exception counts there.
    policy.default("breaker.count_final", Setting::Bool(true));
}
