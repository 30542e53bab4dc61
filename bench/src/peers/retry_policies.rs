//! retry-policies: policies without a retry loop.

use std::hint::black_box;
use std::time::SystemTime;

use retry_policies::RetryPolicy;
use retry_policies::policies::ExponentialBackoff;

/// The decisions of the default policy on the first three failures.
#[inline(never)]
pub fn delays(n: u64) {
    let policy = black_box(ExponentialBackoff::builder().build_with_max_retries(5));
    let start = SystemTime::now();
    for failures in (0..3).cycle().take(n as usize) {
        black_box(policy.should_retry(start, failures));
    }
}
