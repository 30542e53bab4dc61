//! The retry storm: a scenario that shows the effect of jitter, a budget and a breaker.
//!
//! A service with spare capacity has an outage of half a minute. When it recovers, all clients that
//! failed meanwhile retry. If their calls exceed its capacity, responses take longer than the
//! timeout; the clients retry again, and the work done for them is wasted. The cause has ended and
//! the outage persists: a metastable failure. It ends only when the load falls below the capacity.

use std::time::Duration;

use steadfast::guard::{BreakerSettings, BudgetSettings};
use steadfast::policy::{Draft, PolicyError};
use steadfast::{Jitter, Policy};

use crate::arrival::Arrival;
use crate::latency::Latency;
use crate::scenario::{Outage, Scenario};

const SECOND: Duration = Duration::from_secs(1);

/// A number of clients over five minutes, at four fifths of the service's capacity, with an outage of
/// thirty seconds.
#[must_use]
pub fn storm(clients: u32) -> Scenario {
    let over = 300 * SECOND;
    let rate = f64::from(clients) / over.as_secs_f64();
    Scenario {
        clients,
        arrival: Arrival::Poisson(over),
        processes: 20,
        latency: Latency::Lognormal { median: Duration::from_millis(20), sigma: 0.4 },
        timeout: SECOND,
        capacity: Some(rate * 1.25),
        outages: vec![Outage::refusing(30 * SECOND, 60 * SECOND)],
        until: 600 * SECOND,
        ..Scenario::default()
    }
}

/// The compared policies: a fixed-delay loop, and each improvement.
///
/// # Errors
/// None, as the settings are valid; a test ensures it.
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
        ("every second", tries()),
        ("full jitter", exponential()),
        ("full jitter + budget", exponential().budget(budget)),
        ("full jitter + budget + breaker", exponential().budget(budget).breaker(breaker)),
    ];
    named.into_iter().map(|(name, draft)| Ok((name, draft.build()?))).collect()
}
