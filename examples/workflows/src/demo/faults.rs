//! The faults of the order service.
//!
//! They depend only on the seed, the order and the step, so the expected end of each order is known in
//! advance, whichever instances are killed.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use fastrand::Rng;

/// One call of the order service.
#[derive(Clone, Copy, Debug)]
pub struct Call<'c> {
    /// The step.
    pub step: &'c str,
    /// The order.
    pub order: u64,
    /// The number of the execution of the order, from 1: each has its own keys.
    pub execution: usize,
    /// The number of the call under this key, from 1.
    pub nth: usize,
    /// The number of the call of this step for this order under any key, from 1.
    pub ever: usize,
}

/// The response to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Success.
    Done,
    /// An error status.
    Status(u16),
    /// 429 with `Retry-After`.
    TooMany,
    /// Success, but after the caller's timeout.
    Slow,
}

/// The expected end of an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Its first execution completes.
    Completes,
    /// The card is declined (402): its execution fails without a retry.
    Declined,
    /// The shipper is unavailable (503) for its first execution, which fails; the next completes.
    CompletesLater,
}

/// The expected end of this order.
#[must_use]
pub const fn fate(order: u64) -> Fate {
    match order % 40 {
        7 => Fate::Declined,
        23 => Fate::CompletesLater,
        _ => Fate::Completes,
    }
}

/// The response to this call.
#[must_use]
pub fn answer(seed: u64, call: Call<'_>) -> Answer {
    match (call.step, fate(call.order)) {
        // Down for three weeks: the first two calls fail.
        ("partner", _) if call.ever <= 2 => Answer::Status(503),
        ("charge", Fate::Declined) => Answer::Status(402),
        ("ship", Fate::CompletesLater) if call.execution == 1 => Answer::Status(503),
        ("partner" | "invoice", _) => Answer::Done,
        _ => by_chance(seed, call),
    }
}

/// A third of the steps fail one to three times before they succeed.
fn by_chance(seed: u64, call: Call<'_>) -> Answer {
    let mut hasher = DefaultHasher::new();
    (seed, call.step, call.order, call.execution).hash(&mut hasher);
    let mut chance = Rng::with_seed(hasher.finish());
    let times = chance.choice([0, 0, 0, 0, 0, 0, 1, 2, 3]).unwrap_or(0);
    let faults = [Answer::Status(500), Answer::Status(503), Answer::Status(408), Answer::TooMany];
    let mut script = (0..times).map(|_| match chance.u8(..33) {
        0 => Answer::Slow,
        other => faults.get(usize::from(other) % faults.len()).copied().unwrap_or(Answer::Done),
    });
    script.nth(call.nth - 1).unwrap_or(Answer::Done)
}
