//! Breakers and budgets in a simulation (M1, G1, G3).

use std::time::Duration;

use steadfast::Policy;
use steadfast::guard::{BreakerSettings, BudgetSettings};
use steadfast_sim::{Arrival, Outage, Scenario};

use crate::{played, secs};

fn minute_of_outage() -> Scenario {
    let outages = vec![Outage::refusing(secs(10), secs(70))];
    let arrival = Arrival::Steady(secs(100));
    Scenario { clients: 10_000, arrival, outages, ..Scenario::default() }
}

/// G1: an open breaker only lets probes through.
#[test]
fn breaker_reduces_calls_during_an_outage() {
    let breaker = BreakerSettings::consecutive(5, secs(5));
    let policy = Policy::fixed(secs(1)).max_attempts(3).breaker(breaker).build().unwrap();
    let outcome = played(&minute_of_outage(), &policy);
    assert!(outcome.reasons["breaker_open"] > 5000, "{:?}", outcome.reasons);
    let during = outcome.load.iter().filter(|(at, _)| (20.0..69.0).contains(at));
    let calls: f64 = during.map(|(_, rate)| rate).sum();
    assert!(calls < 1000.0, "{calls}");
    assert!(outcome.completed > 3500, "{}", outcome.completed);
}

/// G1: every process has a breaker of its own.
#[test]
fn clients_of_one_process_share_a_breaker() {
    let breaker = BreakerSettings::consecutive(5, secs(5));
    let policy = Policy::fixed(secs(1)).max_attempts(3).breaker(breaker).build().unwrap();
    let calls = |processes| {
        let scenario = Scenario { processes, ..minute_of_outage() };
        played(&scenario, &policy).calls
    };
    assert!(calls(100) > calls(1) + 400, "{} {}", calls(100), calls(1));
}

/// G3: retries are a share of the successes.
#[test]
fn budget_limits_retries() {
    let budget =
        BudgetSettings::Ratio { ratio: 0.1, min_per_second: 0.0, window: Duration::from_secs(10) };
    let policy = Policy::fixed(secs(1)).max_attempts(10).budget(budget).build().unwrap();
    let outcome = played(&minute_of_outage(), &policy);
    let retries = outcome.calls - u64::from(outcome.clients);
    assert!(outcome.reasons["budget_exhausted"] > 5000, "{:?}", outcome.reasons);
    assert!(retries as f64 <= 0.11 * outcome.completed as f64, "{retries}");
}
