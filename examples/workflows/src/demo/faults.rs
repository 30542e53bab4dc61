//! What the shop does with a call: what goes wrong depends on the seed, the order and the step,
//! and on nothing else. So it is known beforehand how each order must end, whoever is killed.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use fastrand::Rng;

/// One call, as the shop sees it.
#[derive(Clone, Copy, Debug)]
pub struct Call<'c> {
    /// What is asked for.
    pub step: &'c str,
    /// For which order.
    pub order: u64,
    /// Which execution of the order asks, from 1: another execution has other keys.
    pub execution: usize,
    /// Which call under this key it is, from 1.
    pub nth: usize,
    /// Which call of this step for this order it is under any key, from 1.
    pub ever: usize,
}

/// What it gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// What it asked for.
    Done,
    /// A status that says no.
    Status(u16),
    /// 429, and when to come back.
    TooMany,
    /// What it asked for, but only when nobody waits any more.
    Slow,
}

/// How an order must end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Its first execution completes.
    Completes,
    /// The card is declined (402): it fails, and nothing is tried again.
    Declined,
    /// Nobody ships (503) while its first execution tries: that one fails, and the next completes.
    CompletesLater,
}

/// How this order must end.
#[must_use]
pub const fn fate(order: u64) -> Fate {
    match order % 40 {
        7 => Fate::Declined,
        23 => Fate::CompletesLater,
        _ => Fate::Completes,
    }
}

/// What this call gets.
#[must_use]
pub fn answer(seed: u64, call: Call<'_>) -> Answer {
    match (call.step, fate(call.order)) {
        // Away for three weeks: twice asked in vain.
        ("partner", _) if call.ever <= 2 => Answer::Status(503),
        ("charge", Fate::Declined) => Answer::Status(402),
        ("ship", Fate::CompletesLater) if call.execution == 1 => Answer::Status(503),
        ("partner" | "invoice", _) => Answer::Done,
        _ => by_chance(seed, call),
    }
}

/// Every third step goes wrong before it goes well, once to three times.
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
