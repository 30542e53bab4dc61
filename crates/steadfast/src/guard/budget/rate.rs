//! So many retries a second: a bucket that fills with time.
//!
//! A bucket of tokens and the moment it was last filled are two numbers that
//! must change together. Told as one it is *when the bucket will be full
//! again*: a retry pushes that moment back by the time one token takes to
//! fill, and is allowed if it stays within the time the whole bucket takes.
//! One number, one compare-and-swap, and time needs no step of its own.

use crate::Moment;
use crate::guard::sync::{AtomicU64, Ordering};

const SECOND: f64 = 1e9;

#[derive(Debug)]
pub(super) struct Rate {
    /// When it is full again.
    full: AtomicU64,
    /// The nanoseconds that one token takes to fill, rounded up, so that there
    /// is never more than was promised.
    token: u64,
    /// The nanoseconds that the whole bucket takes: a second's worth of tokens,
    /// but at least one.
    bucket: u64,
}

impl Rate {
    pub(super) fn new(per_second: f64) -> Self {
        let token = ((SECOND / per_second).ceil() as u64).max(1);
        let tokens = (per_second as u64).max(1);
        Self { full: AtomicU64::new(0), token, bucket: token.saturating_mul(tokens) }
    }

    pub(super) fn withdraw(&self, now: Moment) -> bool {
        let now = now.as_nanos();
        let drawn = |full: u64| {
            let full = full.max(now).checked_add(self.token)?;
            (full - now <= self.bucket).then_some(full)
        };
        self.full.fetch_update(Ordering::AcqRel, Ordering::Acquire, drawn).is_ok()
    }

    /// Nothing was ever drawn.
    pub(super) fn is_as_new(&self) -> bool {
        self.full.load(Ordering::Acquire) == 0
    }

    pub(super) fn balance(&self, now: Moment) -> u64 {
        let missing = self.full.load(Ordering::Acquire).saturating_sub(now.as_nanos());
        self.bucket.saturating_sub(missing) / self.token
    }
}
