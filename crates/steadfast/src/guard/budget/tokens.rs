//! The token bucket of gRPC's retry throttling (proposal A6): failures take tokens, successes add a
//! part of one, and retries are rejected while half of the tokens or more are gone.
//!
//! Each withdrawal takes a token whether it is allowed or not, as A6 takes one for each failure: in
//! an outage the bucket empties, and it takes sustained success to fill it again, not one lucky
//! call.
//!
//! A6 itself has no clock. A client that has stopped calling could then never retry again, so here a
//! second adds as many tokens as a success. That makes the bucket one number, as in
//! [`rate`](super::rate): *the time at which it is full again*. A withdrawal moves that time forward
//! by the refill time of one token, a success moves it back by a second.

use crate::Moment;
use crate::guard::sync::{AtomicU64, Ordering};

const NANOS_PER_SECOND: u64 = 1_000_000_000;

#[derive(Debug)]
pub(super) struct Tokens {
    /// When the bucket is full again, in nanoseconds.
    full_at: AtomicU64,
    /// The refill time of one token in nanoseconds.
    token: u64,
    /// The refill time of the whole bucket in nanoseconds.
    bucket: u64,
}

impl Tokens {
    pub(super) fn new(max_tokens: u32, token_ratio: f64) -> Self {
        let token = ((NANOS_PER_SECOND as f64 / token_ratio).ceil() as u64).max(1);
        Self {
            full_at: AtomicU64::new(0),
            token,
            bucket: token.saturating_mul(u64::from(max_tokens)),
        }
    }

    /// A deposit into a full bucket changes nothing; a deposit without the time may move `full_at`
    /// into the past, which means the same.
    pub(super) fn deposit(&self, now: Moment) {
        let _ = self.full_at.fetch_update(Ordering::AcqRel, Ordering::Acquire, |full_at| {
            (full_at > now.as_nanos()).then(|| full_at.saturating_sub(NANOS_PER_SECOND))
        });
    }

    pub(super) fn withdraw(&self, now: Moment) -> bool {
        let now = now.as_nanos();
        let empty = now.saturating_add(self.bucket);
        let withdrawn = |full_at: u64| full_at.max(now).checked_add(self.token);
        let before = self.full_at.fetch_update(Ordering::AcqRel, Ordering::Acquire, |full_at| {
            // Not below empty, and never fuller for a caller with an older time.
            Some(withdrawn(full_at).unwrap_or(u64::MAX).min(empty).max(full_at))
        });
        let after = before.ok().and_then(withdrawn);
        after.is_some_and(|full_at| full_at - now < self.half())
    }

    /// The refill time of half of the bucket: from there on retries are rejected.
    fn half(&self) -> u64 {
        self.bucket.div_ceil(2)
    }

    /// Whether nothing was ever withdrawn.
    pub(super) fn is_pristine(&self) -> bool {
        self.full_at.load(Ordering::Acquire) == 0
    }

    pub(super) fn balance(&self, now: Moment) -> u64 {
        let missing = self.full_at.load(Ordering::Acquire).saturating_sub(now.as_nanos());
        let spare = self.half().saturating_sub(1);
        spare.saturating_sub(missing) / self.token
    }
}
