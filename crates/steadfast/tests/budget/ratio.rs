//! G3: a ratio and a minimum per second over a window.

use super::*;

/// G3: exact: ratio 0.75 allows 7 500 ± 1 of 10 000.
#[test]
fn ratio_of_three_quarters_grants_7500_of_10000() {
    let budget = budget(ratio(0.75, 0.0, 10 * SECOND));
    deposit(&budget, 10_000, at(0));
    assert_eq!(budget.balance(at(0)), 7500);
    assert_eq!(granted(&budget, 10_000, at(0)), 7500);
}

/// G3: the same when the successes come without a date, whenever they get one.
#[test]
fn undated_deposits_are_exact() {
    let budget = budget(ratio(0.75, 0.0, 10 * SECOND));
    for _ in 0..10_000 {
        budget.deposit_lazily(|| at(0));
    }
    assert_eq!(granted(&budget, 10_000, at(0)), 7500);
}

/// G3: a success without a date gets that of the next draw, and only a few wait for it: the
/// rest have left the window with their own.
#[test]
fn undated_deposits_are_bounded() {
    let budget = budget(ratio(1.0, 0.0, 10 * SECOND));
    for _ in 0..16 + 15 {
        budget.deposit_lazily(|| at(0));
    }
    assert_eq!(granted(&budget, 100, at(60_000)), 15);
}

/// G3: the same when each success is followed by one draw.
#[test]
fn ratio_is_exact_at_every_step() {
    for percent in 1..=200_u32 {
        let budget = budget(ratio(f64::from(percent) / 100.0, 0.0, 10 * SECOND));
        let mut total = 0;
        for successes in 1..=500 {
            budget.deposit(at(0));
            total += granted(&budget, 3, at(0));
            assert_eq!(total, successes * u64::from(percent) / 100, "{percent} %");
        }
    }
}

/// G3: over a window: successes count no longer than that, and neither do the
/// retries drawn on them.
#[test]
fn successes_and_retries_leave_the_window() {
    let budget = budget(ratio(0.5, 0.0, 10 * SECOND));
    deposit(&budget, 10, at(0));
    assert_eq!(granted(&budget, 2, at(500)), 2);
    assert_eq!(budget.balance(at(9_999)), 3);
    assert_eq!(budget.balance(at(10_000)), 0);
    assert_eq!(granted(&budget, 10, at(10_000)), 0);

    deposit(&budget, 10, at(10_000));
    assert_eq!(granted(&budget, 10, at(19_000)), 5);
    // The successes of 10 s are gone, the five retries of 19 s are not.
    deposit(&budget, 10, at(20_000));
    assert_eq!(granted(&budget, 10, at(20_000)), 0);
    assert_eq!(granted(&budget, 10, at(28_999)), 0);
    assert_eq!(granted(&budget, 10, at(29_000)), 5);
}

/// G3: ratio + minimum per second: a floor that needs no success.
#[test]
fn ratio_has_a_floor_that_refills() {
    let budget = budget(ratio(0.5, 10.0, 10 * SECOND));
    assert!(budget.needs_clock_on_success());
    assert_eq!(granted(&budget, 100, at(0)), 10);
    deposit(&budget, 20, at(0));
    assert_eq!(granted(&budget, 100, at(0)), 10, "those of the successes");
    assert_eq!(granted(&budget, 100, at(300)), 3, "those of the time");
}
