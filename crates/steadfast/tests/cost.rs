//! I10: success costs next to nothing. No allocation and no clock read under a plain policy,
//! counted by an allocator and a clock that count.

#![cfg(not(loom))]
#![allow(clippy::unwrap_used, unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::future::{Ready, ready};
use std::hint::black_box;
use std::io::{self, ErrorKind};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use steadfast::drive::{BlockingSleeper, Environment, Sleeper};
use steadfast::guard::{Breaker, BreakerSettings, Budget, BudgetSettings};
use steadfast::{Attempt, Moment, Policy, retry};

thread_local! {
    /// What this thread has allocated; the others are of no concern.
    static ALLOCATED: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is handed on as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATED.set(ALLOCATED.get() + 1);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A clock that counts how often it is read.
#[derive(Clone, Copy)]
struct Counted<'c>(&'c Cell<u64>);

impl Environment for Counted<'_> {
    type Sleep = Ready<()>;

    fn now(&self) -> Moment {
        self.0.set(self.0.get() + 1);
        Moment::ORIGIN
    }
}

impl Sleeper for Counted<'_> {
    fn sleep(&self, _: Duration) -> Ready<()> {
        ready(())
    }
}

impl BlockingSleeper for Counted<'_> {
    fn block(&self, _: Duration) {}
}

/// What a session cost.
#[derive(Debug, PartialEq, Eq)]
struct Cost {
    allocations: u64,
    clock_reads: u64,
}

const NOTHING: Cost = Cost { allocations: 0, clock_reads: 0 };

fn cost(run: impl FnOnce(Counted<'_>)) -> Cost {
    let reads = Cell::new(0);
    let before = ALLOCATED.get();
    run(Counted(&reads));
    Cost { allocations: ALLOCATED.get() - before, clock_reads: reads.get() }
}

/// Polls a future that can end at once.
fn at_once<T>(future: impl Future<Output = T>) -> T {
    let mut context = Context::from_waker(Waker::noop());
    match pin!(future).poll(&mut context) {
        Poll::Ready(output) => output,
        Poll::Pending => unreachable!("it waits"),
    }
}

/// What success costs in both drivers, built up alike.
macro_rules! costs {
    ($policy:expr, $operation:expr $(, $method:ident($($argument:expr),*))*) => {{
        let operation = $operation;
        [
            cost(|clock| {
                let session = retry($policy, operation)
                    .environment(clock)
                    $(.$method($($argument),*))*;
                assert!(black_box(session.call()).is_ok());
            }),
            cost(|clock| {
                let session = retry($policy, move || async move { operation() })
                    .environment(clock)
                    $(.$method($($argument),*))*;
                assert!(black_box(at_once(session.into_future())).is_ok());
            }),
        ]
    }};
}

fn plain() -> Policy {
    Policy::exponential(Duration::from_secs(1)).max_attempts(5).build().unwrap()
}

fn good() -> io::Result<u64> {
    Ok(black_box(7))
}

/// The instruments of this test do count.
#[test]
fn counters_detect_costs() {
    let spent = cost(|clock| {
        drop(black_box(Box::new(7)));
        clock.now();
    });
    assert_eq!(spent, Cost { allocations: 1, clock_reads: 1 });
}

/// I10: a plain policy's success allocates nothing and reads no clock.
#[test]
fn success_costs_nothing() {
    let policy = plain();
    assert_eq!(costs!(&policy, good), [NOTHING, NOTHING]);
}

/// I10: nor does it under a name.
#[test]
fn name_costs_nothing() {
    let policy = plain();
    assert_eq!(costs!(&policy, good, named("storage.upsert")), [NOTHING, NOTHING]);
}

/// I10: nor does being ready to judge values, probe, count retries or repeat a run.
#[test]
fn unused_settings_cost_nothing() {
    let policy = plain();
    assert_eq!(costs!(&policy, good, until(|value| *value == 7)), [NOTHING, NOTHING]);
    assert_eq!(costs!(&policy, good, judge(|_| None)), [NOTHING, NOTHING]);
    assert_eq!(costs!(&policy, good, seed(7)), [NOTHING, NOTHING]);
    assert_eq!(costs!(&policy, good, on_retry(|_, _| ())), [NOTHING, NOTHING]);
}

/// I10: nor does the attempt argument.
#[test]
fn attempt_argument_costs_nothing() {
    let policy = plain();
    let operation = |attempt: Attempt| {
        black_box(attempt.key());
        Ok::<_, io::Error>(attempt.number())
    };
    // What a process draws once, it has.
    assert!(retry(&policy, operation).call().is_ok());
    let blocking =
        cost(|clock| assert!(retry(&policy, operation).environment(clock).call().is_ok()));
    let future = cost(|clock| {
        let session =
            retry(&policy, |attempt: Attempt| ready(operation(attempt))).environment(clock);
        assert!(at_once(session.into_future()).is_ok());
    });
    assert_eq!([blocking, future], [NOTHING, NOTHING]);
}

/// I10, G1: a simple breaker needs no clock while it is closed.
#[test]
fn simple_breaker_reads_no_clock() {
    let policy = plain();
    let breaker = Breaker::new(BreakerSettings::consecutive(5, Duration::from_secs(60))).unwrap();
    assert_eq!(costs!(&policy, good, breaker(&breaker)), [NOTHING, NOTHING]);
    let window = BreakerSettings::rate_over_calls(0.5, 100, Duration::from_secs(60));
    let breaker = Breaker::new(window).unwrap();
    assert_eq!(costs!(&policy, good, breaker(&breaker)), [NOTHING, NOTHING]);
}

/// I10, G3: a budget needs no clock on success; a ratio's window asks for one with every
/// sixteenth.
#[test]
fn budget_reads_the_clock_only_if_needed() {
    let policy = plain();
    let ratio =
        BudgetSettings::Ratio { ratio: 0.2, min_per_second: 1.0, window: Duration::from_secs(10) };
    for settings in [
        BudgetSettings::Rate { retries_per_second: 10.0 },
        BudgetSettings::Tokens { max_tokens: 100, token_ratio: 0.1 },
        ratio,
    ] {
        let budget = Budget::new(settings).unwrap();
        assert_eq!(costs!(&policy, good, budget(&budget)), [NOTHING, NOTHING], "{settings:?}");
    }
    let budget = Budget::new(ratio).unwrap();
    let reads: u64 = (0..16)
        .map(|_| costs!(&policy, good, budget(&budget)))
        .map(|[blocking, future]| blocking.clock_reads + future.clock_reads)
        .sum();
    assert_eq!(reads, 2, "32 successes");
}

/// I10: a plain policy reads no clock on failure, either, and the first two failures are
/// remembered without an allocation.
#[test]
fn retry_reads_no_clock() {
    let policy = plain();
    let attempts = Cell::new(0);
    let third = || {
        attempts.set(attempts.get() + 1);
        if attempts.get() % 3 == 0 { Ok(()) } else { Err(io::Error::from(ErrorKind::TimedOut)) }
    };
    let blocking = cost(|clock| assert!(retry(&policy, third).environment(clock).call().is_ok()));
    let future = cost(|clock| {
        let session = retry(&policy, || ready(third())).environment(clock);
        assert!(at_once(session.into_future()).is_ok());
    });
    assert_eq!([blocking, future], [NOTHING, NOTHING]);
    assert_eq!(attempts.get(), 6);
}

/// I10: a sleeping session is its timer and its own state, with nothing on the heap. Prints
/// the sizes (tower 120, tokio-retry 152, backon 240 bytes).
#[test]
#[cfg(feature = "tokio")]
fn session_size_is_bounded() {
    let policy = plain();
    let session = retry(&policy, || async { good() }).into_future();
    let whole = size_of_val(&session);
    drop(session);
    let timer = size_of::<tokio::time::Sleep>();
    println!("a session: {whole} bytes, of which tokio's timer {timer}");
    assert!(whole < 4096);
}

/// I10: rules are asked about failures, and cost a success nothing.
#[test]
fn rules_cost_nothing() {
    let policy = Policy::immediate().retry_on(["timeout"]).abort_on(["4xx"]).build().unwrap();
    let warm = costs!(&policy, good);
    assert_eq!(warm.map(|cost| cost.clock_reads), [0, 0]);
    assert_eq!(costs!(&policy, good), [NOTHING, NOTHING]);
}

/// F6, I10: a lookup by name and the start of a session do not allocate. A blocking session reuses
/// the list entry of the previous one.
#[cfg(feature = "file")]
#[test]
fn policy_lookup_by_name_does_not_allocate() {
    let none: [(&str, &str); 0] = [];
    let registry = steadfast::registry::Loader::presets().variables(none).load().unwrap();
    let lookup = || drop(black_box(registry.policy(black_box("sub.system.default"))));
    let future =
        || assert!(at_once(registry.run("grpc", || async { good() }).into_future()).is_ok());
    let blocking = || assert!(registry.run("grpc", good).call().is_ok());
    for session in [&lookup as &dyn Fn(), &future, &blocking] {
        session();
        assert_eq!(cost(|_| session()).allocations, 0);
    }
}
