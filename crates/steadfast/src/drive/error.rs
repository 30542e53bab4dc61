//! The error of a session that gave up (I4).

use std::convert::Infallible;
use std::error::Error;
use std::fmt;
use std::time::Duration;

use serde::Serialize;

use crate::decide::Reason;
use crate::judge::MatchedBy;
use crate::{Class, Fault};

/// One failed attempt in a report or an error.
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
    /// The facts of the failure.
    pub fault: Fault,
    /// The class it was judged as.
    pub class: Class,
    /// The rule that decided.
    pub rule: Option<String>,
    /// The list that contains that rule.
    pub matched_by: MatchedBy,
    /// The wait that followed; `None` after the last attempt.
    #[serde(skip)]
    pub delay: Option<Duration>,
}

impl FailedAttempt {
    /// An attempt that was made and judged outside of this session.
    #[must_use]
    pub const fn external(
        attempt: u32,
        fault: Fault,
        class: Class,
        delay: Option<Duration>,
    ) -> Self {
        Self { attempt, fault, class, rule: None, matched_by: MatchedBy::Code, delay }
    }
}

/// Why a session gave up, with its failed attempts.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GaveUp {
    /// Why the session gave up.
    pub reason: Reason,
    /// The number of attempts that were used.
    pub attempts: u32,
    /// The number of waits that the other side asked for.
    pub rate_limit_waits: u32,
    /// The duration: from the start if the policy needs the time, from the first failure if only
    /// an instrument does. If neither does, the clock is not read, and this is the sum of the
    /// waits between the attempts.
    pub elapsed: Duration,
    /// How long the breaker rejects calls, if it ended the session.
    pub retry_after: Option<Duration>,
    /// The failed attempts, oldest first; only the latest if there are very many.
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

/// The error of a session that gave up. `T` is the type of a rejected value, where the session
/// judges values.
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

#[derive(Debug)]
pub(crate) enum Last<E, T> {
    Error(E),
    Value(T),
    /// The attempt timed out, or never started.
    Nothing,
}

impl<E, T> RetryError<E, T> {
    pub(super) fn new(gave_up: GaveUp, last: Last<E, T>) -> Self {
        Self(Box::new(Inner { gave_up, last }))
    }

    #[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
    pub(crate) fn into_parts(self) -> (Last<E, T>, GaveUp) {
        (self.0.last, self.0.gave_up)
    }

    /// Why the session gave up.
    #[must_use]
    pub fn reason(&self) -> Reason {
        self.0.gave_up.reason
    }

    /// The number of attempts that were used.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.0.gave_up.attempts
    }

    /// The full report.
    #[must_use]
    pub fn gave_up(&self) -> &GaveUp {
        &self.0.gave_up
    }

    /// The last attempt's error; `None` if the attempt timed out, or if the breaker rejected it.
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
    /// The last attempt left no error; the report says what happened instead.
    pub fn into_error(self) -> Result<E, GaveUp> {
        match self.0.last {
            Last::Error(error) => Ok(error),
            _ => Err(self.0.gave_up),
        }
    }

    /// The last attempt's value, if it was rejected.
    #[must_use]
    pub fn into_value(self) -> Option<T> {
        match self.0.last {
            Last::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The report, without the error.
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

/// Lets a function return the same error type with and without retries.
impl From<GaveUp> for std::io::Error {
    fn from(gave_up: GaveUp) -> Self {
        Self::other(gave_up)
    }
}
