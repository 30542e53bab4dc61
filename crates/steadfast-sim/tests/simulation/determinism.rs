//! A run depends on its seed and on nothing else (M1).

use proptest::prelude::*;
use steadfast_sim::{Arrival, Errors, Outage, Scenario};

use crate::{every_second, played, secs};

fn scenario(clients: u32, seed: u64) -> Scenario {
    Scenario {
        clients,
        seed,
        arrival: Arrival::Poisson(secs(30)),
        capacity: Some(50.0),
        outages: vec![Outage::refusing(secs(5), secs(10))],
        errors: Errors { retryable: 0.1, unknown_outcome: 0.05, ..Errors::default() },
        ..Scenario::default()
    }
}

/// M1: deterministic by seed.
#[test]
fn same_seed_gives_same_run() {
    let run = |seed| format!("{:?}", played(&scenario(500, seed), &every_second(4)));
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
}

proptest! {
    /// M1: every client is counted, and the load sums to the calls.
    #[test]
    fn every_client_is_counted_once(clients in 1_u32..400, attempts in 1_u32..6, seed: u64) {
        let outcome = played(&scenario(clients, seed), &every_second(attempts));
        let counted = outcome.completed + outcome.gave_up + outcome.unfinished;
        prop_assert_eq!(counted, u64::from(clients));
        prop_assert!(outcome.calls <= u64::from(clients) * u64::from(attempts));
        prop_assert!(outcome.calls >= u64::from(clients));
        let width = outcome.load.get(1).map_or(1.0, |(at, _)| *at);
        let seen: f64 = outcome.load.iter().map(|(_, rate)| rate * width).sum();
        prop_assert!((seen - outcome.calls as f64).abs() < 0.5, "{} {}", seen, outcome.calls);
        let most = outcome.load.iter().map(|(_, rate)| *rate).fold(0.0, f64::max);
        prop_assert!(most <= outcome.peak_rps, "{} {}", most, outcome.peak_rps);
    }
}
