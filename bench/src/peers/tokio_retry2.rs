//! tokio-retry2: tokio-retry with transient and permanent errors.

use std::hint::black_box;
use std::time::Duration;

use tokio_retry2::strategy::{ExponentialBackoff, jitter};
use tokio_retry2::{Retry, RetryError};

use crate::operation::{self, Failed, repeat_async, repeat_delays, succeed_blocking};
use crate::sleeper::Sleeper;

async fn succeed() -> Result<u64, RetryError<Failed>> {
    succeed_blocking().map_err(RetryError::transient)
}

async fn fail() -> Result<u64, RetryError<Failed>> {
    operation::fail().await.map_err(RetryError::transient)
}

fn delay_sequence() -> impl Iterator<Item = Duration> {
    ExponentialBackoff::from_millis(10).map(jitter).take(3)
}

/// Success under the policy of the crate's first example.
#[inline(never)]
pub fn async_success(n: u64) {
    repeat_async!(n, Retry::spawn(delay_sequence(), succeed).await);
}

/// Delays from 200 ms to a minute, with jitter.
#[inline(never)]
pub fn delays(n: u64) {
    let doubling = ExponentialBackoff::from_millis(black_box(2)).factor(100);
    repeat_delays(n, doubling.max_delay(Duration::from_secs(60)).map(jitter));
}

/// A sleeping session.
pub fn sleeper() -> Sleeper {
    Sleeper::new("tokio-retry2", || {
        let hours = ExponentialBackoff::from_millis(3_600_000).map(jitter).take(3);
        Retry::spawn(hours, fail)
    })
}
