//! G3: retries per second.

use super::*;

/// G3: retries per second, and no more than a second's worth at once.
#[test]
fn rate_grants_one_second_and_refills() {
    let budget = budget(rate(10.0));
    assert_eq!(granted(&budget, 100, at(5000)), 10);
    assert_eq!(granted(&budget, 100, at(5099)), 0);
    assert_eq!(granted(&budget, 100, at(5100)), 1);
    assert_eq!(granted(&budget, 100, at(5350)), 2);
    assert_eq!(granted(&budget, 100, at(3_600_000)), 10, "an idle hour adds no more");
}

/// G3: a rate is about time alone.
#[test]
fn rate_ignores_successes() {
    let budget = budget(rate(1.0));
    assert!(!budget.needs_clock_on_success());
    assert!(budget.withdraw(at(0)));
    deposit(&budget, 1000, at(0));
    assert!(!budget.withdraw(at(0)));
}

/// G3: less than one a second is one at a time.
#[test]
fn slow_rate_grants_single_retries() {
    let budget = budget(rate(0.25));
    assert_eq!(granted(&budget, 5, at(0)), 1);
    assert_eq!(granted(&budget, 5, at(3999)), 0);
    assert_eq!(granted(&budget, 5, at(4000)), 1);
}

/// G3: exact: over ten minutes of constant asking, what was promised.
#[test]
fn rate_is_exact_over_time() {
    for per_second in [1_u32, 3, 7, 10, 1000] {
        let budget = budget(rate(f64::from(per_second)));
        let granted: u64 = (0..=600_000).map(|now| granted(&budget, 2, at(now))).sum();
        let promised = u64::from(per_second) * 601;
        assert!(granted <= promised && granted >= promised - 1, "{granted} of {promised}");
    }
}

/// G3: never more than promised, though a retry's share of the second is no
/// whole number of nanoseconds.
#[test]
fn high_rate_is_not_rounded_up() {
    let budget = budget(rate(300_000.0));
    let granted: u64 =
        (0..=1000).map(|now| (0..).take_while(|_| budget.withdraw(at(now))).count() as u64).sum();
    assert!((599_900..=600_000).contains(&granted), "{granted}");
}
