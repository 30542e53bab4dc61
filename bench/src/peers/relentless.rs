//! relentless: a pure decision function with a blocking and an asynchronous driver.

use std::future::{Ready, ready};
use std::hint::black_box;
use std::time::Duration;

use relentless::clock::TokioClock;
use relentless::{AsyncClock, Clock, RetryState, Wait, retry, retry_async, wait};

use crate::operation::{fail, fail_twice, repeat, repeat_async, succeed, succeed_blocking};
use crate::sleeper::{HOUR, Sleeper};

/// Success under the default policy.
#[inline(never)]
pub fn async_success(n: u64) {
    repeat_async!(n, retry_async(|_| succeed()).clock(TokioClock::new()).call().await);
}

/// Blocking success under the default policy.
#[inline(never)]
pub fn blocking_success(n: u64) {
    repeat(n, || retry(|_| succeed_blocking()).call());
}

fn jittered() -> impl Wait {
    let doubling = wait::exponential(Duration::from_millis(100));
    doubling.full_jitter().cap(Duration::from_secs(5))
}

#[derive(Clone, Copy)]
struct NoClock;

impl Clock for NoClock {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

impl AsyncClock for NoClock {
    type Wait = Ready<()>;

    fn wait_async(&self, _: Duration) -> Ready<()> {
        ready(())
    }
}

/// Two failures, exponential with full jitter.
#[inline(never)]
pub fn fails_twice(n: u64) {
    repeat_async!(n, {
        retry_async(|_| fail_twice()).wait(jittered()).clock(NoClock).call().await
    });
}

/// Success under the same policy.
#[inline(never)]
pub fn fails_twice_baseline(n: u64) {
    repeat_async!(n, retry_async(|_| succeed()).wait(jittered()).clock(NoClock).call().await);
}

/// The first three delays, exponential with full jitter.
#[inline(never)]
pub fn delays(n: u64) {
    let wait = black_box(jittered());
    for attempt in (1..=3).cycle().take(n as usize) {
        black_box(wait.next_wait(&RetryState::for_attempt(attempt)));
    }
}

/// A sleeping session.
pub fn sleeper() -> Sleeper {
    Sleeper::new("relentless", || {
        retry_async(|_| fail()).wait(wait::fixed(HOUR)).clock(TokioClock::new()).call()
    })
}
