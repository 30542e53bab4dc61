//! G3: how much retrying a budget allows, to the retry.

#![cfg(not(loom))]

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use proptest::prelude::*;
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
    BudgetSettings::Ratio {
        ratio,
        min_per_second,
        window,
    }
}

fn tokens(max_tokens: u32, token_ratio: f64) -> BudgetSettings {
    BudgetSettings::Tokens {
        max_tokens,
        token_ratio,
    }
}

fn deposit(budget: &Budget, times: u64, now: Moment) {
    for _ in 0..times {
        budget.deposit(now);
    }
}

/// How many of so many draws are granted.
fn granted(budget: &Budget, draws: u64, now: Moment) -> u64 {
    (0..draws).filter(|_| budget.withdraw(now)).count() as u64
}

/// G3: retries per second, and no more than a second's worth at once.
#[test]
fn a_rate_grants_a_seconds_worth_and_refills_with_time() {
    let budget = budget(rate(10.0));
    assert_eq!(granted(&budget, 100, at(5000)), 10);
    assert_eq!(granted(&budget, 100, at(5099)), 0);
    assert_eq!(granted(&budget, 100, at(5100)), 1);
    assert_eq!(granted(&budget, 100, at(5350)), 2);
    assert_eq!(
        granted(&budget, 100, at(3_600_000)),
        10,
        "an idle hour adds no more"
    );
}

/// G3: a rate is about time alone.
#[test]
fn a_rate_does_not_care_for_success() {
    let budget = budget(rate(1.0));
    assert!(!budget.needs_clock_on_success());
    assert!(budget.withdraw(at(0)));
    deposit(&budget, 1000, at(0));
    assert!(!budget.withdraw(at(0)));
}

/// G3: less than one a second is one at a time.
#[test]
fn a_slow_rate_grants_one_at_a_time() {
    let budget = budget(rate(0.25));
    assert_eq!(granted(&budget, 5, at(0)), 1);
    assert_eq!(granted(&budget, 5, at(3999)), 0);
    assert_eq!(granted(&budget, 5, at(4000)), 1);
}

/// G3: exact: over ten minutes of constant asking, what was promised.
#[test]
fn a_rate_holds_over_time() {
    for per_second in [1_u32, 3, 7, 10, 1000] {
        let budget = budget(rate(f64::from(per_second)));
        let granted: u64 = (0..=600_000).map(|now| granted(&budget, 2, at(now))).sum();
        let promised = u64::from(per_second) * 601;
        assert!(
            granted <= promised && granted >= promised - 1,
            "{granted} of {promised}"
        );
    }
}

/// G3: never more than promised, though a retry's share of the second is no
/// whole number of nanoseconds.
#[test]
fn a_high_rate_is_not_rounded_up() {
    let budget = budget(rate(300_000.0));
    let granted: u64 = (0..=1000)
        .map(|now| (0..).take_while(|_| budget.withdraw(at(now))).count() as u64)
        .sum();
    assert!((599_900..=600_000).contains(&granted), "{granted}");
}

/// G3: not even when the clock stands still at its end.
#[test]
fn the_end_of_time_is_no_free_lunch() {
    let end = Moment::from_nanos(u64::MAX);
    assert!(granted(&budget(rate(10.0)), 100, end) <= 10);
    assert!(granted(&budget(tokens(20, 0.1)), 100, end) <= 9);
    let budget = budget(ratio(0.5, 0.0, 10 * SECOND));
    deposit(&budget, 20, end);
    assert_eq!(granted(&budget, 100, end), 10);
}

/// G3: exact: ratio 0.75 allows 7 500 ± 1 of 10 000.
#[test]
fn a_ratio_of_three_quarters_grants_7500_of_10000() {
    let budget = budget(ratio(0.75, 0.0, 10 * SECOND));
    deposit(&budget, 10_000, at(0));
    assert_eq!(budget.balance(at(0)), 7500);
    assert_eq!(granted(&budget, 10_000, at(0)), 7500);
}

/// G3: the same when each success is followed by one draw.
#[test]
fn a_ratio_is_exact_along_the_way() {
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
fn a_ratio_has_a_floor_that_refills_with_time() {
    let budget = budget(ratio(0.5, 10.0, 10 * SECOND));
    assert!(budget.needs_clock_on_success());
    assert_eq!(granted(&budget, 100, at(0)), 10);
    deposit(&budget, 20, at(0));
    assert_eq!(granted(&budget, 100, at(0)), 10, "those of the successes");
    assert_eq!(granted(&budget, 100, at(300)), 3, "those of the time");
}

/// G3: gRPC-style tokens: the worked example of its own throttle, four tokens
/// and 1.6 for each success.
#[test]
fn tokens_follow_grpc() {
    let budget = budget(tokens(4, 1.6));
    let now = at(60_000);
    assert!(budget.withdraw(now), "3 left");
    budget.deposit(now);
    assert!(budget.withdraw(now), "4, not 4.6, then 3");
    assert!(!budget.withdraw(now), "2 is half");
    assert!(!budget.withdraw(now), "1");
    assert!(!budget.withdraw(now), "0");
    assert!(!budget.withdraw(now), "still 0, not -1");
    budget.deposit(now);
    budget.deposit(now);
    assert!(budget.withdraw(now), "1.6, 3.2, then 2.2");
    assert!(!budget.withdraw(now), "1.2");
    budget.deposit(now);
    assert!(!budget.withdraw(now), "2.8, then 1.8");
}

/// G3: half of the tokens, and then only as many as successes pay for.
#[test]
fn tokens_grant_less_than_half_of_them() {
    let budget = budget(tokens(100, 0.1));
    assert_eq!(granted(&budget, 49, at(0)), 49);
    assert_eq!(budget.balance(at(0)), 0);
    assert!(!budget.withdraw(at(0)), "50 is not more than half");
    deposit(&budget, 20, at(0));
    assert!(budget.withdraw(at(0)));
    assert!(!budget.withdraw(at(0)));
}

/// G3: it refills with time as well as with success: no throttle for ever.
#[test]
fn tokens_come_back_with_time() {
    let budget = budget(tokens(10, 0.5));
    assert_eq!(granted(&budget, 100, at(0)), 4);
    // Empty: 6 tokens, for one that leaves more than 5, at one in two seconds.
    assert_eq!(budget.balance(at(12_000)), 0);
    assert_eq!(budget.balance(at(12_001)), 1);
    assert_eq!(granted(&budget, 1, at(12_001)), 1);
    assert_eq!(budget.balance(at(600_000)), 4);
}

/// G3: a thread that read the clock long ago does not turn it back.
#[test]
fn a_draw_that_lags_behind_gives_nothing_back() {
    let budget = budget(tokens(10, 1.0));
    assert_eq!(granted(&budget, 100, at(60_000)), 4);
    assert!(!budget.withdraw(at(0)));
    assert_eq!(budget.balance(at(60_000)), 0);
}

/// I10: a success of a throttle needs no clock.
#[test]
fn tokens_take_a_success_without_the_time() {
    let budget = budget(tokens(10, 1.0));
    assert!(!budget.needs_clock_on_success());
    assert_eq!(granted(&budget, 4, at(90_000)), 4);
    deposit(&budget, 2, Moment::ORIGIN);
    assert_eq!(budget.balance(at(90_000)), 2);
    deposit(&budget, 1000, Moment::ORIGIN);
    assert_eq!(budget.balance(at(90_000)), 4, "full is full");
}

/// P1: settings mean the same in code and in a file.
#[test]
fn settings_are_told_apart_by_their_fields() {
    let read = |json: &str| serde_json::from_str::<BudgetSettings>(json).unwrap();
    assert_eq!(read(r#"{"retries_per_second": 10}"#), rate(10.0));
    assert_eq!(read(r#"{"ratio": 0.2}"#), ratio(0.2, 10.0, 10 * SECOND));
    assert_eq!(
        read(r#"{"ratio": 0.2, "min_per_second": 0, "window": "1m"}"#),
        ratio(0.2, 0.0, 60 * SECOND)
    );
    assert_eq!(
        read(r#"{"max_tokens": 100, "token_ratio": 0.1}"#),
        tokens(100, 0.1)
    );
    for settings in [rate(2.5), ratio(0.2, 1.0, SECOND / 2), tokens(7, 0.125)] {
        assert_eq!(read(&serde_json::to_string(&settings).unwrap()), settings);
    }
    assert_eq!(
        serde_json::to_string(&ratio(0.2, 1.0, SECOND / 2)).unwrap(),
        r#"{"ratio":0.2,"min_per_second":1.0,"window":0.5}"#
    );
}

/// F2: what is wrong is named.
#[test]
fn unreadable_settings_name_the_field_or_the_kinds() {
    let error = |json| {
        serde_json::from_str::<BudgetSettings>(json)
            .unwrap_err()
            .to_string()
    };
    assert!(error(r#"{"ration": 0.2}"#).contains("unknown field `ration`"));
    assert!(error(r#"{"ratio": 0.2, "window": "soon"}"#).contains("`soon` is not a duration"));
    for mixed in [
        "{}",
        r#"{"retries_per_second": 1, "ratio": 1}"#,
        r#"{"retries_per_second": 1, "window": 1}"#,
        r#"{"max_tokens": 100}"#,
        r#"{"ratio": 1, "token_ratio": 1}"#,
    ] {
        assert!(error(mixed).contains("a budget is one of"), "{mixed}");
    }
}

/// F2: everything wrong at once, each with field, value and rule.
#[test]
fn settings_out_of_range_are_refused_by_rule() {
    let problems = |settings: BudgetSettings| {
        let problems: Vec<_> = settings
            .problems()
            .iter()
            .map(ToString::to_string)
            .collect();
        let first = Budget::new(settings)
            .err()
            .map(|problem| problem.to_string());
        assert_eq!(first.as_ref(), problems.first());
        problems
    };
    assert_eq!(problems(rate(10.0)), [""; 0]);
    assert_eq!(
        problems(rate(-1.0)),
        ["retries_per_second -1 is outside 0.000001..=1000000"]
    );
    assert_eq!(problems(rate(f64::NAN)).len(), 1);
    assert_eq!(problems(rate(f64::INFINITY)).len(), 1);
    assert_eq!(problems(ratio(0.2, 0.0, SECOND)), [""; 0]);
    assert_eq!(
        problems(ratio(0.0, -1.0, Duration::ZERO)),
        [
            "ratio 0 is outside 0.000001..=1000",
            "min_per_second -1 is outside 0.000001..=1000000",
            "window 0s is shorter than 1ms",
        ]
    );
    assert_eq!(
        problems(tokens(0, f64::NAN)),
        [
            "max_tokens 0 is below 1",
            "token_ratio NaN is outside 0.001..=1000"
        ]
    );
    assert_eq!(
        problems(tokens(1001, 0.1)),
        ["max_tokens 1001 is above 1000"]
    );
}

/// Draws and pays in from many threads, and counts what is granted.
fn granted_among_threads(budget: &Budget, deposits: u64, draws: u64, now: Moment) -> u64 {
    const THREADS: u64 = 4;
    let granted = AtomicU64::new(0);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for nth in 0..draws.max(deposits) / THREADS {
                    if nth < deposits / THREADS {
                        budget.deposit(now);
                    }
                    if nth < draws / THREADS && budget.withdraw(now) {
                        granted.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    granted.into_inner()
}

/// G3: exact under threads: never more than the sum, and all of it.
#[test]
fn threads_together_get_what_there_is_and_no_more() {
    let by_rate = budget(rate(5_000.0));
    assert_eq!(granted_among_threads(&by_rate, 0, 20_000, at(0)), 5_000);

    let by_ratio = budget(ratio(0.75, 0.0, 10 * SECOND));
    let along_the_way = granted_among_threads(&by_ratio, 10_000, 10_000, at(0));
    let rest = granted_among_threads(&by_ratio, 0, 10_000, at(0));
    assert_eq!(along_the_way + rest, 7_500);

    let by_tokens = budget(tokens(1000, 1.0));
    assert_eq!(granted_among_threads(&by_tokens, 0, 480, at(0)), 480);
    assert_eq!(granted_among_threads(&by_tokens, 200, 0, at(0)), 0);
    assert_eq!(by_tokens.balance(at(0)), 499 - 480 + 200);
}

/// G3: the same while the window moves under the threads' feet.
#[test]
fn threads_in_different_ticks_get_no_more_than_the_window_holds() {
    for round in 0..200 {
        let budget = budget(ratio(1.0, 0.0, 10 * SECOND));
        deposit(&budget, 8, at(0));
        let granted = AtomicU64::new(0);
        thread::scope(|scope| {
            for tick in 0..4 {
                let (budget, granted) = (&budget, &granted);
                scope.spawn(move || {
                    let now = at((tick + round) % 4 * 1000);
                    for _ in 0..4 {
                        granted.fetch_add(u64::from(budget.withdraw(now)), Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(granted.into_inner(), 8);
    }
}

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
    fn the_balance_is_what_is_granted(settings in settings(), steps in steps()) {
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
    fn a_ratio_follows_its_model(
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

    /// P3's manner: nothing panics, and nothing is granted out of nothing, at
    /// whatever numbers.
    #[test]
    fn extreme_settings_and_moments_are_survived(
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
