//! The settings of a client.

use std::time::Duration;

use steadfast::guard::{BreakerSettings, BudgetSettings};
use steadfast::policy::Draft;
use steadfast::{Jitter, Policy};

/// How a client handles failures.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The policy of requests. The client itself sets which of them are idempotent.
    pub requests: Draft,
    /// The schedule of lookups of a batch with an unknown outcome: at least two, some time apart. A
    /// batch that the last one does not find counts as not arrived, so ensure that nothing between
    /// client and server delays a request for longer.
    pub looks: Draft,
    /// The policy of each query of a lookup, without budget and breaker.
    pub questions: Draft,
    /// Whether the server deduplicates inserts by token, and the tables have a window for it
    /// (`non_replicated_deduplication_window`). Then a batch may simply be sent again.
    pub tokens: bool,
    /// The maximum number of connections.
    pub connections: usize,
    /// The timeout for connecting, and for waiting for a free connection.
    pub wait_timeout: Duration,
}

/// The defaults of S3: 1 s growing by 1.6 to 120 s with equal jitter, 3 attempts, 10 retries a second.
impl Default for Settings {
    fn default() -> Self {
        Self {
            requests: Policy::exponential(Duration::from_secs(1))
                .multiplier(1.6)
                .max_delay(Duration::from_secs(120))
                .jitter(Jitter::Equal)
                .max_attempts(3)
                .attempt_timeout(Duration::from_secs(30))
                .budget(BudgetSettings::Rate { retries_per_second: 10.0 })
                .breaker(BreakerSettings::consecutive(10, Duration::from_secs(5))),
            looks: Policy::exponential(Duration::from_millis(250)).max_attempts(5),
            questions: Policy::exponential(Duration::from_millis(50))
                .max_delay(Duration::from_secs(1))
                .jitter(Jitter::Equal)
                .max_attempts(8)
                .attempt_timeout(Duration::from_secs(1)),
            tokens: false,
            connections: 32,
            wait_timeout: Duration::from_secs(2),
        }
    }
}
