//! Backoff formulas of other systems, converted to those of a policy.
//!
//! A policy caps its delays at a minute by default, and its delays never shrink. Other systems have
//! no cap, or shrinking or Fibonacci delays; those are computed here and written as numbers.

use std::time::Duration;

use steadfast::policy::Setting;

use super::policy_builder::{PolicyBuilder, time};
use super::value::Read;

/// The delay that represents "unlimited": a hundred years.
pub(super) const UNBOUNDED: Duration = Duration::from_secs(100 * 365 * 86_400);

/// The most delays of a computed schedule; the last one repeats.
const MAX_SCHEDULE_DELAYS: u32 = 1000;

/// An exponential backoff, with the settings that define it.
pub(super) struct Exponential<'t> {
    pub(super) base: Read<'t, Duration>,
    pub(super) multiplier: Read<'t, f64>,
    pub(super) cap: Read<'t, Option<Duration>>,
    pub(super) retries: u32,
}

impl Exponential<'_> {
    pub(super) fn write(self, policy: &mut PolicyBuilder) {
        let Self { base, multiplier, cap, retries } = self;
        let (first, factor) = (base.value, multiplier.value);
        // Delays never exceed the cap.
        let capped = |delay: Duration| cap.value.map_or(delay, |cap| delay.min(cap));
        if factor < 1.0 {
            let steps = 0..retries.min(MAX_SCHEDULE_DELAYS);
            return write_schedule(policy, steps.map(|step| capped(delay(first, factor, step))));
        }
        policy.set("backoff_type", "exponential", None);
        policy.put("base_delay", base.map(|base| time(capped(base))));
        policy.put("multiplier", multiplier);
        let last = || max_delay(first, factor, retries);
        policy.put("max_delay", cap.map(|cap| time(cap.unwrap_or_else(last))));
    }
}

/// The last delay, rounded up to a millisecond: a cap that changes no delay.
pub(super) fn max_delay(base: Duration, multiplier: f64, retries: u32) -> Duration {
    let last = delay(base, multiplier, retries.saturating_sub(1));
    let millis = (last.as_secs_f64() * 1000.0 - 1e-6).ceil().max(0.0);
    let rounded = Duration::try_from_secs_f64(millis / 1000.0).unwrap_or(UNBOUNDED);
    rounded.max(base).min(UNBOUNDED)
}

fn delay(base: Duration, multiplier: f64, step: u32) -> Duration {
    let power = multiplier.powi(i32::try_from(step).unwrap_or(i32::MAX));
    Duration::try_from_secs_f64(base.as_secs_f64() * power).unwrap_or(UNBOUNDED)
}

/// The delays 1, 2, 3, 5, 8 … times the first one.
pub(super) fn fibonacci(
    first: Duration,
    cap: Duration,
    retries: u32,
) -> impl Iterator<Item = Duration> {
    let pairs =
        std::iter::successors(Some((1u32, 2u32)), |(a, b)| Some((*b, a.saturating_add(*b))));
    let delays = pairs.map(move |(factor, _)| first.saturating_mul(factor).min(cap));
    delays.take(retries.min(MAX_SCHEDULE_DELAYS) as usize)
}

pub(super) fn write_schedule(policy: &mut PolicyBuilder, delays: impl Iterator<Item = Duration>) {
    let mut delays: Vec<_> = delays.map(time).collect();
    if delays.is_empty() {
        delays.push(time(Duration::ZERO));
    }
    // The last delay repeats anyway.
    while let [.., before, last] = delays.as_slice()
        && before == last
    {
        delays.pop();
    }
    policy.set("backoff_type", "custom", None);
    policy.set("schedule", Setting::List(delays), None);
}
