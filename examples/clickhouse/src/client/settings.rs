//! The settings of a client.

use std::time::Duration;

use steadfast::guard::{BreakerSettings, BudgetSettings};
use steadfast::policy::Draft;
use steadfast::{Jitter, Policy};

/// How a client behaves when things go wrong.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How requests are tried. The client says itself which of them may be repeated blindly.
    pub requests: Draft,
    /// How the log is searched for a batch in doubt, from the first look to the last: two at
    /// least, some time apart. A batch that is not there at the last one did not arrive, so be
    /// sure that nothing between client and server holds a request back for longer than that.
    pub looks: Draft,
    /// How each question of that search is asked, past the guards.
    pub questions: Draft,
    /// Whether the server deduplicates inserts by token, and the tables keep a window of them
    /// (`non_replicated_deduplication_window`). Then a batch may simply be sent again.
    pub tokens: bool,
    /// The most connections at a time.
    pub connections: usize,
    /// How long connecting may take, and waiting for a connection that somebody else uses.
    pub patience: Duration,
}

/// S3's figures: 1 s growing by 1.6 to 120 s with equal jitter, 3 attempts, 10 retries a second.
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
            patience: Duration::from_secs(2),
        }
    }
}
