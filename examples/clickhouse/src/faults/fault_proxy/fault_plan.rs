//! The plan of the proxy: no faults, scripted faults, or random ones.

use std::collections::VecDeque;

use fastrand::Rng;
use tokio::time::Instant;

use super::capacity::{Capacity, Turn};
use super::injected_fault::InjectedFault;

/// The faults of the requests.
#[derive(Clone, Debug)]
pub enum FaultPlan {
    /// Every request is forwarded.
    Passthrough,
    /// One per request, in this order; later requests are forwarded.
    Script(VecDeque<InjectedFault>),
    /// The same for all of them.
    Always(InjectedFault),
    /// A random share of them gets one of [`InjectedFault::ALL`]; the server has a limited
    /// capacity.
    Random {
        /// The seeded random numbers.
        dice: Rng,
        /// The share of requests with a fault.
        share: f64,
        /// The capacity of the server.
        capacity: Capacity,
    },
}

impl FaultPlan {
    /// The faults of the next requests, in this order.
    pub fn script(script: impl IntoIterator<Item = InjectedFault>) -> Self {
        Self::Script(script.into_iter().collect())
    }

    /// Random faults in this share of requests.
    pub fn random(seed: u64, share: f64) -> Self {
        Self::Random { dice: Rng::with_seed(seed), share, capacity: Capacity::idle() }
    }

    /// The fault of the next request, and its time.
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
