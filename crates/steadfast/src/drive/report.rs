//! Success, what it took (I5), and who is told of its value.

use std::marker::PhantomData;
use std::time::Duration;

use serde::Serialize;

use super::error::FailedAttempt;
use super::instrument::Instrument;

/// What it took.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// How many attempts it took, the one that succeeded counted.
    pub attempts: u32,
    /// How many times the other side asked for patience.
    pub rate_limit_waits: u32,
    /// How long it took, attempts and waits.
    pub elapsed: Duration,
    /// The attempts that failed, oldest first; of very many, the latest.
    pub failures: Vec<FailedAttempt>,
}

impl Report {
    /// Whether it did not succeed at once.
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
}

/// Whether a report is wanted.
pub trait Reporting {
    /// Whether it is.
    const REPORTS: bool;
}

/// What a session returns on success: the value alone, or with a report.
pub trait Outcome<T>: Reporting {
    /// What is returned.
    type Output;

    /// Shows the value to the instruments, if that was wanted.
    #[inline(always)]
    fn show(value: &T, to: &mut impl Instrument) {
        let _ = (value, to);
    }

    /// The value, with its report if one was wanted.
    fn of(value: T, report: impl FnOnce() -> Report) -> Self::Output;
}

/// The value alone.
#[derive(Clone, Copy, Debug)]
pub struct Bare;

impl Reporting for Bare {
    const REPORTS: bool = false;
}

impl<T> Outcome<T> for Bare {
    type Output = T;

    #[inline]
    fn of(value: T, _: impl FnOnce() -> Report) -> T {
        value
    }
}

/// The value with its report, of whoever would have shown it.
#[derive(Clone, Copy, Debug)]
pub struct WithReport<R>(PhantomData<R>);

impl<R> Reporting for WithReport<R> {
    const REPORTS: bool = true;
}

impl<T, R: Outcome<T>> Outcome<T> for WithReport<R> {
    type Output = (T, Report);

    fn show(value: &T, to: &mut impl Instrument) {
        R::show(value, to);
    }

    fn of(value: T, report: impl FnOnce() -> Report) -> (T, Report) {
        (value, report())
    }
}

/// Whatever else it is, shown to the instruments on its way.
#[derive(Clone, Copy, Debug)]
pub struct Shown<R>(PhantomData<R>);

impl<R: Reporting> Reporting for Shown<R> {
    const REPORTS: bool = R::REPORTS;
}

impl<T: Serialize, R: Outcome<T>> Outcome<T> for Shown<R> {
    type Output = R::Output;

    fn show(value: &T, to: &mut impl Instrument) {
        to.returns(value);
    }

    fn of(value: T, report: impl FnOnce() -> Report) -> R::Output {
        R::of(value, report)
    }
}
