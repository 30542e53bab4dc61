//! G3: random calls in random order under random settings.

use proptest::prelude::*;

use super::*;

#[derive(Clone, Copy, Debug)]
enum Step {
    Wait(u64),
    Deposit(u64),
    Withdraw(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        (0..2_000_u64).prop_map(Step::Wait),
        (0..20_u64).prop_map(Step::Deposit),
        (0..20_u64).prop_map(Step::Withdraw),
    ];
    proptest::collection::vec(step, 0..80)
}

fn settings() -> impl Strategy<Value = BudgetSettings> {
    prop_oneof![
        (0.1..20.0).prop_map(rate),
        (0.1..2.0, 0.0..5.0, 1..5_u32).prop_map(|(share, floor, window)| ratio(
            share,
            if floor < 1.0 { 0.0 } else { floor },
            window * SECOND
        )),
        (1..50_u32, 0.1..3.0).prop_map(|(max, share)| tokens(max, share)),
    ]
}

proptest! {
    /// G3: the balance is what would be granted.
    #[test]
    fn balance_equals_granted_retries(settings in settings(), steps in steps()) {
        let budget = budget(settings);
        let mut now = 1_000_000;
        for step in steps {
            match step {
                Step::Wait(millis) => now += millis,
                Step::Deposit(times) => deposit(&budget, times, at(now)),
                Step::Withdraw(draws) => {
                    let balance = budget.balance(at(now));
                    prop_assert_eq!(granted(&budget, draws, at(now)), balance.min(draws));
                }
            }
        }
    }

    /// G3: a ratio is the sum over its window, counted the slow way.
    #[test]
    fn ratio_matches_its_model(
        percent in 1..200_u64,
        window in 1..5_u64,
        steps in steps(),
    ) {
        let budget = budget(ratio(percent as f64 / 100.0, 0.0, Duration::from_secs(window)));
        let mut now = 0;
        let (mut paid, mut drawn) = (Vec::new(), Vec::new());
        for step in steps {
            let tick = now / (window * 100);
            let recent = |ticks: &[u64]| ticks.iter().filter(|&&then| tick - then < 10).count() as u64;
            match step {
                Step::Wait(millis) => now += millis,
                Step::Deposit(times) => {
                    deposit(&budget, times, at(now));
                    paid.extend((0..times).map(|_| tick));
                }
                Step::Withdraw(draws) => for _ in 0..draws {
                    let has_more = recent(&drawn) < recent(&paid) * percent / 100;
                    prop_assert_eq!(budget.withdraw(at(now)), has_more);
                    drawn.extend(has_more.then_some(tick));
                },
            }
        }
    }

    /// As in P3: nothing panics, and nothing is granted out of nothing, at
    /// whatever numbers.
    #[test]
    fn extreme_settings_and_moments_do_not_panic(
        (number, other, window) in (any::<f64>(), any::<f64>(), any::<Duration>()),
        (large, small) in (1e-6..1e6_f64, 1e-6..1e3_f64),
        max in any::<u32>(),
        moments in proptest::collection::vec(any::<u64>(), 0..50),
    ) {
        for settings in [
            rate(number),
            rate(large),
            ratio(small, other, window),
            ratio(small, 0.0, window),
            tokens(max, number),
            tokens(1 + max % 1000, small.max(0.001)),
        ] {
            let Ok(budget) = Budget::new(settings) else {
                prop_assert!(!settings.problems().is_empty());
                continue;
            };
            for &nanos in moments.iter().chain(&[0, u64::MAX, 0]) {
                let now = Moment::from_nanos(nanos);
                budget.deposit(now);
                let balance = budget.balance(now);
                prop_assert!(!budget.withdraw(now) || balance > 0);
            }
        }
    }
}
