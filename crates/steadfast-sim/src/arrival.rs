//! When clients come.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use steadfast::duration::serde_seconds;

use crate::chance::{Chance, unit};
use crate::scenario::nanos;

/// When clients come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Arrival {
    /// All at once.
    Burst,
    /// One after the other, equally far apart, over this long.
    Steady(#[serde(with = "serde_seconds")] Duration),
    /// At random, about evenly over this long.
    Poisson(#[serde(with = "serde_seconds")] Duration),
}

impl Default for Arrival {
    fn default() -> Self {
        Self::Poisson(Duration::from_secs(60))
    }
}

impl Arrival {
    /// How long clients keep coming.
    #[must_use]
    pub const fn over(&self) -> Duration {
        match self {
            Self::Burst => Duration::ZERO,
            Self::Steady(over) | Self::Poisson(over) => *over,
        }
    }
}

/// The clients to come, each with its time.
pub(crate) struct Arrivals {
    arrival: Arrival,
    chance: Chance,
    clients: u32,
    next: u32,
    at: f64,
}

impl Arrivals {
    pub(crate) fn new(arrival: Arrival, clients: u32, chance: Chance) -> Self {
        Self { arrival, chance, clients, next: 0, at: 0.0 }
    }
}

impl Iterator for Arrivals {
    type Item = u64;

    /// When the next client comes.
    fn next(&mut self) -> Option<u64> {
        if self.next == self.clients {
            return None;
        }
        let apart = nanos(self.arrival.over()) as f64 / f64::from(self.clients);
        let at = match self.arrival {
            Arrival::Burst => 0.0,
            Arrival::Steady(_) => f64::from(self.next) * apart,
            Arrival::Poisson(_) => {
                self.at -= apart * libm::log(1.0 - unit(&mut self.chance));
                self.at
            }
        };
        self.next += 1;
        Some(at as u64)
    }
}
