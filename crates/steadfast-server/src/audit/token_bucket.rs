//! A token bucket.

use std::time::Duration;

use tokio::time::Instant;

#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    /// The capacity.
    pub(super) burst: u32,
    /// The time to refill one token.
    pub(super) refill_interval: Duration,
}

/// A token bucket, full at first.
pub(super) struct TokenBucket {
    rate: Rate,
    tokens: u32,
    refilled_at: Instant,
}

impl TokenBucket {
    pub(super) const fn new(rate: Rate, now: Instant) -> Self {
        Self { rate, tokens: rate.burst, refilled_at: now }
    }

    pub(super) fn take(&mut self, now: Instant) -> bool {
        self.refill(now);
        let taken = self.tokens > 0;
        self.tokens = self.tokens.saturating_sub(1);
        taken
    }

    pub(super) fn is_full(&mut self, now: Instant) -> bool {
        self.refill(now);
        self.tokens == self.rate.burst
    }

    fn refill(&mut self, now: Instant) {
        let Rate { burst, refill_interval } = self.rate;
        let refills = (now - self.refilled_at).as_nanos() / refill_interval.as_nanos().max(1);
        let refills = u32::try_from(refills).unwrap_or(u32::MAX);
        self.tokens = self.tokens.saturating_add(refills).min(burst);
        self.refilled_at = match self.tokens == burst {
            true => now,
            false => self.refilled_at + refill_interval * refills,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: a burst is followed by one token per interval, however often it is taken.
    #[test]
    fn token_bucket_refills_at_its_rate() {
        let rate = Rate { burst: 3, refill_interval: Duration::from_secs(10) };
        let now = Instant::now();
        let mut bucket = TokenBucket::new(rate, now);
        let mut taken = |seconds: u64| {
            let now = now + Duration::from_secs(seconds);
            (0..100).filter(|_| bucket.take(now)).count()
        };
        assert_eq!((taken(0), taken(9), taken(10), taken(19), taken(45)), (3, 0, 1, 0, 3));
        assert_eq!((taken(54), taken(55)), (0, 1), "a full bucket refills from the last use");
    }
}
