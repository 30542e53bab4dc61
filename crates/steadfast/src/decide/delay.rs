//! The delay before a retry: backoff and jitter (P3, P4).
//!
//! Everything saturates: attempt 10 000 of a tenfold backoff is the cap, never a
//! zero, an overflow or a panic. Delays are integers of nanoseconds; only a
//! multiplier other than two and a jitter of less than full strength need
//! floating point.

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
        let step = retry.saturating_sub(1);
        let delay = match self.backoff_type {
            BackoffType::Exponential => self.exponential(step),
            BackoffType::Linear => {
                self.base.saturating_add(self.increment.saturating_mul(u64::from(step)))
            }
            BackoffType::Fixed | BackoffType::Immediate => self.base,
            BackoffType::Custom => self.scheduled(step),
        };
        delay.min(self.cap)
    }

    #[inline(always)]
    fn exponential(&self, step: u32) -> u64 {
        if self.multiplier == 2.0 {
            return doubled(self.base, step);
        }
        self.multiplied(step)
    }

    #[cold]
    fn multiplied(&self, step: u32) -> u64 {
        if self.base == 0 {
            return 0;
        }
        let power = self.multiplier.powi(i32::try_from(step).unwrap_or(i32::MAX));
        // The cast saturates, infinity included.
        (self.base as f64 * power + 0.5) as u64
    }

    #[cold]
    fn scheduled(&self, step: u32) -> u64 {
        let schedule = self.schedule.as_deref().unwrap_or_default();
        let delay = schedule.get(step as usize).or(schedule.last());
        delay.map_or(self.base, |delay| saturating_nanos(*delay))
    }

    #[inline(always)]
    fn jittered(&self, delay: u64, previous: &mut u64, draw: impl FnOnce() -> u64) -> u64 {
        let drawn = match self.jitter {
            Jitter::None => return delay,
            Jitter::Full => uniform(0, delay, draw()),
            Jitter::Equal => uniform(delay / 2, delay, draw()),
            Jitter::Decorrelated => self.decorrelated(previous, draw()),
            Jitter::Additive(max) => {
                return delay.saturating_add(uniform(0, saturating_nanos(max), draw()));
            }
        };
        if self.jitter_amount == 1.0 {
            return drawn;
        }
        self.weakened(delay, drawn)
    }

    #[cold]
    fn decorrelated(&self, previous: &mut u64, draw: u64) -> u64 {
        let last = (*previous).max(self.base);
        let drawn = uniform(self.base, last.saturating_mul(3), draw).min(self.cap);
        *previous = drawn;
        drawn
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

#[inline]
fn doubled(base: u64, times: u32) -> u64 {
    if times > base.leading_zeros() {
        return if base == 0 { 0 } else { u64::MAX };
    }
    base.checked_shl(times).unwrap_or(0)
}

/// The value at `draw`/2⁶⁴ of the range from `low` to `high`, both inclusive.
#[inline]
fn uniform(low: u64, high: u64, draw: u64) -> u64 {
    let (span, draw) = (u128::from(high.saturating_sub(low)), u128::from(draw));
    low + ((span * draw + draw) >> 64) as u64
}
