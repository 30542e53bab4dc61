//! G3: the exact number of retries that a budget grants.

#![cfg(not(loom))]
#![allow(clippy::unwrap_used)]

mod properties;
mod rate;
mod ratio;
mod settings;
mod threads;
mod tokens;

use std::time::Duration;

use steadfast::Moment;
use steadfast::guard::{Budget, BudgetSettings};

const SECOND: Duration = Duration::from_secs(1);

fn at(millis: u64) -> Moment {
    Moment::ORIGIN + Duration::from_millis(millis)
}

fn budget(settings: BudgetSettings) -> Budget {
    Budget::new(settings).unwrap()
}

fn rate(retries_per_second: f64) -> BudgetSettings {
    BudgetSettings::Rate { retries_per_second }
}

fn ratio(ratio: f64, min_per_second: f64, window: Duration) -> BudgetSettings {
    BudgetSettings::Ratio { ratio, min_per_second, window }
}

fn tokens(max_tokens: u32, token_ratio: f64) -> BudgetSettings {
    BudgetSettings::Tokens { max_tokens, token_ratio }
}

fn deposit(budget: &Budget, times: u64, now: Moment) {
    for _ in 0..times {
        budget.deposit(now);
    }
}

/// How many of `draws` withdrawals are granted.
fn granted(budget: &Budget, draws: u64, now: Moment) -> u64 {
    (0..draws).filter(|_| budget.withdraw(now)).count() as u64
}

/// G3: no more than there is, even when the clock stands still at its end.
#[test]
fn budget_holds_at_the_end_of_time() {
    let end = Moment::from_nanos(u64::MAX);
    assert!(granted(&budget(rate(10.0)), 100, end) <= 10);
    assert!(granted(&budget(tokens(20, 0.1)), 100, end) <= 9);
    let budget = budget(ratio(0.5, 0.0, 10 * SECOND));
    deposit(&budget, 20, end);
    assert_eq!(granted(&budget, 100, end), 10);
}
