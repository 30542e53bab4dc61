//! What cannot be said in JSON, and must be the same in both drivers all the same (I1).

use std::cell::{Cell, RefCell};
use std::error::Error;
use std::fmt;
use std::future::ready;
use std::io;
use std::time::Duration;

use steadfast::judge::MatchedBy;
use steadfast::{
    Attempt, Class, Effect, Failure, Fault, Jitter, Kind, Moment, Policy, Reason, Report,
    RetryError, retry,
};

use crate::common::world::World;

const SECOND: Duration = Duration::from_secs(1);

/// Runs the same operation through both drivers, built up alike, and gives both ends.
macro_rules! both {
    ($policy:expr, |$attempt:ident: Attempt| $body:expr $(, $method:ident($($argument:expr)?))*) => {{
        let world = World::new([]);
        let blocking = retry($policy, |$attempt: Attempt| $body)
            $(.$method($($argument)?))*
            .environment(world)
            .with_report()
            .call();
        let world = World::new([]);
        let session = retry($policy, |$attempt: Attempt| ready($body))
            $(.$method($($argument)?))*
            .environment(world.clone())
            .with_report();
        (blocking, world.run(session.into_future()))
    }};
}

/// What an end says, for comparing.
fn summary<T, E, K>(end: Result<(T, Report), RetryError<E, K>>) -> (Option<Reason>, String) {
    match end {
        Ok((_, report)) => (None, format!("{report:?}")),
        Err(error) => (Some(error.reason()), format!("{:?}", error.into_gave_up())),
    }
}

fn unavailable<T>() -> Result<T, Fault> {
    Err(Fault::http(503))
}

/// I2, J9: every attempt receives its number, the same key, its deadline and the previous fault.
#[test]
fn attempts_receive_the_same() {
    let policy = Policy::fixed(SECOND)
        .max_attempts(3)
        .attempt_timeout(5 * SECOND)
        .max_duration(6 * SECOND)
        .build()
        .unwrap();
    let seen = RefCell::new(Vec::new());
    let see = |attempt: &Attempt| {
        let previous = attempt.previous().and_then(|fault| fault.http_status);
        let key = attempt.key().to_string();
        seen.borrow_mut().push((attempt.number(), key, attempt.deadline(), previous));
        unavailable::<()>()
    };
    let (blocking, future) = both!(&policy, |attempt: Attempt| see(&attempt), key("k"));
    assert_eq!(summary(blocking), summary(future));
    let at = |seconds| Some(Moment::ORIGIN + seconds * SECOND);
    let expected = [
        (1, "k".to_owned(), at(5), None),
        (2, "k".to_owned(), at(6), Some(503)),
        (3, "k".to_owned(), at(6), Some(503)),
    ];
    let seen = seen.into_inner();
    assert_eq!(seen[..3], expected);
    assert_eq!(seen[3..], expected);
}

/// J9: a generated key is unique per session and the same in all its attempts.
#[test]
fn generated_key_is_constant_within_a_session() {
    let policy = Policy::immediate().build().unwrap();
    let keys = RefCell::new(Vec::new());
    let see = |attempt: &Attempt| {
        keys.borrow_mut().push(attempt.key().clone());
        unavailable::<()>()
    };
    let _ = both!(&policy, |attempt: Attempt| see(&attempt));
    let keys = keys.into_inner();
    assert_eq!((&keys[0], &keys[0], &keys[3], &keys[3]), (&keys[1], &keys[2], &keys[4], &keys[5]));
    assert_ne!(keys[0], keys[3]);
}

/// I3: a value that will not do is retried, and handed over in the end.
#[test]
fn values_are_judged() {
    let policy = Policy::fixed(SECOND).build().unwrap();
    let (blocking, future) =
        both!(&policy, |attempt: Attempt| Ok::<_, Fault>(attempt.number()), until(|n| *n == 3));
    assert_eq!(blocking.as_ref().unwrap().0, 3);
    assert_eq!(summary(blocking), summary(future));

    let (blocking, future) =
        both!(&policy, |attempt: Attempt| Ok::<_, Fault>(attempt.number()), until(|n| *n == 9));
    for error in [blocking.unwrap_err(), future.unwrap_err()] {
        let last = error.gave_up().failures.last().unwrap();
        assert_eq!((error.reason(), error.attempts()), (Reason::AttemptsExhausted, 3));
        assert_eq!((last.fault.kind, last.class), (Some(Kind::ValueRejected), Class::Retryable));
        assert_eq!(error.into_value(), Some(3));
    }
}

/// I12: a probe is asked after an unknown outcome, and its response is what counts.
#[test]
fn probes_run_before_retries() {
    let policy = Policy::fixed(SECOND).idempotent(false).max_attempts(2).build().unwrap();
    let lost = || Err::<&str, _>(Fault::of(Kind::Timeout).with_unknown_outcome());
    for (effect, expected) in [
        (Effect::Yes("found"), Ok("found")),
        (Effect::No, Err((Reason::AttemptsExhausted, 2))),
        (Effect::Unknown, Err((Reason::NotSafeToRetry, 1))),
    ] {
        let blocking = retry(&policy, lost).probe(|_| effect).environment(World::new([])).call();
        let world = World::new([]);
        let session =
            retry(&policy, || ready(lost())).probe(|_| ready(effect)).environment(world.clone());
        let future = world.run(session.into_future());
        for end in [blocking, future] {
            assert_eq!(end.map_err(|error| (error.reason(), error.attempts())), expected);
        }
    }
}

/// J1: code overrules the rules, and is named as the one who did.
#[test]
fn code_overrides_the_rules() {
    let policy = Policy::fixed(SECOND).build().unwrap();
    let (blocking, future) = both!(
        &policy,
        |_attempt: Attempt| Err::<(), _>(Fault::http(404)),
        judge(|fault: &Fault| (fault.http_status == Some(404)).then_some(Class::Retryable))
    );
    for error in [blocking.unwrap_err(), future.unwrap_err()] {
        assert_eq!(error.reason(), Reason::AttemptsExhausted);
        let first = &error.gave_up().failures[0];
        assert_eq!((first.matched_by, first.rule.as_deref()), (MatchedBy::Code, None));
    }
}

/// A wrapper that knows nothing, around whatever it was given.
#[derive(Debug)]
struct Wrapper(Option<io::Error>);

impl fmt::Display for Wrapper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("wrapped")
    }
}

impl Error for Wrapper {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0 {
            Some(error) => Some(error),
            None => Some(self),
        }
    }
}

impl Failure for Wrapper {
    fn fault(&self) -> Fault {
        Fault::default().with_type("Wrapper")
    }

    fn cause(&self) -> Option<&(dyn Error + 'static)> {
        self.source()
    }
}

/// J8: a real chain of causes is walked, and one that bites its tail is survived.
#[test]
fn real_chains_are_walked() {
    let policy = Policy::fixed(SECOND).build().unwrap();
    for (cause, reason, links) in [
        (Some(io::ErrorKind::ConnectionReset), Reason::AttemptsExhausted, 1),
        (Some(io::ErrorKind::InvalidInput), Reason::Final, 1),
        (None, Reason::Final, 0),
    ] {
        let fail = || Err::<(), _>(Wrapper(cause.map(io::Error::from)));
        let (blocking, future) = both!(&policy, |_attempt: Attempt| fail());
        for error in [blocking.unwrap_err(), future.unwrap_err()] {
            assert_eq!(error.reason(), reason, "{cause:?}");
            assert_eq!(error.gave_up().failures[0].fault.causes.len(), links, "{cause:?}");
        }
    }
}

/// I4: the original error comes out unchanged, and is the source of the one at the end.
#[test]
fn the_original_error_is_kept() {
    let policy = Policy::fixed(SECOND).build().unwrap();
    let count = Cell::new(0);
    let fail = || {
        count.set(count.get() + 1);
        Err::<(), _>(io::Error::new(io::ErrorKind::TimedOut, format!("no {}", count.get())))
    };
    let (blocking, future) = both!(&policy, |_attempt: Attempt| fail());
    for (error, message) in [(blocking.unwrap_err(), "no 3"), (future.unwrap_err(), "no 6")] {
        assert_eq!(error.source().unwrap().to_string(), message);
        assert_eq!(error.into_error().unwrap().to_string(), message);
    }
}

/// P4: chance can be seeded, and then falls alike in both drivers.
#[test]
fn seeded_randomness_is_repeatable() {
    let policy = Policy::exponential(SECOND).max_attempts(9).jitter(Jitter::Full).build().unwrap();
    let waits = |seed: u64| {
        let world = World::new([]);
        let _ = retry(&policy, unavailable::<()>).environment(world.clone()).seed(seed).call();
        let blocking = world.waits();
        let world = World::new([]);
        let session =
            retry(&policy, || ready(unavailable::<()>())).environment(world.clone()).seed(seed);
        let _ = world.run(session.into_future());
        assert_eq!(world.waits(), blocking);
        blocking
    };
    assert_eq!(waits(7), waits(7));
    assert_ne!(waits(7), waits(8));
}

/// P2: an attempt that takes too long times out in the async driver, and may have taken effect.
#[test]
fn slow_attempts_time_out() {
    let policy = Policy::fixed(SECOND).attempt_timeout(3 * SECOND).max_attempts(2).build().unwrap();
    let world = World::new([]);
    let slow = || async {
        world.passing(60 * SECOND).await;
        Ok::<_, Fault>(())
    };
    let session = retry(&policy, slow).environment(world.clone()).with_report();
    let gave_up = world.run(session.into_future()).unwrap_err().into_gave_up();
    assert_eq!((gave_up.reason, gave_up.attempts), (Reason::AttemptsExhausted, 2));
    assert_eq!(gave_up.elapsed, 7 * SECOND);
    assert!(gave_up.failures.iter().all(|failure| failure.class == Class::UnknownOutcome));
}

/// I4: of very many failures the latest are kept, by both drivers alike.
#[test]
fn only_the_latest_failures_are_kept() {
    let policy = Policy::fixed(SECOND).max_attempts(1000).build().unwrap();
    let (blocking, future) = both!(&policy, |_attempt: Attempt| unavailable::<()>());
    let (blocking, future) = (blocking.unwrap_err(), future.unwrap_err());
    assert_eq!(blocking.gave_up(), future.gave_up());
    assert_eq!(blocking.attempts(), 1000);
    let kept: Vec<_> = blocking.gave_up().failures.iter().map(|failure| failure.attempt).collect();
    assert!(kept.len() >= 256 && kept.is_sorted() && kept.last() == Some(&1000));
}
