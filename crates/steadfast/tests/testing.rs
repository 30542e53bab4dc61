//! The module for tests of code that retries.

#![cfg(all(not(loom), feature = "testing"))]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::future::pending;
use std::io;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use steadfast::drive::{BlockingSleeper, Environment, Sleeper};
use steadfast::testing::{FaultInjector, Script, VirtualClock, assert_retried};
use steadfast::{Jitter, Kind, Policy, Reason, retry};

const SECOND: Duration = Duration::from_secs(1);
const HOUR: Duration = Duration::from_secs(3600);

fn refused() -> io::Error {
    io::ErrorKind::ConnectionRefused.into()
}

fn hourly() -> Policy {
    Policy::fixed(HOUR).max_attempts(4).build().unwrap()
}

fn message(failing: impl FnOnce() + std::panic::UnwindSafe) -> String {
    let panic = std::panic::catch_unwind(failing).expect_err("it passed");
    match panic.downcast::<String>() {
        Ok(message) => *message,
        Err(panic) => (*panic.downcast::<&str>().unwrap()).to_owned(),
    }
}

#[test]
fn blocking_session_waits_on_the_virtual_clock() {
    let clock = VirtualClock::new();
    let script = Script::new().fail_times(2, refused).succeed(7);
    let value = retry(&hourly(), || script.call()).environment(&clock).call().unwrap();
    assert_eq!((value, script.calls()), (7, 3));
    assert_eq!((clock.waits(), clock.elapsed()), (vec![HOUR; 2], 2 * HOUR));
    script.assert_finished();
}

#[cfg(feature = "tokio")]
#[tokio::test]
async fn session_on_a_runtime_waits_on_the_virtual_clock() {
    let clock = VirtualClock::new();
    let script = Script::new().fail_times(2, refused).succeed(7);
    let policy = hourly();
    let value = retry(&policy, || script.call_async()).environment(&clock).await.unwrap();
    assert_eq!((value, clock.waits()), (7, vec![HOUR; 2]));
}

#[cfg(feature = "tokio")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn spawned_sessions_share_a_clock() {
    let clock = VirtualClock::new();
    let tasks = [1, 2, 3].map(|hours| {
        let clock = clock.clone();
        tokio::spawn(async move {
            clock.elapse(hours * HOUR).await;
            clock.elapsed()
        })
    });
    for (task, hours) in tasks.into_iter().zip(1..) {
        assert!(task.await.unwrap() >= hours * HOUR);
    }
    assert!(clock.elapsed() <= 6 * HOUR);
}

#[test]
fn earliest_timer_ends_first() {
    let clock = VirtualClock::new();
    let policy = Policy::immediate().max_attempts(2).attempt_timeout(3 * SECOND).build().unwrap();
    let script = Script::on(&clock).fail(refused()).takes(2 * SECOND).succeed(()).takes(4 * SECOND);
    let session = retry(&policy, || script.call_async()).environment(&clock);
    let error = clock.block_on(session).unwrap_err();
    let failures = &error.gave_up().failures;
    let kinds: Vec<_> = failures.iter().filter_map(|failure| failure.fault.kind).collect();
    assert_eq!(kinds, [Kind::ConnectionRefused, Kind::Timeout]);
    assert_eq!((clock.elapsed(), clock.waits()), (5 * SECOND, vec![3 * SECOND]));
}

#[test]
fn timer_that_is_not_awaited_does_not_stop_the_clock() {
    let clock = VirtualClock::new();
    let mut kept = Box::pin(clock.elapse(SECOND));
    let mut context = Context::from_waker(Waker::noop());
    assert!(kept.as_mut().poll(&mut context).is_pending());
    clock.block_on(clock.elapse(HOUR));
    assert_eq!(clock.elapsed(), HOUR);
    assert!(kept.as_mut().poll(&mut context).is_ready());
}

#[test]
fn dropped_timer_neither_moves_the_clock_nor_is_a_wait() {
    let clock = VirtualClock::new();
    let mut context = Context::from_waker(Waker::noop());
    let mut sleep = Box::pin(clock.sleep(HOUR));
    assert!(sleep.as_mut().poll(&mut context).is_pending());
    drop(sleep);
    clock.block_on(clock.elapse(SECOND));
    assert_eq!((clock.elapsed(), clock.waits()), (SECOND, vec![]));
}

#[test]
fn manual_clock_moves_only_when_advanced() {
    let clock = VirtualClock::manual();
    let policy = hourly();
    let mut session =
        pin!(retry(&policy, async || Err::<(), _>(refused())).environment(&clock).into_future());
    let mut context = Context::from_waker(Waker::noop());
    for waits in 0..3 {
        for _ in 0..3 {
            assert!(session.as_mut().poll(&mut context).is_pending());
        }
        assert_eq!(clock.waits(), vec![HOUR; waits]);
        clock.advance(HOUR);
    }
    let Poll::Ready(Err(error)) = session.as_mut().poll(&mut context) else { panic!("pending") };
    assert_eq!(error.reason(), Reason::AttemptsExhausted);
}

#[test]
fn future_that_waits_for_something_else_is_reported() {
    let clock = VirtualClock::new();
    assert!(message(move || clock.block_on(pending())).contains("this clock will not wake it"));
    let clock = VirtualClock::manual();
    let stopped = message(move || clock.block_on(clock.elapse(SECOND)));
    assert!(stopped.contains("advance the clock"), "{stopped}");
}

#[test]
fn jitter_is_the_middle_of_its_range_unless_drawn() {
    let policy = Policy::fixed(HOUR).jitter(Jitter::Full).max_attempts(3).build().unwrap();
    let clock = VirtualClock::new().with_draws([0]);
    let _ = retry(&policy, || Err::<(), _>(refused())).environment(&clock).call();
    let waits = clock.waits();
    assert_eq!(clock.draw_count(), 2);
    // A delay of zero is no wait.
    assert_eq!(waits.len(), 1);
    assert!(waits[0].abs_diff(HOUR / 2) < SECOND, "{waits:?}");
}

#[test]
fn clock_by_value_and_by_reference_is_the_same() {
    let clock = VirtualClock::new().with_draws([1, 2]);
    assert_eq!(Environment::draw(&mut &clock), 1);
    assert_eq!(Environment::draw(&mut clock.clone()), 2);
    BlockingSleeper::block(&clock, SECOND);
    BlockingSleeper::block(&&clock, SECOND);
    assert_eq!(Environment::now(&&clock), Environment::now(&clock));
    assert_eq!(clock.waits(), [SECOND; 2]);
}

#[test]
fn script_that_is_too_short_is_reported() {
    let script = Script::<(), io::Error>::new().fail(refused());
    let _ = script.call();
    let too_short = message(|| _ = script.call());
    assert_eq!(too_short, "this is call 2, but the script has 1 outcomes");
}

#[test]
fn script_that_is_too_long_is_reported() {
    let script = Script::<(), io::Error>::new().fail(refused()).succeed(());
    let _ = script.call();
    assert_eq!(message(|| script.assert_finished()), "1 of 2 scripted outcomes are left");
}

#[test]
fn script_without_a_clock_takes_no_time() {
    let no_clock = message(|| _ = Script::<(), io::Error>::new().succeed(()).takes(SECOND));
    assert!(no_clock.contains("`Script::on`"), "{no_clock}");
}

#[test]
fn assert_retried_reads_every_outcome() {
    let clock = VirtualClock::new();
    let policy = hourly();
    let once = Script::new().fail(refused()).succeed(7);
    let outcome = retry(&policy, || once.call()).environment(&clock).with_report().call();
    assert_retried(&outcome, [HOUR]);
    let outcome = outcome.unwrap();
    assert_retried(&outcome, [HOUR]);
    assert_retried(&outcome.1, vec![HOUR]);

    let outcome =
        retry(&policy, || Err::<(), _>(refused())).environment(&clock).with_report().call();
    assert_retried(&outcome, [HOUR; 3]);
    let error = outcome.unwrap_err();
    assert_retried(&error, [HOUR; 3]);
    assert_retried(error.gave_up(), [HOUR; 3]);
}

#[test]
fn assert_retried_lists_the_attempts() {
    let policy = hourly();
    let error = retry(&policy, || Err::<(), _>(refused())).environment(VirtualClock::new()).call();
    let error = error.unwrap_err();
    let failed = message(std::panic::AssertUnwindSafe(|| assert_retried(&error, [HOUR])));
    assert!(
        failed.starts_with("expected 1 retries with the delays [3600s], but there were 3 with"),
        "{failed}"
    );
    assert!(failed.contains("attempt 4: connection_refused"), "{failed}");
}

#[test]
fn injector_fails_the_first_calls() {
    let faults = FaultInjector::first(2, refused);
    let calls: Vec<bool> = (0..4).map(|_| faults.clone().inject().is_err()).collect();
    assert_eq!(calls, [true, true, false, false]);
    assert_eq!((faults.calls(), faults.injected()), (4, 2));
}

#[test]
fn injector_fails_a_share_of_calls_alike_in_every_run() {
    let run = |seed| {
        let faults = FaultInjector::share(0.3, refused).seed(seed);
        let calls: Vec<bool> = (0..1000).map(|_| faults.inject().is_err()).collect();
        assert!((250..350).contains(&faults.injected()), "{faults:?}");
        calls
    };
    assert_eq!(run(1), run(1));
    assert_ne!(run(1), run(2));
}

#[test]
fn injector_rejects_an_impossible_share() {
    let wrong = message(|| _ = FaultInjector::share(1.5, refused));
    assert_eq!(wrong, "share: must be from 0 to 1, not 1.5");
}

#[cfg(feature = "tower")]
#[test]
fn layer_fails_calls_before_they_reach_the_service() {
    use std::sync::atomic::{AtomicU32, Ordering};
    use steadfast::layer::tower::RetryLayer;
    use tower::{ServiceBuilder, ServiceExt, service_fn};

    static REACHED: AtomicU32 = AtomicU32::new(0);
    let clock = VirtualClock::new();
    let faults = FaultInjector::first(2, refused);
    let service = ServiceBuilder::new()
        .layer(RetryLayer::new(hourly()).environment(clock.clone()))
        .layer(faults.clone())
        .service(service_fn(async |request: u32| {
            REACHED.fetch_add(1, Ordering::Relaxed);
            Ok::<_, io::Error>(request + 1)
        }));
    assert_eq!(clock.block_on(service.oneshot(6)).unwrap(), 7);
    assert_eq!((faults.calls(), REACHED.load(Ordering::Relaxed)), (3, 1));
    assert_eq!(clock.waits(), [HOUR; 2]);
}
