//! gRPC's throttle (proposal A6): failures take tokens, successes give them
//! back in part, and there are no retries while half of them or more are gone.
//!
//! Each draw takes a token whether it is allowed or not, as A6 takes one for
//! each failure: in an outage the throttle sinks to the bottom, and it takes
//! sustained success to come up again, not one lucky call.
//!
//! A6 itself has no clock. A client that has stopped calling could then never
//! retry again, so here a second that passes gives back as much as a success.
//! That makes the throttle one number, as in [`rate`](super::rate): *when it
//! will be full again*. A draw pushes that moment back by the time a token
//! takes, a success pulls it forward by a second.

use crate::Moment;
use crate::guard::sync::{AtomicU64, Ordering};

const SECOND: u64 = 1_000_000_000;

#[derive(Debug)]
pub(super) struct Tokens {
    /// When it is full again.
    full: AtomicU64,
    /// The nanoseconds that one token takes to come back.
    token: u64,
    /// The nanoseconds that all of them take.
    bucket: u64,
}

impl Tokens {
    pub(super) fn new(max_tokens: u32, token_ratio: f64) -> Self {
        let token = ((SECOND as f64 / token_ratio).ceil() as u64).max(1);
        Self { full: AtomicU64::new(0), token, bucket: token.saturating_mul(u64::from(max_tokens)) }
    }

    /// A success found full again in the past changes nothing; one that does
    /// not know the time may pull it there, which means the same.
    pub(super) fn deposit(&self, now: Moment) {
        let _ = self.full.fetch_update(Ordering::AcqRel, Ordering::Acquire, |full| {
            (full > now.as_nanos()).then(|| full.saturating_sub(SECOND))
        });
    }

    pub(super) fn withdraw(&self, now: Moment) -> bool {
        let now = now.as_nanos();
        let empty = now.saturating_add(self.bucket);
        let drawn = |full: u64| full.max(now).checked_add(self.token);
        let before = self.full.fetch_update(Ordering::AcqRel, Ordering::Acquire, |full| {
            // No emptier than empty, and never fuller to one who lags behind.
            Some(drawn(full).unwrap_or(u64::MAX).min(empty).max(full))
        });
        let after = before.ok().and_then(drawn);
        after.is_some_and(|full| full - now < self.half())
    }

    /// What may be missing, and a little more: at half there are no retries.
    fn half(&self) -> u64 {
        self.bucket.div_ceil(2)
    }

    /// Nothing was ever drawn.
    pub(super) fn is_as_new(&self) -> bool {
        self.full.load(Ordering::Acquire) == 0
    }

    pub(super) fn balance(&self, now: Moment) -> u64 {
        let missing = self.full.load(Ordering::Acquire).saturating_sub(now.as_nanos());
        let spare = self.half().saturating_sub(1);
        spare.saturating_sub(missing) / self.token
    }
}
