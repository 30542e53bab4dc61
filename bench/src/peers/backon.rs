//! backon: an extension trait of the operation.

use std::future::ready;
use std::hint::black_box;

use backon::{BackoffBuilder, BlockingRetryable, ExponentialBuilder, Retryable};

use crate::operation::{
    fail, fail_twice, repeat, repeat_async, repeat_delays, succeed, succeed_blocking,
};
use crate::sleeper::{HOUR, Sleeper};

/// Success under the default policy.
#[inline(never)]
pub fn async_success(n: u64) {
    repeat_async!(n, succeed.retry(ExponentialBuilder::default()).await);
}

/// Blocking success under the default policy.
#[inline(never)]
pub fn blocking_success(n: u64) {
    repeat(n, || succeed_blocking.retry(ExponentialBuilder::default()).call());
}

fn jittered() -> ExponentialBuilder {
    ExponentialBuilder::default().with_jitter()
}

/// Two failures under the default policy with jitter.
#[inline(never)]
pub fn fails_twice(n: u64) {
    repeat_async!(n, fail_twice.retry(jittered()).sleep(|_| ready(())).await);
}

/// Success under the same policy.
#[inline(never)]
pub fn fails_twice_baseline(n: u64) {
    repeat_async!(n, succeed.retry(jittered()).sleep(|_| ready(())).await);
}

/// The delays of the default policy with jitter, without its limit of retries.
#[inline(never)]
pub fn delays(n: u64) {
    let policy = black_box(jittered().without_max_times());
    repeat_delays(n, policy.build());
}

/// A sleeping session.
pub fn sleeper() -> Sleeper {
    let policy = ExponentialBuilder::default().with_min_delay(HOUR).with_max_delay(HOUR);
    Sleeper::new("backon", move || fail.retry(policy).into_future())
}
