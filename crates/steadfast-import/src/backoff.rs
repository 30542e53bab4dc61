//! Backoff formulas of other systems, converted to those of a policy.
//!
//! A policy caps its delays at a minute by default, and its delays never shrink. Other systems have
//! no cap, or shrinking or Fibonacci delays; those are computed here and written as numbers.

use std::time::Duration;

use steadfast::policy::Setting;

use super::policy_builder::{PolicyBuilder, time, word};
use super::value::Value;

/// The delay that represents "unlimited": a hundred years.
pub(super) const UNBOUNDED: Duration = Duration::from_secs(100 * 365 * 86_400);

/// The most delays of a computed schedule; the last one repeats.
const MAX_SCHEDULE_DELAYS: u32 = 1000;

/// An exponential backoff, with the settings that define it.
pub(super) struct Exponential<'v, 't> {
    pub(super) base: Duration,
    pub(super) multiplier: f64,
    pub(super) cap: Option<Duration>,
    pub(super) retries: u32,
    pub(super) from: [Option<&'v Value<'t>>; 3],
}

impl Exponential<'_, '_> {
    pub(super) fn write(&self, policy: &mut PolicyBuilder) {
        if self.multiplier < 1.0 {
            return write_schedule(
                policy,
                (0..self.retries.min(MAX_SCHEDULE_DELAYS)).map(|step| self.delay(step)),
            );
        }
        let [base, multiplier, cap] = self.from;
        // Delays never exceed the cap.
        let start = self.cap.map_or(self.base, |cap| self.base.min(cap));
        policy.set_default("backoff_type", word("exponential"));
        policy.set_or_default("base_delay", time(start), base);
        policy.set_or_default("multiplier", Setting::Number(self.multiplier), multiplier);
        policy.set_or_default("max_delay", time(self.cap.unwrap_or_else(|| self.max_delay())), cap);
    }

    /// The last delay, rounded up to a millisecond: a cap that changes no delay.
    pub(super) fn max_delay(&self) -> Duration {
        let last = self.uncapped(self.retries.saturating_sub(1));
        let millis = (last.as_secs_f64() * 1000.0 - 1e-6).ceil().max(0.0);
        Duration::try_from_secs_f64(millis / 1000.0)
            .unwrap_or(UNBOUNDED)
            .max(self.base)
            .min(UNBOUNDED)
    }

    fn delay(&self, step: u32) -> Duration {
        let delay = self.uncapped(step);
        self.cap.map_or(delay, |cap| delay.min(cap))
    }

    fn uncapped(&self, step: u32) -> Duration {
        let power = self.multiplier.powi(i32::try_from(step).unwrap_or(i32::MAX));
        Duration::try_from_secs_f64(self.base.as_secs_f64() * power).unwrap_or(UNBOUNDED)
    }
}

/// The delays 1, 2, 3, 5, 8 … times the first one.
pub(super) fn fibonacci(
    first: Duration,
    cap: Duration,
    retries: u32,
) -> impl Iterator<Item = Duration> {
    let mut pair = (1u32, 2u32);
    (0..retries.min(MAX_SCHEDULE_DELAYS)).map(move |_| {
        let delay = first.saturating_mul(pair.0).min(cap);
        pair = (pair.1, pair.0.saturating_add(pair.1));
        delay
    })
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
    policy.set_default("backoff_type", word("custom"));
    policy.set_default("schedule", Setting::List(delays));
}
