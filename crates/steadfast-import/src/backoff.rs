//! Delays that other systems compute, in the forms that a policy has.
//!
//! A policy caps its delays at a minute unless it is told otherwise, and its delays never
//! shrink. Other systems have no cap, or shrink, or count like Fibonacci; what they
//! come to is known beforehand, so it can be written down.

use std::time::Duration;

use super::new_policy::{NewPolicy, time, word};
use super::value::Value;
use steadfast::policy::Setting;

/// What stands for "without end": no session waits for a hundred years.
pub(super) const ENDLESS: Duration = Duration::from_secs(100 * 365 * 86_400);

/// How many computed delays are written down before the last one repeats.
const MAX_SCHEDULE: u32 = 1000;

/// Delays that grow by a factor, and where each number stands.
pub(super) struct Exponential<'v, 't> {
    pub(super) base: Duration,
    pub(super) multiplier: f64,
    pub(super) cap: Option<Duration>,
    /// How many delays there will be.
    pub(super) retries: u32,
    pub(super) from: [Option<&'v Value<'t>>; 3],
}

impl Exponential<'_, '_> {
    pub(super) fn write(&self, policy: &mut NewPolicy) {
        if self.multiplier < 1.0 {
            return write_schedule(
                policy,
                (0..self.retries.min(MAX_SCHEDULE)).map(|step| self.delay(step)),
            );
        }
        let [base, multiplier, cap] = self.from;
        // A base above the cap is the cap, always.
        let start = self.cap.map_or(self.base, |cap| self.base.min(cap));
        policy.default("backoff_type", word("exponential"));
        policy.put("base_delay", time(start), base);
        policy.put("multiplier", Setting::Number(self.multiplier), multiplier);
        policy.put("max_delay", time(self.cap.unwrap_or_else(|| self.longest())), cap);
    }

    /// The last delay, to the next millisecond: a cap that never cuts.
    pub(super) fn longest(&self) -> Duration {
        let last = self.uncapped(self.retries.saturating_sub(1));
        let millis = (last.as_secs_f64() * 1000.0 - 1e-6).ceil().max(0.0);
        Duration::try_from_secs_f64(millis / 1000.0).unwrap_or(ENDLESS).max(self.base).min(ENDLESS)
    }

    fn delay(&self, step: u32) -> Duration {
        let delay = self.uncapped(step);
        self.cap.map_or(delay, |cap| delay.min(cap))
    }

    fn uncapped(&self, step: u32) -> Duration {
        let power = self.multiplier.powi(i32::try_from(step).unwrap_or(i32::MAX));
        Duration::try_from_secs_f64(self.base.as_secs_f64() * power).unwrap_or(ENDLESS)
    }
}

/// The delays 1, 2, 3, 5, 8 … times the first.
pub(super) fn fibonacci(
    first: Duration,
    cap: Duration,
    retries: u32,
) -> impl Iterator<Item = Duration> {
    let mut pair = (1u32, 2u32);
    (0..retries.min(MAX_SCHEDULE)).map(move |_| {
        let delay = first.saturating_mul(pair.0).min(cap);
        pair = (pair.1, pair.0.saturating_add(pair.1));
        delay
    })
}

pub(super) fn write_schedule(policy: &mut NewPolicy, delays: impl Iterator<Item = Duration>) {
    let mut delays: Vec<_> = delays.map(time).collect();
    if delays.is_empty() {
        delays.push(time(Duration::ZERO));
    }
    // The last one repeats by itself.
    while let [.., before, last] = delays.as_slice()
        && before == last
    {
        delays.pop();
    }
    policy.default("backoff_type", word("custom"));
    policy.default("schedule", Setting::List(delays));
}
