//! The error at the end, and what it can tell (I4).

use std::convert::Infallible;
use std::error::Error;
use std::fmt;
use std::time::Duration;

use serde::Serialize;

use crate::decide::Reason;
use crate::judge::MatchedBy;
use crate::{Class, Fault};

/// One failed attempt, for the record.
///
/// ```
/// use steadfast::drive::FailedAttempt;
/// use steadfast::{Class, Policy, retry};
///
/// let policy = Policy::immediate().build()?;
/// let down = || Err::<(), _>(std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
/// let gave_up = retry(&policy, down).call().unwrap_err().into_gave_up();
/// let last: &FailedAttempt = gave_up.failures.last().ok_or("three")?;
/// assert_eq!((last.attempt, last.class, last.rule.as_deref()), (3, Class::Retryable, Some("connection")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct FailedAttempt {
    /// Its number, from 1.
    pub attempt: u32,
    /// What went wrong.
    pub fault: Fault,
    /// What it means.
    pub class: Class,
    /// The rule that said so.
    pub rule: Option<String>,
    /// The list that rule stood in.
    pub matched_by: MatchedBy,
    /// How long was waited after it; nothing after the last one.
    #[serde(skip)]
    pub delay: Option<Duration>,
}

impl FailedAttempt {
    /// One that was made elsewhere, and judged there.
    #[must_use]
    pub const fn elsewhere(
        attempt: u32,
        fault: Fault,
        class: Class,
        delay: Option<Duration>,
    ) -> Self {
        Self { attempt, fault, class, rule: None, matched_by: MatchedBy::Code, delay }
    }
}

/// A session that ended without success: why, and all that led to it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GaveUp {
    /// Why it was given up.
    pub reason: Reason,
    /// How many attempts were used up.
    pub attempts: u32,
    /// How many times the other side asked for patience and was given it.
    pub rate_limit_waits: u32,
    /// How long it took: from the start if the policy needs the time, from the first failure
    /// if only somebody who watches does. If nobody does, the clock is not read, and it is
    /// how long was waited between the attempts.
    pub elapsed: Duration,
    /// How long the breaker will stay shut, if it was that.
    pub retry_after: Option<Duration>,
    /// Every failed attempt, oldest first; of very many, the latest.
    pub failures: Vec<FailedAttempt>,
}

impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.attempts == 1 { "" } else { "s" };
        write!(f, "gave up after {} attempt{plural}: {}", self.attempts, self.reason.phrase())?;
        match self.failures.last() {
            Some(last) => write!(f, " ({})", last.fault),
            None => Ok(()),
        }
    }
}

impl Error for GaveUp {}

/// What a session that gave up returns. `T` is a value that would not do, where the
/// session judges values.
///
/// ```
/// use std::io;
/// use steadfast::{Policy, Reason, retry};
///
/// let policy = Policy::immediate().max_attempts(2).build()?;
/// let refused = || Err::<(), _>(io::Error::from(io::ErrorKind::ConnectionRefused));
/// let error = retry(&policy, refused).call().unwrap_err();
/// assert_eq!(error.reason(), Reason::AttemptsExhausted);
/// assert_eq!(error.gave_up().failures.len(), 2);
/// let original: io::Error = error.into_error().unwrap();
/// # Ok::<(), steadfast::policy::PolicyError>(())
/// ```
pub struct RetryError<E, T = Infallible>(Box<Inner<E, T>>);

struct Inner<E, T> {
    gave_up: GaveUp,
    last: Last<E, T>,
}

/// What the last attempt left.
#[derive(Debug)]
pub(super) enum Last<E, T> {
    Error(E),
    Value(T),
    /// It was cut off, or never made.
    Nothing,
}

impl<E, T> RetryError<E, T> {
    pub(super) fn new(gave_up: GaveUp, last: Last<E, T>) -> Self {
        Self(Box::new(Inner { gave_up, last }))
    }

    /// Why it was given up.
    #[must_use]
    pub fn reason(&self) -> Reason {
        self.0.gave_up.reason
    }

    /// How many attempts were used up.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.0.gave_up.attempts
    }

    /// All that led to it.
    #[must_use]
    pub fn gave_up(&self) -> &GaveUp {
        &self.0.gave_up
    }

    /// The last attempt's error. There is none if that attempt was cut off by its
    /// timeout, or if the breaker let none begin.
    #[must_use]
    pub fn error(&self) -> Option<&E> {
        match &self.0.last {
            Last::Error(error) => Some(error),
            _ => None,
        }
    }

    /// The last attempt's error, unchanged.
    ///
    /// # Errors
    /// There is none; what happened instead.
    pub fn into_error(self) -> Result<E, GaveUp> {
        match self.0.last {
            Last::Error(error) => Ok(error),
            _ => Err(self.0.gave_up),
        }
    }

    /// The last attempt's value, if it returned one that would not do.
    #[must_use]
    pub fn into_value(self) -> Option<T> {
        match self.0.last {
            Last::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The record of it, without the error.
    #[must_use]
    pub fn into_gave_up(self) -> GaveUp {
        self.0.gave_up
    }
}

impl<E, T> fmt::Display for RetryError<E, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.gave_up.fmt(f)
    }
}

impl<E: fmt::Debug, T> fmt::Debug for RetryError<E, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RetryError")
            .field("reason", &self.reason())
            .field("attempts", &self.attempts())
            .field("error", &self.error())
            .finish_non_exhaustive()
    }
}

impl<E: Error + 'static, T> Error for RetryError<E, T> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0.last {
            Last::Error(error) => Some(error),
            _ => None,
        }
    }
}

/// So that a function may return the same error with and without retrying.
impl From<GaveUp> for std::io::Error {
    fn from(gave_up: GaveUp) -> Self {
        Self::other(gave_up)
    }
}
