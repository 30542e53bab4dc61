//! A token bucket that refills with time: a number of retries per second.
//!
//! A token count and the time of the last refill would be two numbers that must change together.
//! Instead the bucket is one number, *the time at which it is full again*: a retry moves that time
//! forward by the refill time of one token, and is allowed while it stays within the refill time of
//! the whole bucket. One number needs one compare-and-swap, and time needs no update at all.

use crate::Moment;
use crate::guard::sync::{AtomicU64, Ordering};

const NANOS_PER_SECOND: f64 = 1e9;

#[derive(Debug)]
pub(super) struct Rate {
    /// When the bucket is full again, in nanoseconds.
    full_at: AtomicU64,
    /// The refill time of one token in nanoseconds, rounded up so that the rate is never exceeded.
    token: u64,
    /// The refill time of the whole bucket in nanoseconds: the tokens of one second, but at least
    /// one.
    bucket: u64,
}

impl Rate {
    pub(super) fn new(per_second: f64) -> Self {
        let token = ((NANOS_PER_SECOND / per_second).ceil() as u64).max(1);
        let tokens = (per_second as u64).max(1);
        Self { full_at: AtomicU64::new(0), token, bucket: token.saturating_mul(tokens) }
    }

    pub(super) fn withdraw(&self, now: Moment) -> bool {
        let now = now.as_nanos();
        let withdrawn = |full_at: u64| {
            let full_at = full_at.max(now).checked_add(self.token)?;
            (full_at - now <= self.bucket).then_some(full_at)
        };
        self.full_at.fetch_update(Ordering::AcqRel, Ordering::Acquire, withdrawn).is_ok()
    }

    /// Whether nothing was ever withdrawn.
    pub(super) fn is_pristine(&self) -> bool {
        self.full_at.load(Ordering::Acquire) == 0
    }

    pub(super) fn balance(&self, now: Moment) -> u64 {
        let missing = self.full_at.load(Ordering::Acquire).saturating_sub(now.as_nanos());
        self.bucket.saturating_sub(missing) / self.token
    }
}
