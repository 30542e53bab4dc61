//! I6: a session that is cancelled, dropped or panics is recorded as cancelled.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![cfg(all(feature = "tokio", feature = "record"))]

#[path = "common/save_state.rs"]
mod save_state;

use std::future::{Future, IntoFuture, pending, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use steadfast::observe::{Event, EventType, Memory, Recorder};
use steadfast::{CancelHandle, Fault, Reason, retry};

use save_state::{noon, policy, timeout};

fn types(events: &[Event]) -> Vec<EventType> {
    events.iter().map(|event| event.event_type).collect()
}

/// Polls once, then drops.
async fn poll_and_drop(future: impl Future) {
    let mut future = pin!(future);
    poll_fn(|context| {
        let _ = future.as_mut().poll(context);
        std::task::Poll::Ready(())
    })
    .await;
}

/// I6: a session that is dropped in an attempt is recorded as cancelled, the attempt with it.
#[tokio::test(start_paused = true)]
async fn dropped_session_is_recorded_as_cancelled() {
    let memory = Memory::default();
    let policy = policy();
    let session = retry(&policy, pending::<Result<(), Fault>>).instrument(Recorder::new(&memory));
    poll_and_drop(session.into_future()).await;

    let session = &memory.sessions()[0];
    assert_eq!((session.success, session.reason), (false, Some(Reason::Cancelled)));
    assert_eq!(session.attempts[0].error.as_ref().unwrap().error_type, "cancelled");
    assert_eq!(session.validate(), Ok(()));
    let events = memory.events();
    assert_eq!(types(&events), [EventType::RetryFailure]);
    assert_eq!(events[0].reason, Some(Reason::Cancelled));
}

/// I6: a panic is neither retried nor swallowed; the record says what it was.
#[tokio::test(start_paused = true)]
async fn panic_is_recorded_with_its_type() {
    let memory = Arc::new(Memory::default());
    let recorder = Recorder::new(Arc::clone(&memory));
    let ended = tokio::spawn(async move {
        let policy = policy();
        let broken = || async { if true { panic!("broken") } else { Ok::<(), Fault>(()) } };
        retry(&policy, broken).instrument(recorder).await
    })
    .await;
    assert!(ended.unwrap_err().is_panic());
    let session = &memory.sessions()[0];
    assert_eq!((session.reason, session.total_attempts()), (Some(Reason::Cancelled), 1));
    assert_eq!(session.final_error.as_ref().unwrap().error_type, "panic");
}

/// I6: the same by handle, while it waits: only the attempt that failed is on record.
#[tokio::test(start_paused = true)]
async fn session_cancelled_while_waiting_is_recorded_as_cancelled() {
    let memory = Memory::default();
    let policy = policy();
    let handle = CancelHandle::new();
    let session = retry(&policy, || async { Err::<(), _>(timeout()) })
        .cancel_with(&handle)
        .instrument(Recorder::new(&memory).starting_at(noon()));
    let cancel = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        handle.cancel();
    };
    let (ended, ()) = tokio::join!(session.into_future(), cancel);
    assert_eq!(ended.unwrap_err().reason(), Reason::Cancelled);

    let session = &memory.sessions()[0];
    assert_eq!((session.reason, session.total_attempts()), (Some(Reason::Cancelled), 1));
    assert_eq!(session.final_error.as_ref().unwrap().error_type, "TimeoutError");
    assert_eq!(session.total_duration(), Some(Duration::from_millis(500)));
    assert_eq!(types(&memory.events()), [EventType::RetryFailure]);
}

#[test]
fn session_cancelled_before_its_first_attempt_has_an_event() {
    let memory = Memory::default();
    let policy = policy();
    let handle = CancelHandle::new();
    handle.cancel();
    let recorder = Recorder::new(&memory);
    let ended =
        retry(&policy, || Ok::<_, Fault>(())).cancel_with(&handle).instrument(recorder).call();
    assert_eq!(ended.unwrap_err().reason(), Reason::Cancelled);
    assert_eq!(memory.events()[0].reason, Some(Reason::Cancelled));
    assert!(memory.sessions().is_empty());
}

/// I6: a future that is never polled has not begun.
#[test]
fn session_that_never_started_is_not_recorded() {
    let memory = Memory::default();
    let policy = policy();
    drop(
        retry(&policy, || async { Ok::<_, Fault>(()) })
            .instrument(Recorder::new(&memory))
            .into_future(),
    );
    assert!(memory.events().is_empty() && memory.sessions().is_empty());
}
