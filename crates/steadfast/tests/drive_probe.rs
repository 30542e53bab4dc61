//! Unknown outcomes: probes (I12), and repeating only what is safe (J9).

#![cfg(all(not(loom), feature = "tokio"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

#[path = "common/both.rs"]
mod both;
#[path = "common/world.rs"]
#[allow(dead_code, clippy::expect_used)]
mod world;

use std::cell::{Cell, RefCell};
use std::future::{pending, ready};
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use steadfast::guard::breaker::BreakerState;
use steadfast::guard::{Breaker, BreakerSettings};
use steadfast::policy::Draft;
use steadfast::{
    Attempt, CancelHandle, Class, Effect, Fault, Hint, Key, Kind, Moment, Policy, Reason, retry,
};

use both::both;
use world::World;

const SECOND: Duration = Duration::from_secs(1);

/// The request may have been sent.
fn lost() -> Fault {
    Fault::of(Kind::Timeout).with_unknown_outcome()
}

fn fixed() -> Draft {
    Policy::fixed(SECOND).max_attempts(3)
}

fn not_idempotent() -> Policy {
    fixed().idempotent(false).build().unwrap()
}

/// Runs an operation through both drivers, with a probe, a function of `&Key`.
macro_rules! probed {
    ($policy:expr, $operation:expr, $probe:expr $(, $method:ident($($argument:expr),*))* $(,)?) => {{
        let (operation, probe) = ($operation, $probe);
        let world = World::new([]);
        let end = retry($policy, |attempt: Attempt| operation(&attempt))
            .environment(world.clone())
            .probe(|key: Key| probe(&key))
            $(.$method($($argument),*))*
            .call();
        let blocking = (end, world);
        let world = World::new([]);
        let session = retry($policy, |attempt: Attempt| ready(operation(&attempt)))
            .environment(world.clone())
            .probe(|key: Key| {
                let passing = world.passing(SECOND);
                let probe = &probe;
                async move {
                    passing.await;
                    probe(&key)
                }
            })
            $(.$method($($argument),*))*;
        let end = world.run(session.into_future());
        [blocking, (end, world)]
    }};
}

/// J9: what may have taken effect is repeated if the policy says `idempotent` or the operation
/// uses its key, and not otherwise.
#[test]
fn unknown_outcome_is_repeated_only_if_safe() {
    let exhausted = (Reason::AttemptsExhausted, 3);
    for (idempotent, reads, given, expected) in [
        (true, false, None, exhausted),
        (false, false, None, (Reason::NotSafeToRetry, 1)),
        (false, true, None, exhausted),
        (false, false, Some("given"), exhausted),
    ] {
        let policy = fixed().idempotent(idempotent).build().unwrap();
        let ends = both!(
            &policy,
            |attempt: &Attempt| {
                if reads {
                    let _ = attempt.key();
                }
                Err::<(), _>(lost())
            },
            maybe_key(given.map(Key::from))
        );
        for (end, _) in ends {
            let error = end.unwrap_err();
            assert_eq!((error.reason(), error.attempts()), expected);
            assert_eq!(error.gave_up().failures[0].class, Class::UnknownOutcome);
        }
    }
}

/// J9: what is known to have had no effect is repeated, idempotent or not.
#[test]
fn failure_without_effect_is_repeated() {
    let policy = not_idempotent();
    let refused = || Fault::of(Kind::ConnectionRefused);
    for (end, _) in both!(&policy, |_: &Attempt| Err::<(), _>(refused())) {
        assert_eq!(end.unwrap_err().attempts(), 3);
    }
}

/// I12: it took effect: the probe's value is the session's, and nothing is retried.
#[test]
fn probe_that_finds_effect_ends_with_success() {
    for policy in [not_idempotent(), fixed().build().unwrap()] {
        let calls = Cell::new(0);
        let ends = probed!(
            &policy,
            |_: &Attempt| {
                calls.set(calls.get() + 1);
                Err::<&str, _>(lost())
            },
            |_: &Key| Effect::Yes("found"),
            with_report(),
        );
        assert_eq!(calls.get(), 2);
        for (end, world) in ends {
            let (value, report) = end.unwrap();
            assert_eq!((value, report.attempts), ("found", 1));
            assert!(world.waits().is_empty());
        }
    }
}

/// I12: it took no effect: it is retried, though the policy is not idempotent.
#[test]
fn probe_that_finds_no_effect_allows_a_retry() {
    let policy = not_idempotent();
    let ends = probed!(
        &policy,
        |attempt: &Attempt| if attempt.number() < 3 { Err(lost()) } else { Ok("third") },
        |_: &Key| Effect::No,
        with_report(),
    );
    for (end, world) in ends {
        let (value, report) = end.unwrap();
        assert_eq!((value, report.attempts), ("third", 3));
        assert!(report.failures.iter().all(|failure| failure.class == Class::Retryable));
        assert_eq!(world.waits(), [SECOND; 2]);
    }
}

/// I12, J9: an unknown result of the probe is like no probe.
#[test]
fn probe_without_answer_keeps_the_outcome_unknown() {
    for (policy, expected) in [
        (not_idempotent(), (Reason::NotSafeToRetry, 1)),
        (fixed().build().unwrap(), (Reason::AttemptsExhausted, 3)),
    ] {
        let ends = probed!(&policy, |_: &Attempt| Err::<(), _>(lost()), |_: &Key| Effect::Unknown);
        for (end, _) in ends {
            let error = end.unwrap_err();
            assert_eq!((error.reason(), error.attempts()), expected);
            assert_eq!(error.into_error().unwrap(), lost());
        }
    }
}

/// I12, J9: the probe receives the key of the attempts, given or generated.
#[test]
fn probe_receives_the_session_key() {
    for given in [None, Some("invoice-42")] {
        for policy in [not_idempotent(), fixed().build().unwrap()] {
            let (sent, probed) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));
            let _ = probed!(
                &policy,
                |attempt: &Attempt| {
                    sent.borrow_mut().push(attempt.key().clone());
                    Err::<(), _>(lost())
                },
                |key: &Key| {
                    probed.borrow_mut().push(key.clone());
                    Effect::No
                },
                maybe_key(given.map(Key::from)),
            );
            assert_eq!(sent.borrow().len(), 6);
            assert_eq!(sent, probed);
            assert!(given.is_none_or(|given| sent.borrow().iter().all(|key| *key == given.into())));
        }
    }
}

/// I12: the probe runs after unknown outcomes only.
#[test]
fn probe_runs_only_after_unknown_outcomes() {
    let policy = fixed().build().unwrap();
    for fault in [
        Fault::http(503),
        Fault::http(404),
        Fault::http(429).with_hint(Hint::After(SECOND)),
        Fault::of(Kind::Timeout),
    ] {
        let ends =
            probed!(&policy, |_: &Attempt| Err::<(), _>(fault.clone()), |_: &Key| -> Effect<()> {
                unreachable!("{fault} is known")
            },);
        assert!(ends.into_iter().all(|(end, _)| end.is_err()));
    }
}

/// I12: an attempt that timed out is dropped before the probe starts.
#[test]
fn probe_runs_after_a_timeout() {
    let policy =
        Policy::fixed(SECOND).idempotent(false).attempt_timeout(5 * SECOND).build().unwrap();
    struct Alive<'c>(&'c Cell<bool>);
    impl Drop for Alive<'_> {
        fn drop(&mut self) {
            self.0.set(false);
        }
    }
    let (alive, world) = (Cell::new(false), World::new([]));
    let never = || {
        alive.set(true);
        let held = Alive(&alive);
        async move {
            let _held = held;
            pending::<Result<&str, Fault>>().await
        }
    };
    let session = retry(&policy, never).environment(world.clone()).probe(|_| {
        assert!(!alive.get());
        ready(Effect::Yes("found"))
    });
    assert_eq!(world.run(session.into_future()).unwrap(), "found");
    assert_eq!(world.now(), Moment::ORIGIN + 5 * SECOND);
}

/// I12, G1: to a breaker, an attempt that took effect after all is a success.
#[test]
fn breaker_counts_the_probed_result() {
    let policy = not_idempotent();
    for (effect, state) in
        [(Effect::Yes(()), BreakerState::Closed), (Effect::Unknown, BreakerState::Open)]
    {
        let breaker = Breaker::new(BreakerSettings::consecutive(2, 60 * SECOND)).unwrap();
        let _ = probed!(
            &policy,
            |_: &Attempt| Err::<(), _>(lost()),
            |_: &Key| effect,
            breaker(&breaker),
        );
        assert_eq!(breaker.state(Moment::ORIGIN), state);
    }
}

/// I12, I6: a session can be cancelled during a probe.
#[test]
fn probe_can_be_cancelled() {
    let (policy, handle) = (not_idempotent(), CancelHandle::new());
    let session = retry(&policy, || ready(Err::<(), _>(lost())))
        .environment(World::new([]))
        .probe(|_| pending::<Effect<()>>())
        .cancel_with(&handle);
    let mut session = pin!(session.into_future());
    let mut context = Context::from_waker(Waker::noop());
    assert!(session.as_mut().poll(&mut context).is_pending());
    handle.cancel();
    let Poll::Ready(Err(error)) = session.as_mut().poll(&mut context) else {
        unreachable!("the session is pending")
    };
    assert_eq!(error.reason(), Reason::Cancelled);
}
