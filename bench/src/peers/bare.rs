//! No library: the bare call, and the loop that a person would write.

use crate::operation::{fail, fail_twice, repeat, repeat_async, succeed, succeed_blocking};
use crate::sleeper::{HOUR, Sleeper};

/// The bare call.
#[inline(never)]
pub fn async_success(n: u64) {
    repeat_async!(n, succeed().await);
}

/// The bare call.
#[inline(never)]
pub fn blocking_success(n: u64) {
    repeat(n, succeed_blocking);
}

/// A loop that counts.
#[inline(never)]
pub fn fails_twice(n: u64) {
    repeat_async!(n, {
        let mut left = 3;
        loop {
            match fail_twice().await {
                Err(_) if left > 0 => left -= 1,
                ended => break ended,
            }
        }
    });
}

/// The same loop, which ends at once.
#[inline(never)]
pub fn fails_twice_twin(n: u64) {
    repeat_async!(n, {
        let mut left = 3;
        loop {
            match succeed().await {
                Err(_) if left > 0 => left -= 1,
                ended => break ended,
            }
        }
    });
}

/// A loop that counts and sleeps.
pub fn sleeper() -> Sleeper {
    Sleeper::new("loop by hand", || async {
        let mut left = 3;
        loop {
            match fail().await {
                Err(_) if left > 0 => left -= 1,
                ended => break ended,
            }
            tokio::time::sleep(HOUR).await;
        }
    })
}
