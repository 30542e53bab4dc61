//! The baseline without a library: the bare call, and a hand-written retry loop.

use crate::operation::{fail, fail_twice, repeat, repeat_async, succeed, succeed_blocking};
use crate::sleeper::{HOUR, Sleeper};

/// The bare asynchronous call.
#[inline(never)]
pub fn async_success(n: u64) {
    repeat_async!(n, succeed().await);
}

/// The bare blocking call.
#[inline(never)]
pub fn blocking_success(n: u64) {
    repeat(n, succeed_blocking);
}

/// Two failures in a loop with a retry count.
#[inline(never)]
pub fn fails_twice(n: u64) {
    repeat_async!(n, {
        let mut retries_left = 3;
        loop {
            match fail_twice().await {
                Err(_) if retries_left > 0 => retries_left -= 1,
                result => break result,
            }
        }
    });
}

/// Success in the same loop.
#[inline(never)]
pub fn fails_twice_baseline(n: u64) {
    repeat_async!(n, {
        let mut retries_left = 3;
        loop {
            match succeed().await {
                Err(_) if retries_left > 0 => retries_left -= 1,
                result => break result,
            }
        }
    });
}

/// A sleeping loop with a retry count.
pub fn sleeper() -> Sleeper {
    Sleeper::new("loop by hand", || async {
        let mut retries_left = 3;
        loop {
            match fail().await {
                Err(_) if retries_left > 0 => retries_left -= 1,
                result => break result,
            }
            tokio::time::sleep(HOUR).await;
        }
    })
}
