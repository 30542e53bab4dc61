//! G3: exact among many threads.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use super::*;

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
fn threads_together_get_exactly_the_balance() {
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
fn threads_in_different_ticks_share_the_window() {
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
