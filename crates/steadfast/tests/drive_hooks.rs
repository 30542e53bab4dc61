//! Hooks before a retry, on giving up and on success (I9).

#![cfg(all(not(loom), feature = "tokio"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

#[path = "common/both.rs"]
mod both;
#[path = "common/world.rs"]
#[allow(dead_code, clippy::expect_used)]
mod world;

use std::cell::{Cell, RefCell};
use std::io::{self, ErrorKind};
use std::time::Duration;

use steadfast::drive::{AttemptFailed, EventKind, SessionEvent};
use steadfast::guard::{Breaker, BreakerSettings};
use steadfast::{Attempt, Class, Fault, Kind, Moment, Policy, Reason};

use both::both;

const SECOND: Duration = Duration::from_secs(1);

fn reset(message: impl ToString) -> io::Error {
    io::Error::new(ErrorKind::ConnectionReset, message.to_string())
}

fn doubling() -> Policy {
    Policy::exponential(SECOND).max_attempts(3).build().unwrap()
}

/// A policy that needs state before the first attempt.
fn prepared() -> Policy {
    Policy::exponential(SECOND).max_attempts(3).max_duration(60 * SECOND).build().unwrap()
}

/// Fails before the attempt of this number.
fn until(number: u32) -> impl Fn(&Attempt) -> io::Result<u32> {
    move |attempt| if attempt.number() < number { Err(reset(attempt.number())) } else { Ok(number) }
}

/// An event as text.
fn words(event: &SessionEvent<'_>) -> String {
    let SessionEvent { operation, attempt, .. } = event;
    match event.kind {
        EventKind::Retrying { fault, judgement, delay, .. } => {
            let message = fault.message.as_deref().unwrap_or_default();
            let class = judgement.class();
            format!("{operation} {attempt}: {class:?} {message}, again in {delay:?}")
        }
        EventKind::GaveUp { reason, fault, judgement } => {
            let message = fault.and_then(|fault| fault.message.as_deref()).unwrap_or_default();
            let class = judgement.map(|judgement| judgement.class());
            format!("{operation} {attempt}: {reason} {class:?} {message}")
        }
        EventKind::Succeeded => format!("{operation} {attempt}: succeeded"),
        _ => format!("{operation} {attempt}: {:?}", event.kind),
    }
}

/// I9: each hook is called for its event, in order, with the
/// attempt that has just ended, its fault, its class and the delay.
#[test]
fn hooks_are_called_in_order() {
    for policy in [doubling(), prepared()] {
        for (good, expected) in [
            (1, &["upsert 1: succeeded"][..]),
            (
                3,
                &[
                    "upsert 1: Retryable 1, again in 1s",
                    "upsert 2: Retryable 2, again in 2s",
                    "upsert 3: succeeded",
                ],
            ),
            (
                9,
                &[
                    "upsert 1: Retryable 1, again in 1s",
                    "upsert 2: Retryable 2, again in 2s",
                    "upsert 3: attempts_exhausted Some(Retryable) 3",
                ],
            ),
        ] {
            let log = RefCell::new(Vec::new());
            let note = |event: &SessionEvent<'_>| log.borrow_mut().push(words(event));
            let _ = both!(&policy, until(good), named("upsert"), on_event(note));
            assert_eq!(log.take(), [expected, expected].concat());
        }
    }
}

/// I9: a hook before a retry is called before the wait, not after it.
#[test]
fn on_retry_is_called_before_the_wait() {
    let policy = prepared();
    let times = RefCell::new(Vec::new());
    let note = |event: &SessionEvent<'_>| times.borrow_mut().push(event.now);
    let _ = both!(&policy, until(9), on_event(note));
    let expected = [0, 1, 3].map(|seconds| Moment::ORIGIN + seconds * SECOND);
    assert_eq!(times.take(), [expected, expected].concat());
}

/// I9: the hook before a retry receives the error itself, its number, its class and the delay.
#[test]
fn on_retry_receives_the_error_and_the_delay() {
    let policy = doubling();
    let log = RefCell::new(Vec::new());
    let _ = both!(
        &policy,
        until(9),
        on_retry(|failed: &AttemptFailed<'_, io::Error>, delay| {
            let kind = failed.error().unwrap().kind();
            assert_eq!(
                (kind, failed.fault().kind),
                (ErrorKind::ConnectionReset, Some(Kind::ConnectionReset))
            );
            assert_eq!(failed.class(), Class::Retryable);
            log.borrow_mut().push((failed.attempt(), failed.to_string(), delay));
        })
    );
    let expected = [(1, "1".to_owned(), SECOND), (2, "2".to_owned(), 2 * SECOND)];
    assert_eq!(log.take(), [expected.clone(), expected].concat());
}

/// I3, I9: an attempt that returned a rejected value left no error.
#[test]
fn on_retry_receives_no_error_of_a_rejected_value() {
    let policy = doubling();
    let log = RefCell::new(Vec::new());
    let _ = both!(
        &policy,
        |attempt: &Attempt| Ok::<_, io::Error>(attempt.number()),
        until(|number| *number > 1),
        on_retry(|failed: &AttemptFailed<'_, io::Error>, _| {
            log.borrow_mut().push((failed.error().is_none(), failed.fault().kind));
        })
    );
    assert_eq!(log.take(), [(true, Some(Kind::ValueRejected)); 2]);
}

/// I9: a hook stays when the source of facts is replaced after it.
#[test]
fn on_retry_stays_when_facts_are_replaced() {
    let policy = doubling();
    let calls = Cell::new(0);
    let count = |_: &AttemptFailed<'_, io::Error>, _| calls.set(calls.get() + 1);
    let _ = both!(&policy, until(9), on_retry(count), when(|_: &io::Error| true));
    let _ = both!(&policy, until(9), on_retry(count), facts(|_: &io::Error| Fault::http(503)));
    assert_eq!(calls.get(), 8);
}

/// I9: a final error ends the session: only `on_give_up` is called.
#[test]
fn on_give_up_is_called_once_for_a_final_error() {
    for policy in [doubling(), prepared()] {
        let log = RefCell::new(Vec::new());
        let note = |event: &SessionEvent<'_>| {
            let EventKind::GaveUp { reason, fault, judgement } = event.kind else { return };
            let kind = fault.unwrap().kind;
            log.borrow_mut().push((event.attempt, reason, kind, judgement.unwrap().class()));
        };
        let _ = both!(
            &policy,
            |_: &Attempt| Err::<(), _>(io::Error::from(ErrorKind::InvalidInput)),
            on_retry(|_, _| unreachable!("it is final")),
            on_success(|_| unreachable!("it failed")),
            on_give_up(note)
        );
        let expected = (1, Reason::Final, Some(Kind::Argument), Class::Final);
        assert_eq!(log.take(), [expected, expected]);
    }
}

/// I9, G2: for a rejected session only `on_give_up` is called.
#[test]
fn on_give_up_is_called_for_a_rejection() {
    for policy in [doubling(), prepared()] {
        let breaker = Breaker::new(BreakerSettings::consecutive(1, 60 * SECOND)).unwrap();
        breaker.open(Moment::ORIGIN);
        let log = RefCell::new(Vec::new());
        let _ = both!(
            &policy,
            until(1),
            breaker(&breaker),
            on_give_up(|event| log.borrow_mut().push(words(event)))
        );
        assert_eq!(log.take(), ["operation 1: breaker_open None "; 2]);
    }
}

/// I9: an operation without a name has its policy's id.
#[test]
fn events_carry_the_operation_name() {
    let policy = Policy::immediate().id("calls").build().unwrap();
    let log = RefCell::new(Vec::new());
    let note = |event: &SessionEvent<'_>| {
        assert_eq!(event.policy.id(), Some("calls"));
        log.borrow_mut().push(event.operation.to_owned());
    };
    let _ = both!(&policy, until(1), on_success(note));
    let _ = both!(&policy, until(1), on_success(note), named("upsert"));
    assert_eq!(log.take(), ["calls", "calls", "upsert", "upsert"]);
}

/// I9: hooks of one kind are all called, in the order in which they were given.
#[test]
fn several_hooks_are_all_called() {
    let policy = doubling();
    let log = RefCell::new(Vec::new());
    let _ = both!(
        &policy,
        until(2),
        on_retry(|_, _| log.borrow_mut().push("first")),
        on_retry(|_, _| log.borrow_mut().push("second"))
    );
    assert_eq!(log.take(), ["first", "second", "first", "second"]);
}

/// I9: a panicking hook affects neither the session, nor its result, nor later hooks.
#[test]
fn panicking_hook_does_not_end_the_session() {
    for policy in [doubling(), prepared()] {
        for good in [1, 2, 9] {
            let (panics, after) = (Cell::new(0), Cell::new(0));
            let panic = |_: &SessionEvent<'_>| {
                panics.set(panics.get() + 1);
                std::panic::panic_any("of a hook");
            };
            let count = |_: &SessionEvent<'_>| after.set(after.get() + 1);
            let ends = both!(
                &policy,
                until(good),
                on_retry(|_: &AttemptFailed<'_, io::Error>, _| std::panic::panic_any("of a hook")),
                on_event(panic),
                on_event(count)
            );
            for (end, world) in ends {
                match end {
                    Ok(value) => assert_eq!(value, good),
                    Err(error) => {
                        assert_eq!((error.reason(), good), (Reason::AttemptsExhausted, 9));
                        assert_eq!(error.gave_up().failures.len(), 3);
                        assert_eq!(error.into_error().unwrap().to_string(), "3");
                    }
                }
                let waits = [SECOND, 2 * SECOND];
                assert_eq!(world.waits(), waits[..(good.min(3) - 1) as usize]);
            }
            assert_eq!((panics.get(), after.get()), (2 * good.min(3), 2 * good.min(3)));
        }
    }
}
