//! Arrival times of clients.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use steadfast::duration::serde_seconds;

use crate::random::{Random, unit};
use crate::scenario::nanos;

/// The arrival of clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Arrival {
    /// All at once.
    Burst,
    /// At equal intervals over this time.
    Steady(#[serde(with = "serde_seconds")] Duration),
    /// At random over this time, as a Poisson process.
    Poisson(#[serde(with = "serde_seconds")] Duration),
}

impl Default for Arrival {
    fn default() -> Self {
        Self::Poisson(Duration::from_secs(60))
    }
}

impl Arrival {
    /// The time over which clients arrive.
    #[must_use]
    pub const fn over(&self) -> Duration {
        match self {
            Self::Burst => Duration::ZERO,
            Self::Steady(over) | Self::Poisson(over) => *over,
        }
    }
}

/// The arrival times, in order.
pub(crate) struct Arrivals {
    arrival: Arrival,
    random: Random,
    clients: u32,
    next: u32,
    at: f64,
}

impl Arrivals {
    pub(crate) fn new(arrival: Arrival, clients: u32, random: Random) -> Self {
        Self { arrival, random, clients, next: 0, at: 0.0 }
    }
}

impl Iterator for Arrivals {
    type Item = u64;

    /// The time of the next arrival.
    fn next(&mut self) -> Option<u64> {
        if self.next == self.clients {
            return None;
        }
        let interval = nanos(self.arrival.over()) as f64 / f64::from(self.clients);
        let at = match self.arrival {
            Arrival::Burst => 0.0,
            Arrival::Steady(_) => f64::from(self.next) * interval,
            Arrival::Poisson(_) => {
                self.at -= interval * libm::log(1.0 - unit(&mut self.random));
                self.at
            }
        };
        self.next += 1;
        Some(at as u64)
    }
}
