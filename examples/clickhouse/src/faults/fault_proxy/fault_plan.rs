//! What the proxy does next: nothing, what a test wrote down, or what chance has it.

use std::collections::VecDeque;

use fastrand::Rng;
use tokio::time::Instant;

use super::capacity::{Capacity, Turn};
use super::mischief::Mischief;

/// What is to become of requests.
#[derive(Clone, Debug)]
pub enum Weather {
    /// Every request is passed on.
    Calm,
    /// One after the other, each its own; the rest are passed on.
    Script(VecDeque<Mischief>),
    /// The same for all of them.
    Always(Mischief),
    /// A share of them, by chance, suffers one of [`Mischief::STORM`]; all of them meet a
    /// server of limited capacity.
    Storm {
        /// Chance, the same for the same seed.
        dice: Rng,
        /// Which share of requests suffers.
        share: f64,
        /// What the server can do.
        capacity: Capacity,
    },
}

impl Weather {
    /// What happens to the next requests, one after the other.
    pub fn script(script: impl IntoIterator<Item = Mischief>) -> Self {
        Self::Script(script.into_iter().collect())
    }

    /// A storm in which this share of requests suffers.
    pub fn storm(seed: u64, share: f64) -> Self {
        Self::Storm { dice: Rng::with_seed(seed), share, capacity: Capacity::idle() }
    }

    /// What happens to this request, and when.
    pub(super) fn next(&mut self, is_insert: bool, now: Instant) -> (Mischief, Instant) {
        match self {
            Self::Calm => (Mischief::None, now),
            Self::Always(mischief) => (*mischief, now),
            Self::Script(script) => (script.pop_front().unwrap_or(Mischief::None), now),
            Self::Storm { dice, share, capacity } => match capacity.admit(is_insert, now) {
                Turn::TurnedAway(when) => (Mischief::Answer(503, Some(1)), when),
                Turn::Served(when) if dice.f64() < *share => {
                    (dice.choice(Mischief::STORM).unwrap_or(Mischief::None), when)
                }
                Turn::Served(when) => (Mischief::None, when),
            },
        }
    }
}
