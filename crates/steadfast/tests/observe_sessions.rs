//! I6: sessions in progress can be listed, and cancelled by id.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
#![cfg(all(feature = "tokio", feature = "record"))]

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::json;
use steadfast::guard::{Breaker, BreakerSettings};
use steadfast::observe::{ActiveSession, Memory, Recorder, SessionId, SessionState, Sessions};
use steadfast::policy::Draft;
use steadfast::{Fault, Hint, Kind, Policy, Reason, retry};

fn timeout() -> Fault {
    Fault::of(Kind::Timeout)
}

fn policy() -> Policy {
    Draft::new().id("calls").max_attempts(3).base_delay(Duration::from_secs(10)).build().unwrap()
}

fn brief(session: &ActiveSession) -> (u32, SessionState, Option<Duration>) {
    (session.attempt, session.state, session.delay)
}

#[tokio::test(start_paused = true)]
async fn session_is_listed_from_its_start_to_its_end() {
    let sessions = Sessions::new();
    let policy = policy();
    let tracked = sessions.track("storage.save", &policy);
    let id = tracked.id();
    let see = || sessions.get(id).as_ref().map(brief);
    assert_eq!(see(), Some((1, SessionState::Starting, None)));

    let tries = AtomicU32::new(0);
    let session = retry(&policy, || async {
        tokio::time::sleep(Duration::from_secs(2)).await;
        if tries.fetch_add(1, Ordering::Relaxed) == 0 { Err(timeout()) } else { Ok(()) }
    })
    .instrument(tracked);
    let watch = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert_eq!(see(), Some((1, SessionState::Attempting, None)));
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(see(), Some((2, SessionState::Waiting, Some(Duration::from_secs(10)))));
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert_eq!(see(), Some((2, SessionState::Attempting, None)));
    };
    let mut session = Box::pin(session.into_future());
    let (ended, ()) = tokio::join!(&mut session, watch);
    ended.unwrap();
    // Ended, although the future still exists.
    assert!(sessions.list().is_empty());
    drop(session);
}

#[test]
fn listed_session_serializes_to_json() {
    let sessions = Sessions::new();
    let policy = policy();
    let tracked = sessions.track("GET https://u:s3cr3t@h/", &policy);
    let mut listed = serde_json::to_value(sessions.list()).unwrap();
    let started = listed[0].as_object_mut().unwrap().remove("start_time").unwrap();
    assert!(started.as_str().unwrap().parse::<jiff::Timestamp>().is_ok());
    let expected = json!([{
        "session_id": tracked.id(),
        "operation": "GET https://u:***@h/",
        "policy_id": "calls",
        "attempt": 1,
        "max_attempts": 3,
        "state": "starting",
        "cancelled": false,
    }]);
    assert_eq!(listed, expected);
}

/// I6: by session id, while it waits; and only that one.
#[tokio::test(start_paused = true)]
async fn session_is_cancelled_by_its_id() {
    let sessions = Sessions::new();
    let memory = Memory::default();
    let policy = policy();
    let (first, second) = (sessions.track("first", &policy), sessions.track("second", &policy));
    let id = first.id();
    let down = || async { Err::<(), _>(timeout()) };
    let started = tokio::time::Instant::now();
    let one = retry(&policy, down)
        .cancel_with(first.handle())
        .instrument(Recorder::new(&memory).session_id(id))
        .instrument(first);
    let other = retry(&policy, down).cancel_with(second.handle()).instrument(second);
    let cancel = async {
        tokio::time::sleep(Duration::from_secs(3)).await;
        // As it arrives from outside: as text.
        let id: SessionId = id.to_string().parse().unwrap();
        assert!(sessions.cancel(id));
    };
    let one = async { (one.await, started.elapsed()) };
    let ((one, took), other, ()) = tokio::join!(one, other.into_future(), cancel);
    assert_eq!(one.unwrap_err().reason(), Reason::Cancelled);
    assert_eq!(took, Duration::from_secs(3));
    assert_eq!(other.unwrap_err().reason(), Reason::AttemptsExhausted);

    let recorded = &memory.sessions()[0];
    assert_eq!(
        (recorded.session_id.as_str(), recorded.reason),
        (&*id.to_string(), Some(Reason::Cancelled))
    );
    assert!(!sessions.cancel(id), "it is over");
}

#[test]
fn all_sessions_are_cancelled_together() {
    let sessions = Sessions::new();
    let policy = policy();
    let all = [sessions.track("a", &policy), sessions.track("b", &policy)];
    assert_eq!(sessions.cancel_all(), 2);
    assert!(all.iter().all(|tracked| tracked.handle().is_cancelled()));
    // Cancelled, but not ended yet.
    assert!(sessions.list().iter().all(|session| session.cancelled));
    drop(all);
    assert_eq!(sessions.cancel_all(), 0);
}

/// I6: a session that has ended is not listed.
#[tokio::test(start_paused = true)]
async fn dropped_session_is_removed_from_the_list() {
    let sessions = Sessions::new();
    let policy = Policy::immediate().max_attempts(2).build().unwrap();
    // Dropped before its first poll.
    drop(retry(&policy, || async { Ok::<_, Fault>(()) }).instrument(sessions.track("a", &policy)));
    assert!(sessions.list().is_empty());
    // Given up.
    let tracked = sessions.track("b", &policy);
    let ended = retry(&policy, || Err::<(), _>(timeout())).instrument(tracked).call();
    assert!(ended.is_err() && sessions.list().is_empty());
    // Rejected.
    let breaker = Breaker::new(BreakerSettings::consecutive(1, Duration::from_secs(9))).unwrap();
    breaker.isolate(steadfast::Moment::ORIGIN);
    let tracked = sessions.track("c", &policy);
    let ended = retry(&policy, || Ok::<_, Fault>(())).breaker(&breaker).instrument(tracked).call();
    assert!(ended.is_err() && sessions.list().is_empty());
    // Dropped in the middle.
    let tracked = sessions.track("d", &policy);
    let session = retry(&policy, std::future::pending::<Result<(), Fault>>).instrument(tracked);
    let limited = tokio::time::timeout(Duration::from_secs(1), session.into_future()).await;
    assert!(limited.is_err() && sessions.list().is_empty());
    // Panicked.
    let tracked = sessions.track("e", &policy);
    let broken = || -> Result<(), Fault> { panic!("broken") };
    let call = std::panic::AssertUnwindSafe(|| retry(&policy, broken).instrument(tracked).call());
    assert!(std::panic::catch_unwind(call).is_err() && sessions.list().is_empty());
}

/// I6, J2: a hinted wait within `max_rate_limit_waits` consumes no attempt.
#[tokio::test(start_paused = true)]
async fn listed_attempt_ignores_hinted_waits() {
    let sessions = Sessions::new();
    let policy = Policy::immediate().max_rate_limit_waits(1).build().unwrap();
    let tracked = sessions.track("a", &policy);
    let id = tracked.id();
    let limited = Fault::http(429).with_hint(Hint::After(Duration::from_secs(60)));
    let session = retry(&policy, || async { Err::<(), _>(limited.clone()) }).instrument(tracked);
    let watch = async {
        tokio::time::sleep(Duration::from_secs(1)).await;
        sessions.get(id).unwrap()
    };
    let session = tokio::time::timeout(Duration::from_secs(2), session.into_future());
    let (_, listed) = tokio::join!(session, watch);
    assert_eq!(brief(&listed), (1, SessionState::Waiting, Some(Duration::from_secs(60))));
}

#[test]
fn session_ids_are_unique_and_ordered() {
    let ids: Vec<_> = (0..1000).map(|_| SessionId::fresh()).collect();
    assert!(ids.is_sorted() && ids.windows(2).all(|pair| pair[0] != pair[1]));
}
