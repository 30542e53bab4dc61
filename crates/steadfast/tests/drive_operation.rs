//! What an operation receives, how its results are judged, and the report (I2 to I5).

#![cfg(all(not(loom), feature = "tokio"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

#[path = "common/both.rs"]
mod both;
#[path = "common/world.rs"]
#[allow(dead_code, clippy::expect_used)]
mod world;

use std::cell::{Cell, RefCell};
use std::error::Error;
use std::io::{self, ErrorKind};
use std::time::Duration;

use steadfast::guard::{Breaker, BreakerSettings};
use steadfast::judge::MatchedBy;
use steadfast::{
    Attempt, Class, Fault, Hint, Key, Kind, Moment, Policy, Reason, RetryError, retry,
};

use both::both;
use world::World;

const SECOND: Duration = Duration::from_secs(1);

fn at(seconds: u32) -> Moment {
    Moment::ORIGIN + seconds * SECOND
}

/// A retryable error.
fn reset(message: impl ToString) -> io::Error {
    io::Error::new(ErrorKind::ConnectionReset, message.to_string())
}

fn immediate() -> Policy {
    Policy::immediate().max_attempts(3).build().unwrap()
}

/// I2: attempts are numbered from 1, whatever the policy needs before the first.
#[test]
fn attempts_are_numbered() {
    let timed = Policy::immediate().max_attempts(3).max_duration(SECOND).build().unwrap();
    for policy in [immediate(), timed] {
        let numbers = RefCell::new(Vec::new());
        let ends = both!(&policy, |attempt: &Attempt| {
            numbers.borrow_mut().push(attempt.number());
            Err::<(), _>(reset(attempt.number()))
        });
        assert_eq!(numbers.take(), [1, 2, 3, 1, 2, 3]);
        assert!(ends.into_iter().all(|(end, _)| end.unwrap_err().attempts() == 3));
    }
}

/// I2, J2: after a hinted wait that consumes no attempt the number of the attempt comes again; I5:
/// the report says how many calls were made.
#[test]
fn hinted_wait_repeats_the_attempt_number() {
    let policy = Policy::immediate().max_rate_limit_waits(1).build().unwrap();
    let (numbers, calls) = (RefCell::new(Vec::new()), Cell::new(0));
    let patience = Fault::http(429).with_hint(Hint::After(2 * SECOND));
    let ends = both!(
        &policy,
        |attempt: &Attempt| {
            numbers.borrow_mut().push(attempt.number());
            calls.set(calls.get() + 1);
            match calls.get() % 3 {
                1 => Err(Fault::http(503)),
                2 => Err(patience.clone()),
                _ => Ok(()),
            }
        },
        with_report()
    );
    assert_eq!(numbers.take(), [1, 2, 2, 1, 2, 2]);
    for (end, world) in ends {
        let ((), report) = end.unwrap();
        assert_eq!((report.attempts, report.rate_limit_waits, report.calls()), (2, 1, 3));
        assert_eq!(world.waits(), [2 * SECOND]);
    }
}

/// I2, J9: the key is the same over all attempts of a session and no other session has it.
#[test]
fn key_is_unique_per_session() {
    let unsafe_to_repeat = Policy::immediate().max_attempts(3).idempotent(false).build().unwrap();
    for policy in [immediate(), unsafe_to_repeat] {
        let keys = RefCell::new(Vec::<Key>::new());
        let _ = both!(&policy, |attempt: &Attempt| {
            keys.borrow_mut().push(attempt.key().clone());
            Err::<(), _>(reset(""))
        });
        let keys = keys.take();
        let [blocking, future] = [&keys[..3], &keys[3..]];
        for session in [blocking, future] {
            assert!(session.iter().all(|key| *key == session[0]), "{session:?}");
        }
        assert_ne!(blocking[0], future[0]);
    }
}

/// I2, J9: a key that was given is the one that every attempt sees, the first one too.
#[test]
fn given_key_is_used() {
    let policy = immediate();
    let keys = RefCell::new(Vec::new());
    let _ = both!(
        &policy,
        |attempt: &Attempt| {
            keys.borrow_mut().push(attempt.key().to_string());
            Err::<(), _>(reset(""))
        },
        key("invoice-42")
    );
    assert_eq!(keys.take(), ["invoice-42"; 6]);
}

/// I2: the deadline is the attempt's own, or the session's, whichever is over first.
#[test]
fn attempt_has_the_deadline() {
    let fixed = || Policy::fixed(SECOND).max_attempts(3);
    for (policy, deadlines) in [
        (fixed(), [None; 3]),
        (fixed().attempt_timeout(5 * SECOND), [5, 6, 7].map(|then| Some(at(then)))),
        (fixed().max_duration(9 * SECOND), [Some(at(9)); 3]),
        (
            fixed().attempt_timeout(5 * SECOND).max_duration(6 * SECOND),
            [5, 6, 6].map(|then| Some(at(then))),
        ),
    ] {
        let policy = policy.build().unwrap();
        let seen = RefCell::new(Vec::new());
        let _ = both!(&policy, |attempt: &Attempt| {
            seen.borrow_mut().push(attempt.deadline());
            Err::<(), _>(reset(""))
        });
        assert_eq!(seen.take(), [deadlines, deadlines].concat());
    }
}

/// I2: each attempt receives the fault of the previous one, with its message.
#[test]
fn attempt_has_the_previous_fault() {
    let timed = Policy::immediate().max_attempts(3).max_duration(SECOND).build().unwrap();
    for policy in [immediate(), timed] {
        let seen = RefCell::new(Vec::new());
        let _ = both!(&policy, |attempt: &Attempt| {
            let previous = attempt.previous().map(|fault| (fault.kind, fault.message.clone()));
            seen.borrow_mut().push(previous);
            Err::<(), _>(reset(attempt.number()))
        });
        let after = |number: u32| Some((Some(Kind::ConnectionReset), Some(number.to_string())));
        let expected = [None, after(1), after(2)];
        assert_eq!(seen.take(), [expected.clone(), expected].concat());
    }
}

/// I2: an operation need not take the attempt.
#[test]
fn operation_without_attempt_argument_works() {
    let policy = immediate();
    assert_eq!(retry(&policy, || Ok::<_, io::Error>(7)).call().unwrap(), 7);
    let world = World::new([]);
    let session = retry(&policy, || async { Ok::<_, io::Error>(7) }).environment(world.clone());
    assert_eq!(world.run(session.into_future()).unwrap(), 7);
}

/// I3: `until` retries until a value is accepted, with the usual backoff.
#[test]
fn until_retries_rejected_values() {
    let policy = Policy::fixed(SECOND).max_attempts(3).build().unwrap();
    let ends =
        both!(&policy, |attempt: &Attempt| Ok::<_, io::Error>(attempt.number()), until(|n| *n > 2));
    for (end, world) in ends {
        assert_eq!(end.unwrap(), 3);
        assert_eq!(world.waits(), [SECOND; 2]);
    }
}

/// I3: if no value is accepted, the error returns the last one.
#[test]
fn last_rejected_value_is_returned() {
    let policy = immediate();
    let ends = both!(
        &policy,
        |attempt: &Attempt| Ok::<_, io::Error>(format!("page {}", attempt.number())),
        until(|_| false)
    );
    for (end, _) in ends {
        let error = end.unwrap_err();
        assert_eq!((error.reason(), error.attempts()), (Reason::AttemptsExhausted, 3));
        assert!(error.error().is_none() && error.source().is_none());
        let kinds = error.gave_up().failures.iter().map(|failure| failure.fault.kind);
        assert!(kinds.eq([Some(Kind::ValueRejected); 3]));
        assert_eq!(error.into_value().unwrap(), "page 3");
    }
}

/// I3: `value_facts` finds faults in values, and they are judged like those of errors.
#[test]
fn value_facts_are_judged() {
    let policy = immediate();
    let answer = |status: u16| (status >= 400).then(|| Fault::http(status));
    for (statuses, expected) in [
        ([503, 503, 200], Ok(200)),
        ([404, 200, 200], Err((Reason::Final, 1, Some(404)))),
        ([503, 502, 500], Err((Reason::AttemptsExhausted, 3, Some(500)))),
    ] {
        let ends = both!(
            &policy,
            |attempt: &Attempt| Ok::<_, io::Error>(statuses[attempt.number() as usize - 1]),
            value_facts(|status: &u16| answer(*status))
        );
        for (end, _) in ends {
            let summary = |error: RetryError<io::Error, u16>| {
                (error.reason(), error.attempts(), error.into_value())
            };
            assert_eq!(end.map_err(summary), expected);
        }
    }
}

/// I3: errors and rejected values may alternate; the last one is returned.
#[test]
fn errors_and_rejected_values_share_the_attempts() {
    let policy = immediate();
    let ends = both!(
        &policy,
        |attempt: &Attempt| if attempt.number() == 2 { Ok(2) } else { Err(reset("no")) },
        until(|_: &u32| false)
    );
    for (end, _) in ends {
        let error = end.unwrap_err();
        let kinds: Vec<_> =
            error.gave_up().failures.iter().map(|failure| failure.fault.kind.unwrap()).collect();
        assert_eq!(kinds, [Kind::ConnectionReset, Kind::ValueRejected, Kind::ConnectionReset]);
        assert_eq!(error.into_error().unwrap().to_string(), "no");
    }
}

/// I4: the message says how many calls were made, and has no parentheses around nothing.
#[test]
fn message_counts_calls_and_omits_an_empty_fault() {
    let policy = Policy::immediate().max_rate_limit_waits(2).build().unwrap();
    let patience = Fault::http(429).with_hint(Hint::After(SECOND));
    let ends = both!(&policy, |_: &Attempt| Err::<(), _>(patience.clone()));
    for (end, _) in ends {
        let error = end.unwrap_err();
        assert_eq!(
            error.to_string(),
            "gave up after 3 attempts (5 calls): attempts exhausted (HTTP 429)"
        );
        assert_eq!((error.attempts(), error.calls()), (3, 5));
    }
    let silent = |_: &Attempt| Err::<(), _>(Fault::default());
    for (end, _) in both!(&policy, silent) {
        let message = "gave up after 1 attempt: the error is not retryable";
        assert_eq!(end.unwrap_err().to_string(), message);
    }
}

/// I4: reason, attempts, the time it took and every attempt's fault, with its class, its rule,
/// its message and the wait that followed.
#[test]
fn error_reports_all_attempts() {
    let policy = Policy::exponential(SECOND).max_attempts(3).max_duration(60 * SECOND);
    let policy = policy.build().unwrap();
    let ends = both!(&policy, |attempt: &Attempt| Err::<(), _>(reset(attempt.number())));
    for (end, _) in ends {
        let error = end.unwrap_err();
        assert_eq!(
            error.to_string(),
            "gave up after 3 attempts: attempts exhausted (connection_reset, 3)"
        );
        let gave_up = error.into_gave_up();
        assert_eq!(gave_up.reason, Reason::AttemptsExhausted);
        assert_eq!((gave_up.attempts, gave_up.rate_limit_waits), (3, 0));
        assert_eq!((gave_up.elapsed, gave_up.retry_after()), (3 * SECOND, None));
        let failures = gave_up.failures.iter().map(|failure| {
            assert_eq!((failure.class, failure.matched_by), (Class::Retryable, MatchedBy::Default));
            assert_eq!(failure.rule.as_deref(), Some("connection"));
            (failure.attempt, failure.fault.message.as_deref().unwrap(), failure.delay)
        });
        let expected = [(1, "1", Some(SECOND)), (2, "2", Some(2 * SECOND)), (3, "3", None)];
        assert!(failures.eq(expected));
    }
}

/// I4: what the attempts took counts as well as the waits, where there is a clock.
#[test]
fn elapsed_is_attempts_and_waits() {
    let policy = Policy::fixed(SECOND).max_attempts(2).max_duration(60 * SECOND).build().unwrap();
    let world = World::new([]);
    let slow = || {
        world.pass(5 * SECOND);
        Err::<(), _>(reset(""))
    };
    let error = retry(&policy, slow).environment(world.clone()).call().unwrap_err();
    assert_eq!(error.gave_up().elapsed, 11 * SECOND);

    let world = World::new([]);
    let slow = || async {
        world.passing(5 * SECOND).await;
        Err::<(), _>(reset(""))
    };
    let session = retry(&policy, slow).environment(world.clone());
    let error = world.run(session.into_future()).unwrap_err();
    assert_eq!(error.gave_up().elapsed, 11 * SECOND);
}

/// I4: without a clock, `elapsed` is the sum of the waits.
#[test]
fn elapsed_without_a_clock_is_the_waits() {
    let policy = Policy::exponential(SECOND).max_attempts(3).build().unwrap();
    for (end, _) in both!(&policy, |_: &Attempt| Err::<(), _>(reset(""))) {
        assert_eq!(end.unwrap_err().gave_up().elapsed, 3 * SECOND);
    }
}

/// An error with an identity that cannot be cloned.
#[derive(Debug)]
struct Precious(Box<u32>);

impl std::fmt::Display for Precious {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "precious {}", self.0)
    }
}

impl Error for Precious {}

/// I4: the original error is the source of the session's error and is returned unchanged.
#[test]
fn original_error_is_returned() {
    let policy = immediate();
    let places = RefCell::new(Vec::new());
    let ends = both!(
        &policy,
        |attempt: &Attempt| {
            let error = Precious(Box::new(attempt.number()));
            places.borrow_mut().push(std::ptr::from_ref::<u32>(&error.0));
            Err::<(), _>(error)
        },
        facts(|_: &Precious| Fault::of(Kind::Timeout))
    );
    let places = places.take();
    for ((end, _), place) in ends.into_iter().zip([places[2], places[5]]) {
        let error = end.unwrap_err();
        assert_eq!(error.error().unwrap().to_string(), "precious 3");
        let source = error.source().unwrap().downcast_ref::<Precious>().unwrap();
        assert_eq!(std::ptr::from_ref::<u32>(&source.0), place);
        assert_eq!(std::ptr::from_ref::<u32>(&error.into_error().unwrap().0), place);
    }
}

/// I4: an error that is final ends it at the first attempt, and says so.
#[test]
fn final_error_is_not_retried() {
    let policy = immediate();
    let calls = Cell::new(0);
    let ends = both!(&policy, |_: &Attempt| {
        calls.set(calls.get() + 1);
        Err::<(), _>(io::Error::from(ErrorKind::InvalidInput))
    });
    assert_eq!(calls.get(), 2);
    for (end, _) in ends {
        let error = end.unwrap_err();
        assert_eq!((error.reason(), error.attempts()), (Reason::Final, 1));
        assert_eq!(error.into_error().unwrap().kind(), ErrorKind::InvalidInput);
    }
}

/// I4: an attempt that timed out leaves no error; the report says what happened.
#[test]
fn timeout_leaves_no_error() {
    let policy = Policy::immediate().max_attempts(2).attempt_timeout(SECOND).build().unwrap();
    let world = World::new([]);
    let never = || std::future::pending::<Result<(), io::Error>>();
    // A limit is the only alarm that is ever set.
    let session = retry(&policy, never).environment(world.clone());
    let error = world.run(session.into_future()).unwrap_err();
    assert_eq!((error.reason(), error.attempts()), (Reason::AttemptsExhausted, 2));
    assert!(error.error().is_none() && error.source().is_none());
    let gave_up = error.into_error().unwrap_err();
    assert_eq!(gave_up.elapsed, 2 * SECOND);
    for failure in &gave_up.failures {
        assert_eq!(
            (failure.fault.kind, failure.class),
            (Some(Kind::Timeout), Class::UnknownOutcome)
        );
        assert!(failure.fault.message.is_some());
    }
}

/// I4: a timeout of the last attempt returns no error of an earlier one.
#[test]
fn timeout_does_not_return_an_earlier_error() {
    let policy = Policy::immediate().max_attempts(2).attempt_timeout(SECOND).build().unwrap();
    let world = World::new([]);
    let operation = |attempt: Attempt| {
        let world = world.clone();
        async move {
            if attempt.number() == 2 {
                world.passing(60 * SECOND).await;
            }
            Err::<(), _>(reset("first"))
        }
    };
    let session = retry(&policy, operation).environment(world.clone());
    let error = world.run(session.into_future()).unwrap_err();
    assert!(error.error().is_none());
    let messages = error.gave_up().failures.iter().map(|failure| failure.fault.message.as_deref());
    assert!(messages.eq([Some("first"), Some("the attempt took too long")]));
}

/// I4, G2: a rejection before the first attempt leaves no error and no attempt.
#[test]
fn rejection_leaves_no_error() {
    let policy = immediate();
    let breaker = Breaker::new(BreakerSettings::consecutive(1, 60 * SECOND)).unwrap();
    breaker.open(Moment::ORIGIN);
    let ends = both!(
        &policy,
        |_: &Attempt| -> Result<(), io::Error> { unreachable!("it is not let through") },
        breaker(&breaker)
    );
    for (end, _) in ends {
        let error = end.unwrap_err();
        assert_eq!((error.reason(), error.attempts()), (Reason::BreakerOpen, 0));
        assert!(error.error().is_none() && error.source().is_none());
        let message = "gave up after 0 attempts: circuit breaker is open by hand, next probe in 1m";
        assert_eq!(error.to_string(), message);
        let gave_up = error.into_error().unwrap_err();
        assert_eq!(gave_up.retry_after(), Some(60 * SECOND));
        assert!(gave_up.failures.is_empty());
    }
}

/// I4, G2: a rejection after an attempt still has that attempt's error.
#[test]
fn rejection_returns_the_previous_error() {
    let policy = immediate();
    let settings = BreakerSettings::consecutive(1, 60 * SECOND);
    let breakers = [Breaker::new(settings).unwrap(), Breaker::new(settings).unwrap()];
    let mut breakers = breakers.iter();
    let ends = both!(
        &policy,
        |_: &Attempt| Err::<(), _>(reset("before")),
        breaker(breakers.next().unwrap())
    );
    for (end, _) in ends {
        let error = end.unwrap_err();
        assert_eq!((error.reason(), error.attempts()), (Reason::BreakerOpen, 1));
        assert_eq!(error.gave_up().failures.len(), 1);
        assert_eq!(error.into_error().unwrap().to_string(), "before");
    }
}

/// I5: the report says whether there were retries.
#[test]
fn success_report_counts_attempts() {
    let policy = Policy::fixed(SECOND).max_attempts(3).build().unwrap();
    for wanted in 1..=3 {
        let ends = both!(
            &policy,
            |attempt: &Attempt| match attempt.number() {
                n if n == wanted => Ok(n),
                n => Err(reset(n)),
            },
            with_report()
        );
        for (end, _) in ends {
            let (value, report) = end.unwrap();
            assert_eq!((value, report.attempts), (wanted, wanted));
            assert_eq!(report.was_retried(), wanted > 1);
            assert_eq!(report.elapsed, (wanted - 1) * SECOND);
            let failed = report.failures.iter().map(|failure| {
                (failure.attempt, failure.fault.message.clone().unwrap(), failure.delay)
            });
            assert!(failed.eq((1..wanted).map(|n| (n, n.to_string(), Some(SECOND)))));
        }
    }
}

/// I5: the time of a report is that of the first attempt, too.
#[test]
fn report_is_timed_from_the_start() {
    let policy = Policy::immediate().build().unwrap();
    let world = World::new([]);
    let slow = || {
        world.pass(5 * SECOND);
        Ok::<_, io::Error>(())
    };
    let ((), report) =
        retry(&policy, slow).environment(world.clone()).with_report().call().unwrap();
    assert_eq!(report.elapsed, 5 * SECOND);

    let world = World::new([]);
    let slow = || async {
        world.passing(5 * SECOND).await;
        Ok::<_, io::Error>(())
    };
    let session = retry(&policy, slow).environment(world.clone()).with_report();
    let ((), report) = world.run(session.into_future()).unwrap();
    assert_eq!(report.elapsed, 5 * SECOND);
}

/// J1: `facts` replaces the error's own facts.
#[test]
fn facts_can_be_replaced() {
    let policy = immediate();
    let ends = both!(
        &policy,
        |_: &Attempt| Err::<(), _>(reset("")),
        facts(|_: &io::Error| Fault::http(404).with_message("custom facts"))
    );
    for (end, _) in ends {
        let error = end.unwrap_err();
        assert_eq!((error.reason(), error.attempts()), (Reason::Final, 1));
        let fault = &error.gave_up().failures[0].fault;
        assert_eq!((fault.http_status, fault.kind), (Some(404), None));
        assert_eq!(fault.message.as_deref(), Some("custom facts"));
    }
}

/// J1: `judge` overrides rules in both directions; other faults are left to the rules.
#[test]
fn judge_overrides_rules() {
    let policy = immediate();
    let overrule = |fault: &Fault| match fault.http_status {
        Some(404) => Some(Class::Retryable),
        Some(503) => Some(Class::Final),
        _ => None,
    };
    for (status, reason, attempts, by) in [
        (404, Reason::AttemptsExhausted, 3, MatchedBy::Code),
        (503, Reason::Final, 1, MatchedBy::Code),
        (500, Reason::AttemptsExhausted, 3, MatchedBy::Default),
        (400, Reason::Final, 1, MatchedBy::Default),
    ] {
        let ends = both!(&policy, |_: &Attempt| Err::<(), _>(Fault::http(status)), judge(overrule));
        for (end, _) in ends {
            let error = end.unwrap_err();
            assert_eq!((error.reason(), error.attempts()), (reason, attempts), "{status}");
            assert_eq!(error.gave_up().failures[0].matched_by, by, "{status}");
        }
    }
}

/// J1, I3: `judge` applies to rejected values.
#[test]
fn judge_overrides_value_facts() {
    let policy = immediate();
    let ends = both!(
        &policy,
        |_: &Attempt| Ok::<_, io::Error>(7),
        until(|_| false),
        judge(|fault: &Fault| (fault.kind == Some(Kind::ValueRejected)).then_some(Class::Final))
    );
    for (end, _) in ends {
        let error = end.unwrap_err();
        assert_eq!((error.reason(), error.attempts()), (Reason::Final, 1));
        assert_eq!(error.into_value(), Some(7));
    }
}

/// J8: causes in an error's facts are judged like those in its chain.
#[test]
fn reported_causes_are_judged() {
    struct Wrapped;
    impl steadfast::Failure for Wrapped {
        fn fault(&self) -> Fault {
            Fault::default().caused_by(Fault::http(503))
        }
    }
    let policy = Policy::immediate().max_attempts(2).build().unwrap();
    let error = retry(&policy, || Err::<(), _>(Wrapped)).call().unwrap_err();
    assert_eq!(error.attempts(), 2);
    assert_eq!(error.gave_up().failures[0].rule.as_deref(), Some("5xx"));
}
