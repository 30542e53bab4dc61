//! The retry storm (issue of metastable failures): it persists without its cause, and ends with a
//! budget.

use steadfast_sim::{Outcome, simulate, storm, storm_policies};

fn outcomes() -> Vec<Outcome> {
    let scenario = storm(30_000);
    let policies = storm_policies().unwrap();
    policies.iter().map(|(name, policy)| simulate(&scenario, name, policy).unwrap()).collect()
}

/// Calls a second in a minute that is long after the outage.
fn load_later(outcome: &Outcome) -> f64 {
    let later: Vec<f64> = outcome
        .load
        .iter()
        .filter(|(at, _)| (200.0..260.0).contains(at))
        .map(|(_, rate)| *rate)
        .collect();
    later.iter().sum::<f64>() / later.len() as f64
}

/// M1: without a budget the load stays above the capacity for as long as clients arrive; with
/// one it returns to the offered load.
#[test]
fn storm_persists_without_a_budget_and_ends_with_one() {
    let (asked, capacity) = (100.0, 125.0);
    let [naive, jittered, budget, breaker] = &outcomes()[..] else { panic!("four policies") };
    assert!(load_later(naive) > 2.0 * capacity, "{}", load_later(naive));
    assert!(load_later(jittered) > capacity, "{}", load_later(jittered));
    assert!(load_later(budget) < 1.1 * asked, "{}", load_later(budget));
    assert!(load_later(breaker) < 1.1 * asked, "{}", load_later(breaker));
    assert!(budget.completed > 2 * naive.completed, "{} {}", budget.completed, naive.completed);
}
