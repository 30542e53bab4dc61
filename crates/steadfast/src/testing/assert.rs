//! Assertions about sessions.

use std::time::Duration;

use crate::drive::{FailedAttempt, GaveUp, Report, RetryError};

/// The failed attempts of a session that has ended.
pub trait History {
    /// The failed attempts, oldest first.
    fn failures(&self) -> &[FailedAttempt];
}

impl History for Report {
    fn failures(&self) -> &[FailedAttempt] {
        &self.failures
    }
}

impl History for GaveUp {
    fn failures(&self) -> &[FailedAttempt] {
        &self.failures
    }
}

impl<E, T> History for RetryError<E, T> {
    fn failures(&self) -> &[FailedAttempt] {
        &self.gave_up().failures
    }
}

impl<T> History for (T, Report) {
    fn failures(&self) -> &[FailedAttempt] {
        &self.1.failures
    }
}

impl<T: History, E: History> History for Result<T, E> {
    fn failures(&self) -> &[FailedAttempt] {
        match self {
            Ok(report) => report.failures(),
            Err(error) => error.failures(),
        }
    }
}

/// Checks that a session made one attempt more than there are delays, with these delays between.
///
/// The session is a [`Report`], a [`RetryError`], or the result of a session
/// [with a report](crate::Retry::with_report).
///
/// ```
/// use std::time::Duration;
/// use steadfast::testing::{VirtualClock, assert_retried};
/// use steadfast::{Policy, retry};
///
/// let policy = Policy::fixed(Duration::from_secs(1)).max_attempts(3).build()?;
/// let down = || Err::<(), _>(std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
/// let error = retry(&policy, down).environment(VirtualClock::new()).call().unwrap_err();
/// assert_retried(&error, [Duration::from_secs(1); 2]);
/// # Ok::<(), steadfast::policy::PolicyError>(())
/// ```
///
/// # Panics
/// The session had other delays. The message lists its failed attempts.
#[track_caller]
pub fn assert_retried(session: &impl History, delays: impl AsRef<[Duration]>) {
    let failures = session.failures();
    let delays = delays.as_ref();
    let actual: Vec<Duration> = failures.iter().filter_map(|failure| failure.delay).collect();
    assert!(
        actual == delays,
        "expected {} retries with the delays {delays:?}, but there were {} with {actual:?}\n{}",
        delays.len(),
        actual.len(),
        listed(failures)
    );
}

fn listed(failures: &[FailedAttempt]) -> String {
    let line = |failure: &FailedAttempt| {
        let FailedAttempt { attempt, fault, class, .. } = failure;
        format!("  attempt {attempt}: {fault}, {class}\n")
    };
    failures.iter().map(line).collect()
}
