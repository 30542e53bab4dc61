//! The retry storm: why jitter, a budget and a breaker matter, in one scenario.
//!
//! A service does more than it is asked for, until it is away for half a minute. When it comes
//! back everybody who failed meanwhile comes back too. If their calls are more than it can do,
//! answers take longer than clients wait; those give up waiting and call again, and the work
//! that was done for them is wasted. The cause is gone and the outage stays: a metastable
//! failure. It ends only when the load falls below what the service can do.

use std::time::Duration;

use steadfast::guard::{BreakerSettings, BudgetSettings};
use steadfast::policy::{Draft, PolicyError};
use steadfast::{Jitter, Policy};

use crate::arrival::Arrival;
use crate::latency::Latency;
use crate::scenario::{Outage, Scenario};

const SECOND: Duration = Duration::from_secs(1);

/// So many clients over five minutes, at four fifths of what the service can do, with an outage
/// of thirty seconds.
#[must_use]
pub fn storm(clients: u32) -> Scenario {
    let over = 300 * SECOND;
    let asked = f64::from(clients) / over.as_secs_f64();
    Scenario {
        clients,
        arrival: Arrival::Poisson(over),
        processes: 20,
        latency: Latency::Lognormal { median: Duration::from_millis(20), sigma: 0.4 },
        timeout: SECOND,
        capacity: Some(asked * 1.25),
        outages: vec![Outage::refusing(30 * SECOND, 60 * SECOND)],
        until: 600 * SECOND,
        ..Scenario::default()
    }
}

/// What is compared: the loop that everybody writes first, and what each remedy adds.
///
/// # Errors
/// None, as long as the settings are valid, which a test sees to.
pub fn storm_policies() -> Result<Vec<(&'static str, Policy)>, PolicyError> {
    let tries = || Policy::fixed(SECOND).max_attempts(10).idempotent(true).attempt_timeout(SECOND);
    let exponential = || {
        Policy::exponential(SECOND)
            .max_delay(30 * SECOND)
            .max_attempts(10)
            .idempotent(true)
            .attempt_timeout(SECOND)
            .jitter(Jitter::Full)
    };
    let budget = BudgetSettings::Ratio { ratio: 0.1, min_per_second: 1.0, window: 10 * SECOND };
    let breaker = BreakerSettings::rate_over_time(0.5, 10 * SECOND, 5 * SECOND);
    let named: [(&'static str, Draft); 4] = [
        ("every second, ten times", tries()),
        ("exponential, full jitter", exponential()),
        ("and a budget", exponential().budget(budget)),
        ("and a breaker", exponential().budget(budget).breaker(breaker)),
    ];
    named.into_iter().map(|(name, draft)| Ok((name, draft.build()?))).collect()
}
