//! G2: many threads at once.

use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

use super::*;
use BreakerState::*;

/// G2: no check-then-act: of many at once, one opens it.
#[test]
fn one_of_many_threads_opens_the_breaker() {
    const THREADS: u32 = 4;
    const EACH: u32 = 2_000;
    let breaker = breaker(BreakerSettings::consecutive(THREADS * EACH, TIMEOUT));
    let opened = AtomicU32::new(0);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..EACH {
                    let change = fail(&breaker, at(0));
                    opened.fetch_add(u32::from(change.is_some()), Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(opened.into_inner(), 1, "each failure counts, the last one opens");
    assert_eq!(breaker.state(at(0)), Open);
}

/// G1: probes are limited across threads.
#[test]
fn probes_are_limited_across_threads() {
    const THREADS: usize = 4;
    const PROBES: u32 = 3;
    let breaker =
        breaker(BreakerSettings::consecutive(1, TIMEOUT).probes(PROBES).success_threshold(250));
    let out = AtomicU32::new(0);
    let start = Barrier::new(THREADS);
    let mut now = at(0);
    for _ in 0..50 {
        breaker.open(now);
        now = now + TIMEOUT;
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(|| {
                    start.wait();
                    for round in 0..20 {
                        let Ok(probe) = breaker.acquire(now) else {
                            continue;
                        };
                        let before = out.fetch_add(1, Ordering::SeqCst);
                        assert!(before < PROBES, "{before} were out already");
                        thread::yield_now();
                        out.fetch_sub(1, Ordering::SeqCst);
                        if round % 2 == 0 {
                            breaker.ignore(probe);
                        } else {
                            breaker.success(probe, now, None);
                        }
                    }
                });
            }
        });
        assert_eq!(breaker.state(now), HalfOpen);
    }
}
