//! Importer for `@Retry` and the backoff annotations.

use std::time::Duration;

use steadfast::policy::Setting;

use super::settings::{EXPONENTIAL, FIBONACCI, RETRY, Settings, Target};
use crate::backoff::{Exponential, UNBOUNDED, fibonacci, write_schedule};
use crate::exception_classes;
use crate::policy_builder::{PolicyBuilder, count, time, word};
use crate::reader::Reader;
use crate::value::Value;

const MAX_RETRIES: u32 = 3;
const JITTER: Duration = Duration::from_millis(200);
const MAX_DURATION: Duration = Duration::from_secs(180);
const FACTOR: f64 = 2.0;
const MAX_DELAY: Duration = Duration::from_secs(60);

pub(super) fn write(
    reader: &mut Reader<'_>,
    settings: &Settings<'_>,
    target: &Target,
    policy: &mut PolicyBuilder,
) {
    if let Some(enabled) = settings.find(target, RETRY, "enabled")
        && let Some(on) = reader.bool(enabled)
        && settings.switched_off().is_none()
    {
        policy.set("enabled", Setting::Bool(on), enabled);
    }
    let retries = max_retries(reader, settings, target, policy);
    delays(reader, settings, target, policy, retries);
    jitter(reader, settings, target, policy);
    let limit = settings.time(reader, target, RETRY, ["maxDuration", "durationUnit"]);
    let (limit, from) = limit.map_or((MAX_DURATION, None), |(time, from)| (time, Some(from)));
    if !limit.is_zero() {
        policy.set_or_default("max_duration", time(limit), from);
    }
    for (member, field) in [("retryOn", "retry_on"), ("abortOn", "abort_on")] {
        if let Some(classes) = settings.find(target, RETRY, member) {
            policy.set(field, exception_classes::rules(reader, classes).setting(), classes);
        }
    }
}

/// Whether an annotation is enabled.
pub(super) fn is_on(
    reader: &mut Reader<'_>,
    settings: &Settings<'_>,
    target: &Target,
    annotation: &str,
) -> bool {
    let enabled = settings.find(target, annotation, "enabled");
    enabled.is_none_or(|value| reader.bool(value) != Some(false))
}

fn max_retries(
    reader: &mut Reader<'_>,
    settings: &Settings<'_>,
    target: &Target,
    policy: &mut PolicyBuilder,
) -> u32 {
    let Some(value) = settings.find(target, RETRY, "maxRetries") else {
        policy.set_default("max_retries", count(MAX_RETRIES));
        return MAX_RETRIES;
    };
    let retries = if value.as_text() == Some("-1") {
        let reason = "a policy has an attempt limit; it gets the largest";
        reader.unsupported_part(value, "unlimited retries", reason);
        u32::MAX - 1
    } else {
        reader.count(value).unwrap_or(MAX_RETRIES).min(u32::MAX - 1)
    };
    policy.set("max_retries", count(retries), value);
    retries
}

fn delays(
    reader: &mut Reader<'_>,
    settings: &Settings<'_>,
    target: &Target,
    policy: &mut PolicyBuilder,
    retries: u32,
) {
    let delay = settings.time(reader, target, RETRY, ["delay", "delayUnit"]);
    let (base, from) = delay.map_or((Duration::ZERO, None), |(time, from)| (time, Some(from)));
    let named = |annotation| settings.mentions(target, &[annotation]);
    if named(FIBONACCI) && is_on(reader, settings, target, FIBONACCI) {
        let (cap, _) = max_delay(reader, settings, target, FIBONACCI, base);
        return write_schedule(policy, fibonacci(base, cap.unwrap_or(UNBOUNDED), retries));
    }
    let named = named(EXPONENTIAL) && is_on(reader, settings, target, EXPONENTIAL);
    if !named && !settings.doubles() {
        policy.set_default("backoff_type", word("fixed"));
        return policy.set_or_default("base_delay", time(base), from);
    }
    let factor = settings.find(target, EXPONENTIAL, "factor");
    let multiplier = factor.and_then(|value| reader.factor(value)).unwrap_or(FACTOR);
    let (cap, cap_from) = max_delay(reader, settings, target, EXPONENTIAL, base);
    let from = [from, factor, cap_from];
    Exponential { base, multiplier, cap, retries, from }.write(policy);
}

/// The cap of the backoff; 0 means unlimited.
fn max_delay<'s, 't>(
    reader: &mut Reader<'_>,
    settings: &'s Settings<'t>,
    target: &Target,
    annotation: &str,
    base: Duration,
) -> (Option<Duration>, Option<&'s Value<'t>>) {
    match settings.time(reader, target, annotation, ["maxDelay", "maxDelayUnit"]) {
        Some((cap, from)) if cap.is_zero() => (None, Some(from)),
        Some((cap, from)) => (Some(cap), Some(from)),
        None => (Some(MAX_DELAY.max(base)), None),
    }
}

/// MicroProfile's jitter goes both ways. With SmallRye's own spelling it is only added.
fn jitter(
    reader: &mut Reader<'_>,
    settings: &Settings<'_>,
    target: &Target,
    policy: &mut PolicyBuilder,
) {
    let jitter = settings.time(reader, target, RETRY, ["jitter", "jitterDelayUnit"]);
    let (limit, from) = jitter.map_or((JITTER, None), |(time, from)| (time, Some(from)));
    policy.set_or_default("jitter", time(limit), from);
    if settings.doubles() || limit.is_zero() {
        return;
    }
    let value = from.or_else(|| settings.first(target));
    if let Some(value) = value {
        let reason = "a policy adds jitter; MicroProfile also subtracts it";
        reader.unsupported_part(value, "downward jitter", reason);
    }
}
