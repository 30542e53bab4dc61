//! Importer for `@CircuitBreaker`: a rolling window of calls that must be full.

use std::time::Duration;

use steadfast::policy::Setting;

use super::retry::is_on;
use super::settings::{BREAKER, Settings, Target};
use crate::policy_builder::{PolicyBuilder, count, time};
use crate::reader::Reader;

const VOLUME: u32 = 20;
const RATIO: f64 = 0.5;
const DELAY: Duration = Duration::from_secs(5);
const SUCCESSES: u32 = 1;

pub(super) fn write(
    reader: &mut Reader<'_>,
    settings: &Settings<'_>,
    target: &Target,
    policy: &mut PolicyBuilder,
) {
    if !settings.mentions(target, &[BREAKER]) || !is_on(reader, settings, target, BREAKER) {
        return;
    }
    let volume = settings.find(target, BREAKER, "requestVolumeThreshold");
    let calls = volume.and_then(|value| reader.count(value)).unwrap_or(VOLUME);
    policy.set_or_default("breaker.window_calls", count(calls), volume);
    policy.set_or_default("breaker.minimum_volume", count(calls), volume);
    let ratio = settings.find(target, BREAKER, "failureRatio");
    let rate = ratio.and_then(|value| reader.number(value)).unwrap_or(RATIO);
    policy.set_or_default("breaker.failure_rate", Setting::Number(rate), ratio);
    let delay = settings.time(reader, target, BREAKER, ["delay", "delayUnit"]);
    let (timeout, from) = delay.map_or((DELAY, None), |(time, from)| (time, Some(from)));
    policy.set_or_default("breaker.timeout", time(timeout), from);
    let threshold = settings.find(target, BREAKER, "successThreshold");
    let successes = threshold.and_then(|value| reader.count(value)).unwrap_or(SUCCESSES);
    policy.set_or_default("breaker.probes", count(successes), threshold);
    policy.set_or_default("breaker.success_threshold", count(successes), threshold);
    // MicroProfile counts every exception.
    policy.set_default("breaker.count_final", Setting::Bool(true));
}
