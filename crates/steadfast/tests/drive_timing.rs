//! Attempt timeouts and waits (P2, P5, I1).

#![cfg(all(not(loom), feature = "tokio"))]
#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

#[path = "common/both.rs"]
mod both;
#[path = "common/world.rs"]
#[allow(dead_code, clippy::expect_used)]
mod world;

use std::cell::{Cell, RefCell};
use std::future::{pending, ready};
use std::io::{self, ErrorKind};
use std::time::Duration;

use steadfast::{Attempt, Class, Fault, Hint, Kind, Moment, Policy, Reason, retry};

use both::both;
use world::World;

const SECOND: Duration = Duration::from_secs(1);

fn reset() -> io::Error {
    io::Error::from(ErrorKind::ConnectionReset)
}

/// Counts when it is dropped: an attempt holds one for as long as it lives.
struct Held<'c>(&'c Cell<u32>);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.set(self.0.get() + 1);
    }
}

/// P2: `attempt_timeout` drops the future of an attempt before the next one starts.
#[test]
fn slow_attempt_times_out() {
    let policy = Policy::fixed(SECOND).attempt_timeout(3 * SECOND).max_attempts(3).build().unwrap();
    let world = World::new([]);
    let (dropped, log) = (Cell::new(0), RefCell::new(Vec::new()));
    let never = |attempt: Attempt| {
        log.borrow_mut().push((attempt.number(), dropped.get(), world.now()));
        let held = Held(&dropped);
        async move {
            let _held = held;
            pending::<Result<(), io::Error>>().await
        }
    };
    let session = retry(&policy, never).environment(world.clone());
    let gave_up = world.run(session.into_future()).unwrap_err().into_gave_up();
    let at = |seconds| steadfast::Moment::ORIGIN + seconds * SECOND;
    assert_eq!(*log.borrow(), [(1, 0, at(0)), (2, 1, at(4)), (3, 2, at(8))]);
    assert_eq!((dropped.get(), gave_up.elapsed), (3, 11 * SECOND));
    assert!(gave_up.failures.iter().all(|failure| failure.class == Class::UnknownOutcome));
}

/// P2: an attempt in time does not time out, and its timer is dropped.
#[test]
fn quick_attempt_does_not_time_out() {
    let policy = Policy::fixed(5 * SECOND).attempt_timeout(3 * SECOND).max_attempts(3);
    let policy = policy.build().unwrap();
    let world = World::new([]);
    let quick = |attempt: Attempt| {
        let passing = world.passing(2 * SECOND);
        async move {
            passing.await;
            if attempt.number() < 3 { Err(reset()) } else { Ok(attempt.number()) }
        }
    };
    let session = retry(&policy, quick).environment(world.clone()).with_report();
    let (number, report) = world.run(session.into_future()).unwrap();
    assert_eq!((number, report.elapsed), (3, 16 * SECOND));
}

/// P2: an attempt that ends at the very moment of its limit has ended in time.
#[test]
fn attempt_at_the_limit_is_in_time() {
    let policy = Policy::immediate().attempt_timeout(3 * SECOND).max_attempts(1).build().unwrap();
    let world = World::new([]);
    let just = || {
        let passing = world.passing(3 * SECOND);
        async move {
            passing.await;
            Ok::<_, io::Error>(())
        }
    };
    let session = retry(&policy, just).environment(world.clone());
    assert!(world.run(session.into_future()).is_ok());
}

/// P2: `attempt_timeout` is limited by the rest of `max_duration`.
#[test]
fn attempt_timeout_is_limited_by_max_duration() {
    let policy = Policy::fixed(SECOND)
        .attempt_timeout(5 * SECOND)
        .max_duration(8 * SECOND)
        .max_attempts(9)
        .build()
        .unwrap();
    let world = World::new([]);
    let session = retry(&policy, pending::<Result<(), io::Error>>).environment(world.clone());
    let gave_up = world.run(session.into_future()).unwrap_err().into_gave_up();
    // Five seconds, a wait of one, and the two that are left.
    assert_eq!((gave_up.reason, gave_up.attempts), (Reason::OutOfTime, 2));
    assert_eq!(gave_up.elapsed, 8 * SECOND);
}

/// P2: attempts time out with tokio's timer.
#[tokio::test(start_paused = true)]
async fn tokio_timer_times_attempts_out() {
    let policy = Policy::fixed(SECOND).attempt_timeout(3 * SECOND).max_attempts(2).build().unwrap();
    let start = tokio::time::Instant::now();
    let error = retry(&policy, pending::<Result<(), io::Error>>).await.unwrap_err();
    assert_eq!((error.reason(), error.attempts()), (Reason::AttemptsExhausted, 2));
    assert_eq!(start.elapsed().as_secs(), 7);
}

/// P2: a blocking attempt cannot be interrupted, but has its deadline.
#[test]
fn blocking_operation_receives_its_deadline() {
    let policy = Policy::immediate().attempt_timeout(3 * SECOND).build().unwrap();
    let world = World::new([]);
    let slow = |attempt: Attempt| {
        world.pass(60 * SECOND);
        assert!(attempt.deadline().unwrap() < world.now());
        Ok::<_, io::Error>("late")
    };
    assert_eq!(retry(&policy, slow).environment(world.clone()).call().unwrap(), "late");
}

/// P5: a retry that could not start before `max_duration` is over is not waited for.
#[test]
fn retry_after_the_deadline_is_not_waited_for() {
    for (longest, attempts, waits) in [(10, 4, vec![1, 2, 4]), (7, 3, vec![1, 2]), (3, 2, vec![1])]
    {
        let policy = Policy::exponential(SECOND).max_attempts(9).max_duration(longest * SECOND);
        let policy = policy.build().unwrap();
        for (end, world) in both!(&policy, |_: &Attempt| Err::<(), _>(reset())) {
            let gave_up = end.unwrap_err().into_gave_up();
            assert_eq!((gave_up.reason, gave_up.attempts), (Reason::OutOfTime, attempts));
            let waits: Vec<_> = waits.iter().map(|seconds| *seconds * SECOND).collect();
            assert_eq!((gave_up.elapsed, world.waits()), (waits.iter().sum(), waits));
        }
    }
}

/// P5, J2: nor is a hinted wait that would end too late.
#[test]
fn hinted_wait_past_the_deadline_is_not_waited_for() {
    let policy = Policy::immediate().max_duration(10 * SECOND).build().unwrap();
    let patience = Fault::http(503).with_hint(Hint::After(10 * SECOND));
    let ends = both!(&policy, |_: &Attempt| Err::<(), _>(patience.clone()));
    for (end, world) in ends {
        assert_eq!(end.unwrap_err().reason(), Reason::OutOfTime);
        assert!(world.waits().is_empty());
    }
}

/// P5: a success that arrives late is still a success, where nothing could cut the attempt off.
#[test]
fn late_success_of_a_blocking_attempt_is_returned() {
    let policy = Policy::fixed(SECOND).max_duration(5 * SECOND).max_attempts(2).build().unwrap();
    let world = World::new([]);
    let late = |attempt: Attempt| {
        if attempt.number() == 1 {
            return Err(reset());
        }
        world.pass(60 * SECOND);
        Ok("late")
    };
    let end = retry(&policy, late).environment(world.clone()).with_report().call();
    let (value, report) = end.unwrap();
    assert_eq!((value, report.elapsed), ("late", 61 * SECOND));
}

/// P5: an async attempt is cut off when `max_duration` is over, with or without an
/// `attempt_timeout`; its outcome is unknown, and no other attempt can start.
#[test]
fn attempt_is_cut_off_at_the_deadline() {
    let draft = || Policy::fixed(SECOND).max_duration(5 * SECOND).max_attempts(9);
    for policy in [draft(), draft().attempt_timeout(60 * SECOND)] {
        let (policy, world) = (policy.build().unwrap(), World::new([]));
        let hangs = |attempt: Attempt| {
            let world = world.clone();
            async move {
                if attempt.number() > 1 {
                    world.passing(3600 * SECOND).await;
                }
                Err::<(), _>(reset())
            }
        };
        let session = retry(&policy, hangs).environment(world.clone());
        let gave_up = world.run(session.into_future()).unwrap_err().into_gave_up();
        assert_eq!((gave_up.reason, gave_up.attempts), (Reason::OutOfTime, 2));
        assert_eq!(gave_up.elapsed, 5 * SECOND);
        let last = gave_up.failures.last().unwrap();
        assert_eq!((last.class, last.fault.kind), (Class::UnknownOutcome, Some(Kind::Timeout)));
    }
}

/// P5, I2: the deadline of an attempt is exact, and so is the time left when it started.
#[test]
fn deadline_and_time_left_are_exact() {
    let policy = Policy::fixed(SECOND).max_duration(10 * SECOND).attempt_timeout(8 * SECOND);
    let policy = policy.build().unwrap();
    let seen = RefCell::new(Vec::new());
    let ends = both!(&policy, |attempt: &Attempt| {
        seen.borrow_mut().push((attempt.deadline(), attempt.time_left()));
        if attempt.number() < 3 { Err(reset()) } else { Ok(()) }
    });
    assert!(ends.into_iter().all(|(end, _)| end.is_ok()));
    let at = |seconds: u32| Some(Moment::ORIGIN + seconds * SECOND);
    let left = |seconds: u32| Some(seconds * SECOND);
    let expected = [(at(8), left(8)), (at(9), left(8)), (at(10), left(8))];
    assert_eq!(seen.take(), [expected, expected].concat());
}

/// P5, I2: by the real clock `time_left` is what is left when it is called.
#[tokio::test(start_paused = true)]
async fn time_left_follows_the_clock() {
    let policy = Policy::immediate().max_duration(10 * SECOND).build().unwrap();
    let left = retry(&policy, |attempt: Attempt| async move {
        let before = attempt.time_left();
        tokio::time::sleep(4 * SECOND).await;
        Ok::<_, io::Error>((before, attempt.time_left()))
    });
    let (before, after) = left.await.unwrap();
    assert_eq!(before, Some(10 * SECOND));
    // The paused clock may start a little before the origin of moments.
    assert_eq!(after.map(|left| left.as_secs()), Some(6));
}

/// P3: each wait equals the decided delay.
#[test]
fn waits_match_the_decisions() {
    let policy = Policy::custom([SECOND, Duration::ZERO, 3 * SECOND]).build().unwrap();
    for (end, world) in both!(&policy, |_: &Attempt| Err::<(), _>(reset())) {
        let delays: Vec<_> =
            end.unwrap_err().gave_up().failures.iter().map(|failure| failure.delay).collect();
        assert_eq!(delays, [Some(SECOND), Some(Duration::ZERO), Some(3 * SECOND), None]);
        assert_eq!(world.waits(), [SECOND, 3 * SECOND]);
    }
}

/// P3: a zero delay needs no timer and no runtime.
#[test]
fn zero_delay_uses_no_timer() {
    let policy = Policy::immediate().max_attempts(5).build().unwrap();
    for (end, world) in both!(&policy, |_: &Attempt| Err::<(), _>(reset())) {
        assert_eq!(end.unwrap_err().attempts(), 5);
        assert!(world.waits().is_empty());
    }
    // Tokio's timer panics outside of its runtime.
    let mut session = std::pin::pin!(retry(&policy, || ready(Err::<(), _>(reset()))).into_future());
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(session.as_mut().poll(&mut context).is_ready());
}

/// I4: polling a session after it gave up returns `Pending`.
#[test]
fn ended_session_stays_pending() {
    for policy in [
        Policy::immediate().build().unwrap(),
        Policy::immediate().max_duration(SECOND).build().unwrap(),
    ] {
        let calls = Cell::new(0);
        let failing = || {
            calls.set(calls.get() + 1);
            ready(Err::<(), _>(reset()))
        };
        let world = World::new([]);
        let mut session = std::pin::pin!(retry(&policy, failing).environment(world).into_future());
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(session.as_mut().poll(&mut context).is_ready());
        for _ in 0..3 {
            assert!(session.as_mut().poll(&mut context).is_pending());
        }
        assert_eq!(calls.get(), 3);
    }
}
