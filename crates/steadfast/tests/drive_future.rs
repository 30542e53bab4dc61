//! The async driver as a future, and mutable state of the caller (I1, I2).

#![cfg(all(not(loom), feature = "tokio"))]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{self, ErrorKind};
use std::sync::LazyLock;
use std::time::Duration;

use steadfast::{Attempt, Policy, retry, retry_with_context};

static POLICY: LazyLock<Policy> =
    LazyLock::new(|| Policy::fixed(Duration::from_secs(60)).max_attempts(3).build().unwrap());

async fn second(attempt: Attempt) -> io::Result<u32> {
    match attempt.number() {
        1 => Err(ErrorKind::ConnectionReset.into()),
        number => Ok(number),
    }
}

/// I1: a session is a future, so it can be spawned.
#[tokio::test(start_paused = true)]
async fn session_can_be_spawned() {
    let task = tokio::spawn(retry(&POLICY, second).named("spawned"));
    assert_eq!(task.await.unwrap().unwrap(), 2);
}

/// I1: and joined with others.
#[tokio::test(start_paused = true)]
async fn sessions_can_be_joined() {
    let (left, right) = tokio::join!(retry(&POLICY, second), retry(&POLICY, second));
    assert_eq!((left.unwrap(), right.unwrap()), (2, 2));
}

/// I1: a session that was polled once and then dropped is stopped at once.
#[tokio::test(start_paused = true)]
async fn session_that_loses_a_select_is_dropped() {
    tokio::select! {
        biased;
        _ = retry(&POLICY, second) => panic!("it waits for a minute"),
        () = tokio::time::sleep(Duration::from_secs(1)) => {}
    }
}

/// Each attempt adds to the state.
async fn push(log: &mut Vec<u32>) -> io::Result<usize> {
    log.push(1);
    if log.len() < 3 { Err(ErrorKind::TimedOut.into()) } else { Ok(log.len()) }
}

/// I2: each attempt receives the caller's state and sees the changes of the previous one.
#[tokio::test(start_paused = true)]
async fn context_is_passed_from_attempt_to_attempt() {
    let mut log = Vec::new();
    let pushed = retry_with_context(&POLICY, &mut log, async |mut log| push(&mut log).await);
    assert_eq!(pushed.await.unwrap(), 3);
    assert_eq!(log, [1; 3]);
}

#[test]
fn context_is_passed_to_blocking_attempts() {
    let policy = Policy::immediate().build().unwrap();
    let mut count = 0;
    let third = retry_with_context(&policy, &mut count, |mut count| {
        *count += 1;
        if *count < 3 { Err(io::Error::from(ErrorKind::TimedOut)) } else { Ok(*count) }
    });
    assert_eq!((third.call().unwrap(), count), (3, 3));
}

/// I6: an attempt that is cut off returns the state.
#[tokio::test(start_paused = true)]
async fn context_returns_from_an_attempt_that_is_cut_off() {
    let limit = Duration::from_secs(1);
    let policy = Policy::immediate().max_attempts(3).attempt_timeout(limit).build().unwrap();
    let mut count = 0;
    let session = retry_with_context(&policy, &mut count, async |mut count| {
        *count += 1;
        std::future::pending::<io::Result<()>>().await
    });
    assert_eq!(session.await.unwrap_err().attempts(), 3);
    assert_eq!(count, 3);
}

/// J2, J10: the predicate decides what is retried, and requested waits still apply.
#[tokio::test(start_paused = true)]
async fn predicate_decides_what_is_retried() {
    for (message, attempts) in [("locked", 3), ("gone", 1)] {
        let session =
            retry(&POLICY, async || Err::<(), _>(message)).when(|error| *error == "locked");
        let error = session.await.unwrap_err();
        assert_eq!((error.attempts(), error.error()), (attempts, Some(&message)));
        assert!(error.to_string().ends_with(&format!("({message})")), "{error}");
    }
}
