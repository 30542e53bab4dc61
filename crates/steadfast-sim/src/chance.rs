//! Chance that can be repeated.
//!
//! When clients come, what the service does and how a delay is jittered are drawn from streams
//! of their own: two policies under one seed meet the same clients.

use rand::{RngCore as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

pub(crate) type Chance = Xoshiro256PlusPlus;

/// What is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stream {
    Arrivals = 1,
    Service = 2,
    Jitter = 3,
}

pub(crate) fn stream(seed: u64, stream: Stream) -> Chance {
    let mut chance = Chance::seed_from_u64(seed);
    for _ in 0..stream as u8 {
        chance.jump();
    }
    chance
}

/// Whether something happens that happens this often.
pub(crate) fn happens(chance: &mut Chance, share: f64) -> bool {
    share > 0.0 && unit(chance) < share
}

/// From 0 up to 1.
pub(crate) fn unit(chance: &mut Chance) -> f64 {
    const STEPS: f64 = (1_u64 << 53) as f64;
    (chance.next_u64() >> 11) as f64 / STEPS
}
