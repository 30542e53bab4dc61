//! Nested sessions (I7): by default only one of them retries at any time, so that attempts add up
//! instead of multiplying.

#![cfg(all(not(loom), feature = "tokio"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::cell::{Cell, RefCell};
use std::future::ready;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicU32, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use steadfast::policy::{Draft, Nested};
use steadfast::{Attempt, Class, Fault, Kind, Policy, Reason, RetryError, retry};

fn thrice() -> Draft {
    Policy::immediate().max_attempts(3)
}

fn build(draft: Draft) -> Policy {
    draft.build().unwrap()
}

/// The original error of a session.
fn bare(error: RetryError<Fault>) -> Fault {
    error.into_error().unwrap()
}

/// How many calls two sessions make of an operation that always fails with `fault`, and why
/// the outer one gave up; for each combination of the two drivers.
fn calls(outer: &Policy, inner: &Policy, fault: &Fault) -> [(u32, Reason); 4] {
    let count = Cell::new(0);
    let down = || {
        count.set(count.get() + 1);
        Err::<(), _>(fault.clone())
    };
    let blocking = || retry(inner, down).call().map_err(bare);
    let passing = || async {
        let session = retry(inner, || async {
            yielded().await;
            down()
        });
        session.await.map_err(bare)
    };
    let summary = |end: Result<(), RetryError<Fault>>| (count.take(), end.unwrap_err().reason());
    [
        summary(retry(outer, blocking).call()),
        summary(run(retry(outer, passing).into_future())),
        summary(run(retry(outer, || async { blocking() }).into_future())),
        summary(retry(outer, || run(passing())).call()),
    ]
}

/// Lets the others run once.
fn yielded() -> impl Future<Output = ()> {
    let mut yielded = false;
    std::future::poll_fn(move |_| {
        if std::mem::replace(&mut yielded, true) { Poll::Ready(()) } else { Poll::Pending }
    })
}

fn poll<T>(future: Pin<&mut impl Future<Output = T>>) -> Poll<T> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

fn run<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = poll(future.as_mut()) {
            return output;
        }
    }
}

fn unavailable() -> Fault {
    Fault::http(503)
}

/// I7: by default the inner session leaves to the outer one what that will retry: one call
/// for each attempt of the outer one. Only at the last attempt
/// of the outer one does the inner one retry: five calls, not nine.
#[test]
fn inner_session_leaves_retries_to_outer_session() {
    // An attempt that is pending under `max_duration` has a timer.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _inside = runtime.enter();
    for outer in
        [thrice(), thrice().max_duration(Duration::from_secs(60)), thrice().idempotent(false)]
    {
        let summary = calls(&build(outer), &build(thrice()), &unavailable());
        assert_eq!(summary, [(1 + 1 + 3, Reason::AttemptsExhausted); 4]);
    }
}

/// I7: an inner session that leaves it to the outer one says so, and has made one attempt.
#[test]
fn inner_session_gives_up_with_left_to_outer() {
    let policy = build(thrice());
    let seen = RefCell::new(Vec::new());
    let operation = || {
        let inner = retry(&policy, || Err::<(), _>(unavailable())).call();
        let error = inner.unwrap_err();
        seen.borrow_mut().push((error.reason(), error.attempts()));
        Err::<(), _>(bare(error))
    };
    let error = retry(&policy, operation).call().unwrap_err();
    assert_eq!(error.reason(), Reason::AttemptsExhausted);
    let left = (Reason::LeftToOuter, 1);
    assert_eq!(seen.take(), [left, left, (Reason::AttemptsExhausted, 3)]);
}

/// I7: a success of the inner operation ends both sessions.
#[test]
fn success_is_returned_through_all_levels() {
    let policy = build(thrice());
    let count = Cell::new(0);
    let second = || {
        count.set(count.get() + 1);
        if count.get() == 2 { Ok("done") } else { Err(unavailable()) }
    };
    let inner = || retry(&policy, second).call().map_err(bare);
    let (value, report) = retry(&policy, inner).with_report().call().unwrap();
    assert_eq!((value, report.attempts, count.get()), ("done", 2, 2));
}

/// I7: the inner session retries what the outer rules would not.
#[test]
fn inner_session_retries_what_outer_session_would_not() {
    let inner = build(thrice());
    for outer in [thrice().abort_on(["503"]), thrice().retry_on(["timeout"])] {
        let outer = build(outer);
        assert_eq!(calls(&outer, &inner, &unavailable()), [(3, Reason::Final); 4]);
        // And what they would, is not.
        let summary = calls(&outer, &inner, &Fault::of(Kind::Timeout));
        assert_eq!(summary, [(5, Reason::AttemptsExhausted); 4]);
    }
    // Rules of the inner one's own count for the inner one alone.
    let inner = build(thrice().retry_on(["404"]));
    assert_eq!(calls(&build(thrice()), &inner, &Fault::http(404)), [(3, Reason::Final); 4]);
}

/// I7: an outer session that will not retry leaves all of it to the inner one.
#[test]
fn outer_session_without_retries_is_ignored() {
    let inner = build(thrice());
    for (outer, reason) in [
        (thrice().enabled(false), Reason::Disabled),
        (thrice().max_attempts(1), Reason::AttemptsExhausted),
    ] {
        assert_eq!(calls(&build(outer), &inner, &unavailable()), [(3, reason); 4]);
    }
}

/// I7, J9: the outer session will not repeat what may have taken effect; the inner one, for
/// which that is safe, does.
#[test]
fn outer_session_that_may_not_repeat_is_ignored() {
    let outer = build(thrice().idempotent(false));
    let lost = Fault::of(Kind::Timeout).with_unknown_outcome();
    let summary = calls(&outer, &build(thrice()), &lost);
    assert_eq!(summary, [(3, Reason::NotSafeToRetry); 4]);
}

/// I7, J9: with its key in use it may, so the inner one leaves it to the outer one again.
#[test]
fn outer_session_with_key_may_repeat() {
    let (outer, inner) = (build(thrice().idempotent(false)), build(thrice()));
    let count = Cell::new(0);
    let lost = || {
        count.set(count.get() + 1);
        Err::<(), _>(Fault::of(Kind::Timeout).with_unknown_outcome())
    };
    let inside = || retry(&inner, lost).call().map_err(bare);
    let given = retry(&outer, inside).key("given").call();
    assert_eq!((given.unwrap_err().reason(), count.take()), (Reason::AttemptsExhausted, 5));

    let reads_it = |attempt: Attempt| {
        let _ = attempt.key();
        inside()
    };
    let read = retry(&outer, reads_it).call();
    assert_eq!((read.unwrap_err().reason(), count.take()), (Reason::AttemptsExhausted, 5));
}

/// I7, J1: a class override applies to the inner session only.
#[test]
fn class_override_applies_to_its_session_only() {
    let policy = build(thrice());
    let count = Cell::new(0);
    let missing = || {
        count.set(count.get() + 1);
        Err::<(), _>(Fault::http(404))
    };
    let overrule = |_: &Fault| Some(Class::Retryable);
    let inner = || retry(&policy, missing).judge(overrule).call().map_err(bare);
    let error = retry(&policy, inner).call().unwrap_err();
    assert_eq!((error.reason(), count.get()), (Reason::Final, 3));
}

/// I7: `nested: both` multiplies, whichever of the two says it.
#[test]
fn nested_both_multiplies_attempts() {
    let both = build(thrice().nested(Nested::Both));
    let (plain, ruled) = (build(thrice()), build(thrice().abort_on(["404"])));
    for (outer, inner) in [(&both, &both), (&both, &plain), (&plain, &both), (&ruled, &both)] {
        let summary = calls(outer, inner, &unavailable());
        assert_eq!(summary, [(9, Reason::AttemptsExhausted); 4]);
    }
}

/// I7: `nested: inner` on the outer session: what the inner one gave up is not repeated.
#[test]
fn nested_inner_retries_in_the_inner_session() {
    let outer = build(thrice().nested(Nested::Inner));
    let summary = calls(&outer, &build(thrice()), &unavailable());
    assert_eq!(summary, [(3, Reason::RetriedInside); 4]);
}

/// I7: but what no inner session gave up is retried as ever.
#[test]
fn outer_session_retries_what_inner_session_did_not() {
    let (outer, inner) = (build(thrice().nested(Nested::Inner)), build(thrice()));
    let attempts = Cell::new(0);
    let operation = |fails_inside: u32| {
        attempts.set(attempts.get() + 1);
        let fails = attempts.get() == fails_inside;
        let inside = || if fails { Err(unavailable()) } else { Ok(()) };
        retry(&inner, inside).call().map_err(bare)?;
        Err::<(), _>(unavailable())
    };
    for (fails_inside, made, reason) in [
        (0, 3, Reason::AttemptsExhausted),
        (1, 1, Reason::RetriedInside),
        (2, 2, Reason::RetriedInside),
    ] {
        attempts.set(0);
        let end = retry(&outer, || operation(fails_inside)).call();
        assert_eq!((end.unwrap_err().reason(), attempts.get()), (reason, made));

        attempts.set(0);
        let session = retry(&outer, || async {
            yielded().await;
            operation(fails_inside)
        });
        let end = run(session.into_future());
        assert_eq!((end.unwrap_err().reason(), attempts.get()), (reason, made));
    }
}

/// I7: an inner session that ended with an error that is final has retried nothing: the outer
/// one judges for itself.
#[test]
fn final_error_of_inner_session_was_not_retried() {
    let outer = build(thrice().nested(Nested::Inner).retry_on(["404"]));
    let summary = calls(&outer, &build(thrice()), &Fault::http(404));
    assert_eq!(summary, [(3, Reason::AttemptsExhausted); 4]);
}

/// I7: three levels: only one of them retries at any time.
#[test]
fn outermost_of_three_levels_retries() {
    let count = Cell::new(0);
    let levels = |outer: &Policy, middle: &Policy, inner: &Policy| {
        let down = || {
            count.set(count.get() + 1);
            Err::<(), _>(unavailable())
        };
        let third = || retry(inner, down).call().map_err(bare);
        let second = || retry(middle, third).call().map_err(bare);
        let blocking = retry(outer, second).call().unwrap_err();
        let blocking = (count.take(), blocking.reason());

        let third = || async {
            yielded().await;
            retry(inner, || ready(down())).await.map_err(bare)
        };
        let second = || async { retry(middle, third).await.map_err(bare) };
        let future = run(retry(outer, second).into_future()).unwrap_err();
        assert_eq!((count.take(), future.reason()), blocking);
        blocking
    };
    let [one, both, inner] = [
        build(thrice()),
        build(thrice().nested(Nested::Both)),
        build(thrice().nested(Nested::Inner)),
    ];
    // Two for the outer one, then two for the middle one, then three for the inner one.
    assert_eq!(levels(&one, &one, &one), (7, Reason::AttemptsExhausted));
    assert_eq!(levels(&both, &both, &both), (27, Reason::AttemptsExhausted));
    // The middle and the inner one share theirs, and the outer one does not repeat them.
    assert_eq!(levels(&inner, &one, &one), (5, Reason::RetriedInside));
    assert_eq!(levels(&inner, &inner, &one), (3, Reason::RetriedInside));
}

/// I7: a session that waits is not around the code that runs meanwhile on its thread.
#[test]
fn interleaved_sessions_are_independent() {
    for policy in [build(thrice()), build(thrice().abort_on(["404"]))] {
        let (one, other) = (Cell::new(0), Cell::new(0));
        let down = |cell: &Cell<u32>| {
            cell.set(cell.get() + 1);
            Err::<(), _>(unavailable())
        };
        let inside = |cell| {
            retry(&policy, move || async move {
                yielded().await;
                down(cell)
            })
        };
        let outer = |cell| {
            retry(&policy, move || async move {
                yielded().await;
                inside(cell).await.map_err(bare)
            })
            .into_future()
        };
        let (mut first, mut second) = (pin!(outer(&one)), pin!(outer(&other)));
        let mut ended = [false; 2];
        while ended != [true; 2] {
            // Between polls, an independent session retries in full.
            let alone = Cell::new(0);
            let _ = retry(&policy, || down(&alone)).call();
            assert_eq!(alone.get(), 3);
            ended[0] = ended[0] || poll(first.as_mut()).is_ready();
            ended[1] = ended[1] || poll(second.as_mut()).is_ready();
        }
        assert_eq!((one.get(), other.get()), (5, 5));
    }
}

/// I7: nor do those of a runtime with many threads, whichever thread a task wakes up on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sessions_of_different_tasks_are_independent() {
    async fn nested(outer: &Policy, inner: &Policy) -> u32 {
        let count = AtomicU32::new(0);
        let down = || async {
            tokio::task::yield_now().await;
            count.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
            Err::<(), _>(unavailable())
        };
        let inside = || async {
            tokio::task::yield_now().await;
            retry(inner, down).await.map_err(bare)
        };
        retry(outer, inside).await.unwrap_err();
        count.into_inner()
    }
    let tasks = (0..64).map(|task| {
        tokio::spawn(async move {
            let inner = build(thrice());
            let (outer, expected) = match task % 4 {
                0 => (build(thrice()), 5),
                1 => (build(thrice().abort_on(["404"])), 5),
                2 => (build(thrice().nested(Nested::Inner)), 3),
                _ => (build(thrice().enabled(false)), 3),
            };
            for _ in 0..16 {
                assert_eq!(nested(&outer, &inner).await, expected, "task {task}");
            }
        })
    });
    for task in tasks.collect::<Vec<_>>() {
        task.await.unwrap();
    }
}

/// I7, I6: after a panic inside, no nesting state is left.
#[test]
fn panic_leaves_no_nesting_state() {
    let panics = || -> Result<(), Fault> { std::panic::panic_any("inside") };
    for outer in [
        thrice(),
        thrice().abort_on(["404"]),
        thrice().nested(Nested::Inner),
        thrice().max_duration(Duration::from_secs(60)),
    ] {
        let outer = build(outer);
        let inside = || retry(&outer, panics).call().map_err(bare);
        let caught = [
            catch_unwind(AssertUnwindSafe(|| {
                let _ = retry(&outer, inside).call();
            })),
            catch_unwind(AssertUnwindSafe(|| {
                let session = retry(&outer, || async { inside() });
                let _ = run(session.into_future());
            })),
        ];
        for panic in caught {
            assert_eq!(*panic.unwrap_err().downcast::<&str>().unwrap(), "inside");
            // An independent session.
            let alone = retry(&build(thrice()), || Err::<(), _>(unavailable())).call().unwrap_err();
            assert_eq!((alone.reason(), alone.attempts()), (Reason::AttemptsExhausted, 3));
        }
    }
}

/// I7: nor is anything left of a session that was dropped between two polls.
#[test]
fn dropped_session_leaves_no_nesting_state() {
    let outer = build(thrice().abort_on(["404"]));
    {
        let inside = || async {
            yielded().await;
            Err::<(), _>(unavailable())
        };
        let mut session = pin!(retry(&outer, inside).into_future());
        assert!(poll(session.as_mut()).is_pending());
    }
    let alone = retry(&outer, || Err::<(), _>(unavailable())).call();
    assert_eq!(alone.unwrap_err().attempts(), 3);
}

/// I7: an operation may run a session before it returns its future; that one is inside, too.
#[test]
fn session_before_the_future_is_detected() {
    let policy = build(thrice());
    let timed = build(thrice().max_duration(Duration::from_secs(60)));
    for outer in [&policy, &timed] {
        let count = Cell::new(0);
        let down = || {
            count.set(count.get() + 1);
            Err::<(), _>(unavailable())
        };
        let inside = || ready(retry(&policy, down).call().map_err(bare));
        let error = run(retry(outer, inside).into_future()).unwrap_err();
        assert_eq!((error.reason(), count.get()), (Reason::AttemptsExhausted, 5));
    }
}
