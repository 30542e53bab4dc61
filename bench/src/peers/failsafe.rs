//! failsafe: a circuit breaker, here with the policy for consecutive failures.

use std::time::Duration;

use failsafe::backoff::exponential;
use failsafe::failure_policy::consecutive_failures;
use failsafe::futures::CircuitBreaker;

use crate::operation::{repeat_async, succeed};

fn breaker() -> impl CircuitBreaker {
    let open_for = exponential(Duration::from_secs(10), Duration::from_secs(60));
    let policy = consecutive_failures(5, open_for);
    failsafe::Config::new().failure_policy(policy).build()
}

/// Success through a closed breaker.
#[inline(never)]
pub fn async_success(n: u64) {
    let breaker = breaker();
    repeat_async!(n, breaker.call(succeed()).await);
}
