//! backoff: an exponential policy for functions and futures.

use std::future::{Ready, ready};
use std::time::Duration;

use backoff::backoff::Backoff;
use backoff::future::{self, Sleeper as BackoffSleeper};
use backoff::{Error, ExponentialBackoff};

use crate::operation::{self, Failed, fail_twice_blocking, repeat, repeat_async, repeat_delays};
use crate::sleeper::{HOUR, Sleeper};

fn succeed_blocking() -> Result<u64, Error<Failed>> {
    operation::succeed_blocking().map_err(Error::transient)
}

async fn succeed() -> Result<u64, Error<Failed>> {
    succeed_blocking()
}

async fn fail_twice() -> Result<u64, Error<Failed>> {
    fail_twice_blocking().map_err(Error::transient)
}

async fn fail() -> Result<u64, Error<Failed>> {
    operation::fail().await.map_err(Error::transient)
}

/// Success under the default policy.
#[inline(never)]
pub fn async_success(n: u64) {
    repeat_async!(n, future::retry(ExponentialBackoff::default(), succeed).await);
}

/// Blocking success under the default policy.
#[inline(never)]
pub fn blocking_success(n: u64) {
    repeat(n, || backoff::retry(ExponentialBackoff::default(), succeed_blocking));
}

struct NoSleep;

impl BackoffSleeper for NoSleep {
    type Sleep = Ready<()>;

    fn sleep(&self, _: Duration) -> Ready<()> {
        ready(())
    }
}

/// Two failures under the default policy, which has jitter.
#[inline(never)]
pub fn fails_twice(n: u64) {
    repeat_async!(n, {
        future::Retry::new(NoSleep, ExponentialBackoff::default(), |_, _| {}, fail_twice).await
    });
}

/// Success under the same policy.
#[inline(never)]
pub fn fails_twice_baseline(n: u64) {
    repeat_async!(n, {
        future::Retry::new(NoSleep, ExponentialBackoff::default(), |_, _| {}, succeed).await
    });
}

/// The delays of the default policy, which has jitter, without its time limit.
#[inline(never)]
pub fn delays(n: u64) {
    let mut policy = ExponentialBackoff { max_elapsed_time: None, ..ExponentialBackoff::default() };
    repeat_delays(n, std::iter::from_fn(|| policy.next_backoff()));
}

/// A sleeping session.
pub fn sleeper() -> Sleeper {
    Sleeper::new("backoff", || {
        let hourly = ExponentialBackoff {
            initial_interval: HOUR,
            current_interval: HOUR,
            max_interval: HOUR,
            max_elapsed_time: None,
            ..ExponentialBackoff::default()
        };
        future::retry(hourly, fail)
    })
}
