//! The delay before a retry: backoff and jitter (P3, P4).
//!
//! Everything saturates: attempt 10 000 of a tenfold backoff is the cap, never a
//! zero, an overflow or a panic. Delays are integers of nanoseconds; only a
//! multiplier other than two, an overflow and a jitter of less than full strength
//! need floating point.

use std::time::Duration;

use crate::policy::{BackoffType, Jitter, Timing};
use crate::time::saturating_nanos;

impl Timing {
    /// The delay before retry number `retry` (from 1), before jitter.
    #[must_use]
    pub fn base_delay(&self, retry: u32) -> Duration {
        Duration::from_nanos(self.capped(retry))
    }

    /// The delay before retry number `retry` (from 1).
    ///
    /// `draw` is the randomness, as a fraction of 2⁶⁴; `previous` is what the last call left
    /// there (0 at first), for decorrelated jitter.
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::{Jitter, Policy};
    ///
    /// let policy = Policy::exponential(Duration::from_secs(1)).jitter(Jitter::Full).build()?;
    /// let delay = policy.timing().delay(3, &mut 0, u64::MAX / 2);
    /// assert_eq!(delay.as_secs_f64().round(), 2.0, "half of four seconds");
    /// # Ok::<(), steadfast::policy::PolicyError>(())
    /// ```
    #[must_use]
    #[inline]
    pub fn delay(&self, retry: u32, previous: &mut u64, draw: u64) -> Duration {
        Duration::from_nanos(self.nanos(retry, previous, || draw))
    }

    /// The same in nanoseconds. `draw` is called only if the timing has jitter.
    #[inline(always)]
    pub(super) fn nanos(&self, retry: u32, previous: &mut u64, draw: impl FnOnce() -> u64) -> u64 {
        self.jittered(self.capped(retry), previous, draw)
    }

    #[inline(always)]
    fn capped(&self, retry: u32) -> u64 {
        // Retry 0 wraps, and is left to the general case.
        let step = retry.wrapping_sub(1);
        let delay = if step < self.doublings { self.base << step } else { self.not_doubled(retry) };
        delay.max(self.floor).min(self.cap)
    }

    /// The delay before limits, unless it is a doubled base: that is the common case, which is
    /// worth two instructions instead of thirty.
    #[cold]
    fn not_doubled(&self, retry: u32) -> u64 {
        let step = retry.saturating_sub(1);
        match self.backoff_type {
            BackoffType::Exponential => self.multiplied(step),
            BackoffType::Linear => {
                self.base.saturating_add(self.increment.saturating_mul(u64::from(step)))
            }
            BackoffType::Fibonacci => self.base.saturating_mul(fibonacci(retry)),
            BackoffType::Fixed | BackoffType::Immediate => self.base,
            BackoffType::Custom => self.scheduled(step),
        }
    }

    fn multiplied(&self, step: u32) -> u64 {
        if self.base == 0 {
            return 0;
        }
        let power = self.multiplier.powi(i32::try_from(step).unwrap_or(i32::MAX));
        // The cast saturates, infinity included.
        (self.base as f64 * power + 0.5) as u64
    }

    fn scheduled(&self, step: u32) -> u64 {
        let schedule = self.schedule.as_deref().unwrap_or_default();
        let delay = schedule.get(step as usize).or(schedule.last());
        delay.map_or(self.base, |delay| saturating_nanos(*delay))
    }

    #[inline(always)]
    fn jittered(&self, delay: u64, previous: &mut u64, draw: impl FnOnce() -> u64) -> u64 {
        // The common cases first: the jump table of the others costs eight instructions.
        if self.is_full_jitter {
            return uniform(0, delay, draw()).max(self.floor);
        }
        if matches!(self.jitter, Jitter::None) {
            return delay;
        }
        let (jittered, last) = self.jittered_otherwise(delay, *previous, draw());
        *previous = last;
        jittered
    }

    /// The delay, and the new previous one. Returned, because a reference to the previous one would
    /// have it in memory in the common cases, too.
    #[cold]
    #[inline(never)]
    fn jittered_otherwise(&self, delay: u64, mut previous: u64, draw: u64) -> (u64, u64) {
        let drawn = match self.jitter {
            Jitter::None => return (delay, previous),
            Jitter::Proportional => return (self.proportional(delay, draw), previous),
            Jitter::Additive(max) => {
                let addition = uniform(0, saturating_nanos(max), draw);
                return (delay.saturating_add(addition), previous);
            }
            Jitter::Full => uniform(0, delay, draw),
            Jitter::Equal => uniform(delay / 2, delay, draw),
            Jitter::Decorrelated => self.decorrelated(&mut previous, draw),
        };
        let drawn = if self.jitter_amount == 1.0 { drawn } else { self.weakened(delay, drawn) };
        (drawn.max(self.floor), previous)
    }

    fn decorrelated(&self, previous: &mut u64, draw: u64) -> u64 {
        let last = (*previous).max(self.base);
        let drawn = uniform(self.base, last.saturating_mul(3), draw).min(self.cap);
        *previous = drawn;
        drawn
    }

    /// U(d − amount·d, d + amount·d). The cap limits the range and not the draw, so that capped
    /// delays are spread, too.
    fn proportional(&self, delay: u64, draw: u64) -> u64 {
        let spread = (delay as f64 * self.jitter_amount) as u64;
        let low = delay.saturating_sub(spread).max(self.floor);
        uniform(low, delay.saturating_add(spread).min(self.cap), draw)
    }

    /// d − amount·(d − J), where J may lie above d.
    #[cold]
    fn weakened(&self, delay: u64, drawn: u64) -> u64 {
        let change = |by: u64| (by as f64 * self.jitter_amount) as u64;
        if drawn <= delay {
            return delay - change(delay - drawn).min(delay);
        }
        delay.saturating_add(change(drawn - delay)).min(self.cap)
    }
}

/// The nth number of the Fibonacci sequence 1, 1, 2, 3, 5, 8 …, or the largest `u64`.
fn fibonacci(n: u32) -> u64 {
    /// Where the sequence leaves the range of `u64`.
    const OVERFLOW: u32 = 94;
    let (mut current, mut next) = (0_u64, 1_u64);
    for _ in 0..n.clamp(1, OVERFLOW) {
        (current, next) = (next, current.saturating_add(next));
    }
    current
}

/// The value at `draw`/2⁶⁴ of the range from `low` to `high`, both inclusive.
#[inline]
pub(super) fn uniform(low: u64, high: u64, draw: u64) -> u64 {
    let product = u128::from(high.saturating_sub(low)) * u128::from(draw);
    // The carry by itself: as one sum of 128 bits it takes twice as many instructions.
    let (_, carry) = (product as u64).overflowing_add(draw);
    low + (product >> 64) as u64 + u64::from(carry)
}
