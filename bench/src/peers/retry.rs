//! retry: a blocking function with an iterator of delays.

use std::hint::black_box;

use retry::delay::{Exponential, jitter};

use crate::operation::{repeat, repeat_delays, succeed_blocking};

/// Success under the policy of the crate's first example.
#[inline(never)]
pub fn blocking_success(n: u64) {
    repeat(n, || {
        let delays = Exponential::from_millis(10).map(jitter).take(3);
        retry::retry(delays, succeed_blocking)
    });
}

/// Delays of 100 ms with jitter. A factor of one keeps the endless sequence from overflowing, and
/// costs the same as any other.
#[inline(never)]
pub fn delays(n: u64) {
    let delays = Exponential::from_millis_with_factor(black_box(100), 1.0);
    repeat_delays(n, delays.map(jitter));
}
