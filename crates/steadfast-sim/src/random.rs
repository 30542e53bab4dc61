//! Deterministic random numbers.
//!
//! Arrivals, the service and jitter have separate streams, so that two policies with one seed meet
//! the same clients.

use rand::{RngCore as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

pub(crate) type Random = Xoshiro256PlusPlus;

/// The purpose of a stream.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    Arrivals = 1,
    Service = 2,
    Jitter = 3,
}

pub(crate) fn stream(seed: u64, stream: Stream) -> Random {
    let mut random = Random::seed_from_u64(seed);
    for _ in 0..stream as u8 {
        random.jump();
    }
    random
}

/// `true` with this probability.
pub(crate) fn happens(random: &mut Random, probability: f64) -> bool {
    probability > 0.0 && unit(random) < probability
}

/// A number from 0 to below 1.
pub(crate) fn unit(random: &mut Random) -> f64 {
    const STEPS: f64 = (1_u64 << 53) as f64;
    (random.next_u64() >> 11) as f64 / STEPS
}
