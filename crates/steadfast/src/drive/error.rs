//! The error of a session that gave up (I4).

use std::convert::Infallible;
use std::error::Error;
use std::fmt;
use std::io;
use std::time::Duration;

use crate::decide::Reason;
use crate::guard::Rejection;
use crate::judge::MatchedBy;
use crate::{Class, Failure, Fault, Kind};

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
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
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
    #[cfg_attr(feature = "serde", serde(skip))]
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
    /// The number of waits that the other side asked for and that consumed no attempt.
    pub rate_limit_waits: u32,
    /// The duration: from the start if the policy needs the time, from the first failure if only
    /// an instrument does. If neither does, the clock is not read, and this is the sum of the
    /// waits between the attempts.
    pub elapsed: Duration,
    /// The breaker's rejection, if it ended the session.
    pub rejection: Option<Rejection>,
    /// The failed attempts, oldest first; only the latest if there are very many.
    pub failures: Vec<FailedAttempt>,
}

impl GaveUp {
    /// The number of calls that were made: the attempts, and the calls that ended in a wait which
    /// consumed none.
    #[must_use]
    pub const fn calls(&self) -> u32 {
        self.attempts.saturating_add(self.rate_limit_waits)
    }

    /// How long the breaker rejects calls, if it ended the session and is not isolated.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        self.rejection?.retry_after
    }
}

impl fmt::Display for GaveUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.attempts == 1 { "" } else { "s" };
        write!(f, "gave up after {} attempt{plural}", self.attempts)?;
        if self.rate_limit_waits > 0 {
            write!(f, " ({} calls)", self.calls())?;
        }
        match &self.rejection {
            Some(rejection) => write!(f, ": {rejection}")?,
            None => write!(f, ": {}", self.reason.phrase())?,
        }
        match self.failures.last().map(|last| last.fault.to_string()) {
            Some(fault) if !fault.is_empty() => write!(f, " ({fault})"),
            _ => Ok(()),
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
pub struct RetryError<E, T = Infallible> {
    ended: Box<Ended<E>>,
    value: Option<T>,
}

/// The end of a session that gave up, without the rejected value.
pub(super) struct Ended<E> {
    pub(super) gave_up: GaveUp,
    /// `None` if the last attempt returned a rejected value, timed out, or never started.
    pub(super) error: Option<E>,
    pub(super) source: SourceFn<E>,
}

/// Returns an error as the source of a [`RetryError`], if it is a standard error.
pub(super) type SourceFn<E> = fn(&E) -> Option<&(dyn Error + 'static)>;

/// What the last attempt left.
#[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
#[derive(Debug)]
pub(crate) enum Last<E, T> {
    Error(E),
    Value(T),
    /// The attempt timed out, or never started.
    Nothing,
}

impl<E, T> RetryError<E, T> {
    #[inline]
    pub(super) fn new(ended: Box<Ended<E>>, value: Option<T>) -> Self {
        Self { ended, value }
    }

    #[inline]
    pub(super) fn without_value(ended: Box<Ended<E>>) -> Self {
        Self::new(ended, None)
    }

    #[cfg(any(feature = "reqwest-middleware", feature = "tower"))]
    pub(crate) fn into_parts(self) -> (Last<E, T>, GaveUp) {
        let Ended { gave_up, error, .. } = *self.ended;
        let last = match (error, self.value) {
            (Some(error), _) => Last::Error(error),
            (None, Some(value)) => Last::Value(value),
            (None, None) => Last::Nothing,
        };
        (last, gave_up)
    }

    /// Why the session gave up.
    #[must_use]
    pub fn reason(&self) -> Reason {
        self.ended.gave_up.reason
    }

    /// The number of attempts that were used.
    #[must_use]
    pub fn attempts(&self) -> u32 {
        self.ended.gave_up.attempts
    }

    /// The number of calls that were made: see [`GaveUp::calls`].
    #[must_use]
    pub fn calls(&self) -> u32 {
        self.ended.gave_up.calls()
    }

    /// The full report.
    #[must_use]
    pub fn gave_up(&self) -> &GaveUp {
        &self.ended.gave_up
    }

    /// The last attempt's error; `None` if the attempt timed out, or if the breaker rejected it.
    #[must_use]
    pub fn error(&self) -> Option<&E> {
        self.ended.error.as_ref()
    }

    fn source_error(&self) -> Option<&(dyn Error + 'static)> {
        self.error().and_then(self.ended.source)
    }

    /// The last attempt's error, unchanged.
    ///
    /// # Errors
    /// The last attempt left no error; the report says what happened instead.
    pub fn into_error(self) -> Result<E, GaveUp> {
        let Ended { gave_up, error, .. } = *self.ended;
        error.ok_or(gave_up)
    }

    /// The last attempt's error, or one made of the report if the attempt left none: it timed out, or a
    /// breaker rejected it.
    ///
    /// ```
    /// use steadfast::{Failure, Fault, GaveUp, Policy, RetryError, retry};
    ///
    /// # #[derive(Debug)]
    /// enum Lookup {
    ///     Missing,
    ///     GaveUp(GaveUp),
    /// }
    ///
    /// impl Failure for Lookup {
    ///     fn fault(&self) -> Fault {
    ///         Fault::default()
    ///     }
    /// }
    ///
    /// impl From<GaveUp> for Lookup {
    ///     fn from(gave_up: GaveUp) -> Self {
    ///         Self::GaveUp(gave_up)
    ///     }
    /// }
    ///
    /// fn find(policy: &Policy) -> Result<u32, Lookup> {
    ///     let lookup = || Err::<u32, _>(Lookup::Missing);
    ///     retry(policy, lookup).call().map_err(RetryError::into_own)
    /// }
    /// # assert!(matches!(find(&Policy::default()), Err(Lookup::Missing)));
    /// ```
    ///
    /// `#[derive(Fault)]` with `#[fault(gave_up)]` on a variant implements `From` for both, so that `?`
    /// does the same.
    #[must_use]
    pub fn into_own(self) -> E
    where
        E: From<GaveUp>,
    {
        self.into_error().unwrap_or_else(E::from)
    }

    /// The last attempt's value, if it was rejected.
    #[must_use]
    pub fn into_value(self) -> Option<T> {
        self.value
    }

    /// The report, without the error.
    #[must_use]
    pub fn into_gave_up(self) -> GaveUp {
        self.ended.gave_up
    }
}

impl<E, T> fmt::Display for RetryError<E, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.ended.gave_up.fmt(f)
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

/// Also for errors that are not standard errors themselves, such as `anyhow::Error`. The source is the
/// last attempt's error, if [`Failure::as_error`] returns one.
impl<E: fmt::Debug, T> Error for RetryError<E, T> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source_error()
    }
}

/// The facts of the last failure, for an outer session.
impl<E, T> Failure for RetryError<E, T> {
    fn fault(&self) -> Fault {
        // An error that is a standard error has its facts in the chain of causes.
        match self.source_error() {
            Some(_) => Fault::default(),
            None => self.ended.gave_up.fault(),
        }
    }

    fn cause(&self) -> Option<&(dyn Error + 'static)> {
        self.source_error()
    }

    fn message(&self) -> Option<String> {
        Some(self.to_string())
    }
}

/// The facts of the last failure, for an outer session.
impl Failure for GaveUp {
    fn fault(&self) -> Fault {
        self.failures.last().map(|last| last.fault.clone()).unwrap_or_default()
    }

    fn message(&self) -> Option<String> {
        Some(self.to_string())
    }

    fn as_error(&self) -> Option<&(dyn Error + 'static)> {
        Some(self)
    }
}

/// For attempts that left no error: a timeout has the kind [`TimedOut`](io::ErrorKind::TimedOut).
impl From<GaveUp> for io::Error {
    fn from(gave_up: GaveUp) -> Self {
        let last = gave_up.failures.last();
        let timed_out = last.is_some_and(|last| last.fault.kind == Some(Kind::Timeout));
        let kind = if timed_out { io::ErrorKind::TimedOut } else { io::ErrorKind::Other };
        Self::new(kind, gave_up)
    }
}

/// Lets `?` return the last attempt's own error.
impl<T> From<RetryError<Self, T>> for io::Error {
    fn from(error: RetryError<Self, T>) -> Self {
        error.into_own()
    }
}
