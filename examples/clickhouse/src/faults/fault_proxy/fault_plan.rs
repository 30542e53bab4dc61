//! The plan of the proxy: no faults, scripted faults, or random ones.

use std::collections::VecDeque;

use fastrand::Rng;
use tokio::time::Instant;

use super::capacity::{Capacity, Turn};
use super::injected_fault::InjectedFault;

/// What is to become of requests.
#[derive(Clone, Debug)]
pub enum FaultPlan {
    /// Every request is passed on.
    Passthrough,
    /// One after the other, each its own; the rest are passed on.
    Script(VecDeque<InjectedFault>),
    /// The same for all of them.
    Always(InjectedFault),
    /// A share of them, by chance, suffers one of [`InjectedFault::ALL`]; all of them meet a
    /// server of limited capacity.
    Random {
        /// Chance, the same for the same seed.
        dice: Rng,
        /// Which share of requests suffers.
        share: f64,
        /// What the server can do.
        capacity: Capacity,
    },
}

impl FaultPlan {
    /// What happens to the next requests, one after the other.
    pub fn script(script: impl IntoIterator<Item = InjectedFault>) -> Self {
        Self::Script(script.into_iter().collect())
    }

    /// A storm in which this share of requests suffers.
    pub fn random(seed: u64, share: f64) -> Self {
        Self::Random { dice: Rng::with_seed(seed), share, capacity: Capacity::idle() }
    }

    /// What happens to this request, and when.
    pub(super) fn next(&mut self, is_insert: bool, now: Instant) -> (InjectedFault, Instant) {
        match self {
            Self::Passthrough => (InjectedFault::None, now),
            Self::Always(fault) => (*fault, now),
            Self::Script(script) => (script.pop_front().unwrap_or(InjectedFault::None), now),
            Self::Random { dice, share, capacity } => match capacity.admit(is_insert, now) {
                Turn::TurnedAway(when) => (InjectedFault::Answer(503, Some(1)), when),
                Turn::Served(when) if dice.f64() < *share => {
                    (dice.choice(InjectedFault::ALL).unwrap_or(InjectedFault::None), when)
                }
                Turn::Served(when) => (InjectedFault::None, when),
            },
        }
    }
}
