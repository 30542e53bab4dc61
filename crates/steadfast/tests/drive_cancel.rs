//! Cancellation of a session (I6): by a drop, a handle or a panic.

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
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::mpsc;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::Duration;

use steadfast::drive::{EventKind, SessionEvent};
use steadfast::guard::breaker::BreakerState;
use steadfast::guard::{Breaker, BreakerSettings};
use steadfast::{Attempt, CancelHandle, Instrument, Moment, Policy, Reason, retry};

use both::both;
use world::World;

const SECOND: Duration = Duration::from_secs(1);
/// Longer than any wait of these tests.
const FOREVER: Duration = Duration::from_secs(1_000_000);
/// How long another thread may take before the test fails.
const PATIENCE: Duration = Duration::from_secs(30);

fn reset() -> io::Error {
    io::Error::from(ErrorKind::ConnectionReset)
}

fn fixed() -> Policy {
    Policy::fixed(SECOND).max_attempts(3).build().unwrap()
}

/// The same, for a session that needs state before its first attempt.
fn prepared() -> Policy {
    Policy::fixed(SECOND).max_attempts(3).max_duration(60 * SECOND).build().unwrap()
}

fn poll<T>(future: Pin<&mut impl Future<Output = T>>) -> Poll<T> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Records how sessions end.
struct Ends<'e>(&'e RefCell<Vec<String>>);

impl Instrument for Ends<'_> {
    fn observes(&self) -> bool {
        true
    }

    fn observe(&mut self, happening: &SessionEvent<'_>) {
        let end = match happening.kind {
            EventKind::Dropped => "dropped".to_owned(),
            EventKind::Succeeded => "succeeded".to_owned(),
            EventKind::GaveUp { reason, .. } => reason.name().to_owned(),
            _ => return,
        };
        self.0.borrow_mut().push(format!("{end} at {}", happening.attempt));
    }
}

/// I6: dropping the future in the middle of an attempt drops the attempt and ends the session.
#[test]
fn dropped_during_an_attempt_is_observed() {
    for policy in [fixed(), prepared()] {
        let (alive, calls, ends) = (Cell::new(0), Cell::new(0), RefCell::default());
        struct Alive<'c>(&'c Cell<i32>);
        impl Drop for Alive<'_> {
            fn drop(&mut self) {
                self.0.set(self.0.get() - 1);
            }
        }
        let never = || {
            calls.set(calls.get() + 1);
            alive.set(alive.get() + 1);
            let held = Alive(&alive);
            async move {
                let _held = held;
                pending::<io::Result<()>>().await
            }
        };
        {
            let session = retry(&policy, never).environment(World::new([])).instrument(Ends(&ends));
            let mut session = pin!(session.into_future());
            assert!(poll(session.as_mut()).is_pending());
            assert_eq!(alive.get(), 1);
        }
        assert_eq!((alive.get(), calls.get()), (0, 1));
        assert_eq!(ends.take(), ["dropped at 1"]);
    }
}

/// I6: dropping the future during a wait makes no further attempt.
#[test]
fn dropped_during_a_wait_is_observed() {
    for policy in [fixed(), prepared()] {
        let (calls, ends) = (Cell::new(0), RefCell::default());
        let world = World::new([]);
        let failing = || {
            calls.set(calls.get() + 1);
            ready(Err::<(), _>(reset()))
        };
        {
            let session =
                retry(&policy, failing).environment(world.clone()).instrument(Ends(&ends));
            let mut session = pin!(session.into_future());
            assert!(poll(session.as_mut()).is_pending());
            world.pass(SECOND);
            assert!(poll(session.as_mut()).is_pending());
        }
        world.pass(60 * SECOND);
        assert_eq!(calls.get(), 2);
        assert_eq!(ends.take(), ["dropped at 3"]);
    }
}

/// I6: dropping a session that never started is not observed.
#[test]
fn dropped_before_the_first_poll_is_not_observed() {
    for policy in [fixed(), prepared()] {
        let ends = RefCell::default();
        let session = retry(&policy, || ready(Ok::<_, io::Error>(())));
        drop(session.environment(World::new([])).instrument(Ends(&ends)).into_future());
        assert!(ends.take().is_empty());
    }
}

/// I6: dropping a session that has ended is not observed.
#[test]
fn drop_after_the_end_is_not_observed() {
    for policy in [fixed(), prepared()] {
        for (fails, expected) in
            [(0, "succeeded at 1"), (2, "succeeded at 3"), (9, "attempts_exhausted at 3")]
        {
            let ends = RefCell::default();
            let _ = both!(
                &policy,
                |attempt: &Attempt| if attempt.number() <= fails { Err(reset()) } else { Ok(()) },
                instrument(Ends(&ends))
            );
            assert_eq!(ends.take(), [expected, expected]);
        }
    }
}

/// I6: with a cancelled handle no attempt starts, and the error has the reason.
#[test]
fn session_cancelled_before_start_makes_no_attempt() {
    for policy in [fixed(), prepared()] {
        let (handle, ends) = (CancelHandle::new(), RefCell::default());
        handle.cancel();
        let results = both!(
            &policy,
            |_: &Attempt| -> io::Result<()> { unreachable!("it was called off") },
            instrument(Ends(&ends)),
            cancel_with(&handle)
        );
        for (end, _) in results {
            let error = end.unwrap_err();
            assert_eq!((error.reason(), error.attempts()), (Reason::Cancelled, 0));
            assert!(error.into_error().unwrap_err().failures.is_empty());
        }
        assert_eq!(ends.take(), ["cancelled at 1"; 2]);
    }
}

/// I6: cancelled while an attempt runs. A future is dropped at once; a thread finishes
/// its attempt first and makes no other.
#[test]
fn session_cancelled_during_an_attempt_ends() {
    for policy in [fixed(), prepared()] {
        let (handle, dropped) = (CancelHandle::new(), Cell::new(false));
        struct Flag<'c>(&'c Cell<bool>);
        impl Drop for Flag<'_> {
            fn drop(&mut self) {
                self.0.set(true);
            }
        }
        let never = || {
            let flag = Flag(&dropped);
            async move {
                let _flag = flag;
                pending::<io::Result<()>>().await
            }
        };
        let session = retry(&policy, never).environment(World::new([])).cancel_with(&handle);
        let mut session = pin!(session.into_future());
        assert!(poll(session.as_mut()).is_pending());
        handle.cancel();
        let Poll::Ready(Err(error)) = poll(session.as_mut()) else {
            unreachable!("the session is pending")
        };
        assert!(dropped.get());
        assert_eq!((error.reason(), error.attempts()), (Reason::Cancelled, 0));

        let (handle, calls) = (CancelHandle::new(), Cell::new(0));
        let cancels = || {
            calls.set(calls.get() + 1);
            handle.cancel();
            Err::<(), _>(reset())
        };
        let end = retry(&policy, cancels).environment(World::new([])).cancel_with(&handle).call();
        let error = end.unwrap_err();
        assert_eq!((error.reason(), error.attempts(), calls.get()), (Reason::Cancelled, 1, 1));
        assert_eq!(error.into_error().unwrap().kind(), ErrorKind::ConnectionReset);
    }
}

/// I6: a success is returned even if the session was cancelled in the meantime.
#[test]
fn successful_session_is_not_cancelled() {
    for policy in [fixed(), prepared()] {
        let handle = CancelHandle::new();
        let cancels = || {
            handle.cancel();
            Ok::<_, io::Error>(7)
        };
        let end = retry(&policy, cancels).environment(World::new([])).cancel_with(&handle).call();
        assert_eq!(end.unwrap(), 7);
        let handle = CancelHandle::new();
        let cancels = || {
            handle.cancel();
            ready(Ok::<_, io::Error>(7))
        };
        let world = World::new([]);
        let session = retry(&policy, cancels).environment(world.clone()).cancel_with(&handle);
        assert_eq!(world.run(session.into_future()).unwrap(), 7);
    }
}

/// I6: cancelled while it waits, a task is woken and the last error comes out.
#[tokio::test(start_paused = true)]
async fn session_cancelled_during_a_wait_ends() {
    for policy in [
        Policy::fixed(FOREVER).build().unwrap(),
        Policy::fixed(FOREVER).max_duration(2 * FOREVER).build().unwrap(),
    ] {
        let handle = CancelHandle::new();
        let start = tokio::time::Instant::now();
        let task = tokio::spawn({
            let handle = handle.clone();
            async move { retry(&policy, || ready(Err::<(), _>(reset()))).cancel_with(&handle).await }
        });
        tokio::task::yield_now().await;
        assert!(!task.is_finished());
        handle.cancel();
        let error = task.await.unwrap().unwrap_err();
        assert_eq!((error.reason(), error.attempts()), (Reason::Cancelled, 1));
        assert_eq!(error.gave_up().failures.len(), 1);
        assert_eq!(error.into_error().unwrap().kind(), ErrorKind::ConnectionReset);
        assert!(start.elapsed() < FOREVER);
    }
}

/// I6: cancelled from another thread while it waits, a thread stops waiting.
#[test]
fn blocking_wait_is_cancelled() {
    let handle = CancelHandle::new();
    let ((failed, has_failed), (ended, has_ended)) = (mpsc::channel(), mpsc::channel());
    let session = thread::spawn({
        let handle = handle.clone();
        move || {
            let policy = Policy::fixed(FOREVER).build().unwrap();
            let end = retry(&policy, || Err::<(), _>(reset()))
                .on_retry(|_, _| failed.send(()).unwrap())
                .cancel_with(&handle)
                .call();
            ended.send(end.unwrap_err()).unwrap();
        }
    });
    has_failed.recv_timeout(PATIENCE).unwrap();
    assert!(has_ended.try_recv().is_err());
    handle.cancel();
    let error = has_ended.recv_timeout(PATIENCE).unwrap();
    assert_eq!((error.reason(), error.attempts()), (Reason::Cancelled, 1));
    assert_eq!(error.into_error().unwrap().kind(), ErrorKind::ConnectionReset);
    session.join().unwrap();
}

/// I6, I4: a cancelled wait counts with its actual length.
#[test]
fn cancelled_wait_counts_its_actual_length() {
    for policy in [fixed(), prepared()] {
        let (world, handle) = (World::new([]), CancelHandle::new());
        let session = retry(&policy, || ready(Err::<(), _>(reset())));
        let session = session.environment(world.clone()).cancel_with(&handle).named("waits");
        let mut session = pin!(session.into_future());
        assert!(poll(session.as_mut()).is_pending());
        world.pass(SECOND / 4);
        handle.cancel();
        let Poll::Ready(Err(error)) = poll(session.as_mut()) else {
            unreachable!("the session is pending")
        };
        assert_eq!(error.gave_up().elapsed, SECOND / 4);
    }
}

/// I6: one handle cancels all its sessions and no other.
#[test]
fn handle_cancels_all_its_sessions() {
    let (policy, world) = (fixed(), World::new([]));
    let (handle, other) = (CancelHandle::new(), CancelHandle::new());
    let waiting = |handle| {
        let failing = || ready(Err::<(), _>(reset()));
        retry(&policy, failing).environment(world.clone()).cancel_with(handle).into_future()
    };
    let (mut one, mut two, mut free) =
        (pin!(waiting(&handle)), pin!(waiting(&handle)), pin!(waiting(&other)));
    for _ in 0..2 {
        assert!(poll(one.as_mut()).is_pending());
        assert!(poll(two.as_mut()).is_pending());
        assert!(poll(free.as_mut()).is_pending());
    }
    handle.cancel();
    assert!(poll(one.as_mut()).is_ready() && poll(two.as_mut()).is_ready());
    assert!(poll(free.as_mut()).is_pending());
    assert!(handle.is_cancelled() && !other.is_cancelled());
}

/// I6, G2: a cancelled session releases the permit of a probe.
#[test]
fn cancelled_probe_releases_its_permit() {
    for policy in [fixed(), prepared()] {
        let (breaker, world) = half_open();
        let handle = CancelHandle::new();
        let session = retry(&policy, pending::<io::Result<()>>)
            .environment(world.clone())
            .breaker(&breaker)
            .cancel_with(&handle);
        let mut session = pin!(session.into_future());
        assert!(poll(session.as_mut()).is_pending());
        assert!(breaker.acquire(world.now()).is_err());
        handle.cancel();
        assert!(poll(session.as_mut()).is_ready());
        assert!(breaker.acquire(world.now()).unwrap().is_probe());
    }
}

/// A breaker whose timeout has passed, so that it permits one probe.
fn half_open() -> (Breaker, World) {
    let world = World::new([]);
    let breaker = Breaker::new(BreakerSettings::consecutive(1, 60 * SECOND)).unwrap();
    breaker.open(Moment::ORIGIN);
    world.pass(60 * SECOND);
    assert_eq!(breaker.state(world.now()), BreakerState::HalfOpen);
    (breaker, world)
}

/// I6: a panic is neither caught nor retried.
#[test]
fn panic_is_propagated() {
    for policy in [fixed(), prepared()] {
        for at in 1..=2 {
            let calls = Cell::new(0);
            let panics = |attempt: &Attempt| -> io::Result<()> {
                calls.set(calls.get() + 1);
                if attempt.number() == at {
                    std::panic::panic_any("of the operation");
                }
                Err(reset())
            };
            let blocking = catch_unwind(AssertUnwindSafe(|| {
                let session = retry(&policy, |attempt: Attempt| panics(&attempt));
                let _ = session.environment(World::new([])).call();
            }));
            assert_eq!(calls.take(), at);
            let future = catch_unwind(AssertUnwindSafe(|| {
                let world = World::new([]);
                let panics = &panics;
                let session = retry(&policy, |attempt: Attempt| async move { panics(&attempt) });
                let _ = world.run(session.environment(world.clone()).into_future());
            }));
            assert_eq!(calls.take(), at);
            for panic in [blocking, future] {
                assert_eq!(*panic.unwrap_err().downcast::<&str>().unwrap(), "of the operation");
            }
        }
    }
}

/// I6, G2: a panic releases the permits of probes, of the call's and of the policy's breaker.
#[test]
fn panic_releases_the_probe_permit() {
    let panics = || -> io::Result<()> { std::panic::panic_any("of the operation") };
    for policy in [fixed(), prepared()] {
        let (breaker, world) = half_open();
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let _ = retry(&policy, panics).environment(world.clone()).breaker(&breaker).call();
        }));
        assert!(caught.is_err());
        assert_eq!(breaker.state(world.now()), BreakerState::HalfOpen);
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let session = retry(&policy, || async { panics() });
            let session = session.environment(world.clone()).breaker(&breaker);
            let _ = world.run(session.into_future());
        }));
        assert!(caught.is_err());
        assert!(breaker.acquire(world.now()).unwrap().is_probe());
    }

    let guarded = Policy::immediate()
        .max_attempts(1)
        .breaker(BreakerSettings::consecutive(1, 60 * SECOND))
        .build()
        .unwrap();
    let world = World::new([]);
    let session =
        |result: fn() -> io::Result<()>| retry(&guarded, result).environment(world.clone()).call();
    assert!(session(|| Err(reset())).is_err());
    world.pass(60 * SECOND);
    assert!(catch_unwind(AssertUnwindSafe(|| session(panics))).is_err());
    assert!(session(|| Ok(())).is_ok());
}

/// I6: with two handles, either ends a wait that blocks a thread.
#[test]
fn either_of_two_handles_ends_a_blocking_wait() {
    let policy = Policy::fixed(FOREVER).build().unwrap();
    for cancelled in 0..2 {
        let handles = [CancelHandle::new(), CancelHandle::new()];
        let [first, second] = handles.clone();
        let (policy, (sender, ends)) = (policy.clone(), mpsc::channel());
        let (fails, failed) = mpsc::channel();
        thread::spawn(move || {
            let down = || {
                fails.send(()).unwrap();
                Err::<(), _>(reset())
            };
            let end = retry(&policy, down).cancel_with(&first).cancel_with(&second).seed(1).call();
            sender.send(end.unwrap_err().reason()).unwrap();
        });
        failed.recv_timeout(PATIENCE).unwrap();
        handles[cancelled].cancel();
        assert_eq!(ends.recv_timeout(PATIENCE), Ok(Reason::Cancelled), "handle {cancelled}");
    }
}
