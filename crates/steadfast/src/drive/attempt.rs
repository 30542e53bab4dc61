//! The attempt that an operation receives (I2).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::Key;
use super::environment::{Environment, Real};
use crate::{Fault, Moment};

/// One attempt of a session, passed to operations that take it.
///
/// ```
/// use steadfast::{Attempt, Policy, retry};
///
/// let policy = Policy::immediate().build()?;
/// let number = retry(&policy, |attempt: Attempt| Ok::<_, std::io::Error>(attempt.number())).call();
/// assert_eq!(number.unwrap(), 1);
/// # Ok::<(), steadfast::policy::PolicyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Attempt {
    pub(super) number: u32,
    pub(super) key: Key,
    pub(super) deadline: Option<Moment>,
    /// When the attempt started, if it cannot read the session's clock.
    pub(super) stopped_clock: Option<Moment>,
    pub(super) previous: Option<Fault>,
    /// Set when the key is read; only for policies that forbid a repeat.
    pub(super) key_used: Option<Arc<AtomicBool>>,
}

impl Attempt {
    /// The first attempt of a session without state.
    pub(super) fn first(key: &mut Option<Key>) -> Self {
        let key = key.get_or_insert_with(Key::fresh).clone();
        Self { number: 1, key, deadline: None, stopped_clock: None, previous: None, key_used: None }
    }

    /// The number of the attempt, from 1. A wait that the other side asked for consumes no
    /// attempt, so the attempt after it has the same number.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The session's idempotency key. Sending it makes an attempt safe to repeat, so a session
    /// whose operation reads the key repeats attempts with an unknown outcome.
    #[must_use]
    pub fn key(&self) -> &Key {
        if let Some(used) = &self.key_used {
            used.store(true, Ordering::Relaxed);
        }
        &self.key
    }

    /// When the attempt times out, by the session's clock: the end of its `attempt_timeout`, or of the
    /// session's `max_duration` if that is earlier. An async attempt is cut off then; a blocking one
    /// cannot be.
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::{Attempt, Policy, retry};
    ///
    /// let policy = Policy::immediate().attempt_timeout(Duration::from_secs(5)).build()?;
    /// let operation = |attempt: Attempt| {
    ///     assert!(attempt.deadline().is_some());
    ///     match attempt.previous() {
    ///         None => Err(std::io::Error::from(std::io::ErrorKind::TimedOut)),
    ///         Some(fault) => Ok(fault.kind),
    ///     }
    /// };
    /// assert_eq!(retry(&policy, operation).call()?, Some(steadfast::Kind::Timeout));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn deadline(&self) -> Option<Moment> {
        self.deadline
    }

    /// How long until the [deadline](Self::deadline), for the timeout of a call.
    ///
    /// Under an [environment](crate::Retry::environment) with a clock of its own, which an attempt
    /// cannot read, it is the time that was left when the attempt started.
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::{Attempt, Policy, retry};
    ///
    /// let policy = Policy::immediate().max_duration(Duration::from_secs(2)).build()?;
    /// let left = retry(&policy, |attempt: Attempt| Ok::<_, std::io::Error>(attempt.time_left()));
    /// assert!(left.call()?.is_some_and(|left| left <= Duration::from_secs(2)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        let deadline = self.deadline?;
        let now = self.stopped_clock.unwrap_or_else(|| Real.now());
        Some(deadline.since(now))
    }

    /// The fault of the previous attempt.
    #[must_use]
    pub fn previous(&self) -> Option<&Fault> {
        self.previous.as_ref()
    }
}
