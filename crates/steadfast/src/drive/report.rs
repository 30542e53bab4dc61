//! The output of a successful session: the value, and its report on request (I5).

use std::marker::PhantomData;
use std::time::Duration;

use super::error::FailedAttempt;
use super::instrument::Instrument;

/// How a successful session went.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The number of attempts, including the successful one.
    pub attempts: u32,
    /// The number of waits that the other side asked for and that consumed no attempt.
    pub rate_limit_waits: u32,
    /// The duration of all attempts and waits.
    pub elapsed: Duration,
    /// The failed attempts, oldest first; only the latest if there are very many.
    pub failures: Vec<FailedAttempt>,
}

impl Report {
    /// Whether the first attempt failed.
    ///
    /// ```
    /// use steadfast::{Policy, retry};
    ///
    /// let policy = Policy::immediate().build()?;
    /// let (value, report) = retry(&policy, || Ok::<_, std::io::Error>(7)).with_report().call()?;
    /// assert_eq!((value, report.was_retried()), (7, false));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn was_retried(&self) -> bool {
        !self.failures.is_empty()
    }

    /// The number of calls that were made: the attempts, and the calls that ended in a wait which
    /// consumed none.
    #[must_use]
    pub const fn calls(&self) -> u32 {
        self.attempts.saturating_add(self.rate_limit_waits)
    }
}

/// What a session returns on success: the value, or the value and a report.
pub trait Outcome<T> {
    /// Whether the session collects a report.
    const REPORTS: bool;
    /// The returned type.
    type Output;

    /// Passes the value to the instruments, if the caller asked for it.
    #[inline(always)]
    fn record(value: &T, to: &mut impl Instrument) {
        let _ = (value, to);
    }

    /// The output made of the value and its report.
    fn of(value: T, report: impl FnOnce() -> Report) -> Self::Output;
}

/// Returns the value only.
#[derive(Clone, Copy, Debug)]
pub struct ValueOnly;

impl<T> Outcome<T> for ValueOnly {
    const REPORTS: bool = false;
    type Output = T;

    #[inline]
    fn of(value: T, _: impl FnOnce() -> Report) -> T {
        value
    }
}

/// Returns the value with its report.
#[derive(Clone, Copy, Debug)]
pub struct WithReport<R>(PhantomData<R>);

impl<T, R: Outcome<T>> Outcome<T> for WithReport<R> {
    const REPORTS: bool = true;
    type Output = (T, Report);

    fn record(value: &T, to: &mut impl Instrument) {
        R::record(value, to);
    }

    fn of(value: T, report: impl FnOnce() -> Report) -> (T, Report) {
        (value, report())
    }
}

/// Passes the value to the instruments before it is returned.
#[cfg(feature = "record")]
#[derive(Clone, Copy, Debug)]
pub struct Recorded<R>(PhantomData<R>);

#[cfg(feature = "record")]
impl<T: serde::Serialize, R: Outcome<T>> Outcome<T> for Recorded<R> {
    const REPORTS: bool = R::REPORTS;
    type Output = R::Output;

    fn record(value: &T, to: &mut impl Instrument) {
        to.returns(value);
    }

    fn of(value: T, report: impl FnOnce() -> Report) -> R::Output {
        R::of(value, report)
    }
}
