//! Instruments: guards that can stop a session, and observers of its events.
//!
//! A breaker, a budget, metrics, logs and hooks all need to know when an attempt starts and how it
//! ends. Each is an [`Instrument`]. A session holds its instruments in a type parameter, so a
//! session without any pays nothing for them.

use std::time::Duration;

use super::cancel::CancelHandle;
use crate::decide::Reason;
use crate::forward::forward;
use crate::guard::{Rejection, Transition};
use crate::judge::Judgement;
use crate::observe::SessionId;
use crate::policy::Policy;
use crate::{Class, Fault, Moment};

/// A guard or an observer of a session. By default every method does nothing.
///
/// ```
/// use steadfast::drive::{SessionEvent, Instrument, EventKind};
/// use steadfast::{Policy, retry};
///
/// /// Counts retries.
/// #[derive(Default)]
/// struct Retries(u32);
///
/// impl Instrument for Retries {
///     fn observes(&self) -> bool {
///         true
///     }
///
///     fn observe(&mut self, event: &SessionEvent<'_>) {
///         if let EventKind::Retrying { .. } = event.kind {
///             self.0 += 1;
///         }
///     }
/// }
///
/// let policy = Policy::immediate().max_attempts(4).build()?;
/// let down = || Err::<(), _>(std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
/// let mut retries = Retries::default();
/// let _ = retry(&policy, down).instrument(&mut retries).call();
/// assert_eq!(retries.0, 3);
/// # Ok::<(), steadfast::policy::PolicyError>(())
/// ```
pub trait Instrument {
    /// Whether it does nothing at all, so that the clock need not be read for it.
    const IDLE: bool = false;

    /// Whether [`observe`](Self::observe) does anything.
    #[inline]
    fn observes(&self) -> bool {
        false
    }

    /// Called before an attempt starts. Call `now` only if the time is needed.
    ///
    /// # Errors
    /// The attempt is rejected and must not start.
    #[inline]
    fn before_attempt(&mut self, now: impl Fn() -> Moment) -> Result<(), Rejection> {
        let _ = now;
        Ok(())
    }

    /// Called after a successful attempt.
    ///
    /// Reading the clock is the most expensive step of the success path: call `now` only if the
    /// time is needed.
    #[inline]
    fn after_success(&mut self, now: impl Fn() -> Moment) -> Option<Transition> {
        let _ = now;
        None
    }

    /// Called with the session's value before its success is reported, if the caller set
    /// [`record_result`](crate::Retry::record_result).
    #[cfg(feature = "record")]
    #[inline]
    fn returns<T: serde::Serialize>(&mut self, value: &T) {
        let _ = value;
    }

    /// Called after a failed attempt.
    #[inline]
    fn after_failure(&mut self, class: Class, now: Moment) -> Option<Transition> {
        let _ = (class, now);
        None
    }

    /// Called with the facts of a failure for which [`after_failure`](Self::after_failure) returned a
    /// transition.
    #[inline]
    fn record_cause(&mut self, fault: &Fault) {
        let _ = fault;
    }

    /// Called when an attempt that started will never end.
    #[inline]
    fn abandoned(&mut self) {}

    /// Called before the wait for a retry; `false` rejects the retry.
    #[inline]
    fn withdraw(&mut self, now: Moment) -> bool {
        let _ = now;
        true
    }

    /// Called each time before the session waits: before a blocking attempt, and when a poll is
    /// pending. A session that ends at its first poll never calls it. The returned handle cancels
    /// the session.
    #[doc(hidden)]
    #[inline]
    fn before_wait(&mut self, operation: Option<&str>, policy: &Policy) -> Option<CancelHandle> {
        let _ = (operation, policy);
        None
    }

    /// The session's id, if this instrument assigns one, so that all instruments use the same.
    #[inline]
    fn session(&self) -> Option<SessionId> {
        None
    }

    /// Called on each event of the session.
    #[inline]
    fn observe(&mut self, event: &SessionEvent<'_>) {
        let _ = event;
    }
}

/// An event of a session.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SessionEvent<'s> {
    /// The operation's name.
    pub operation: &'s str,
    /// The session's id, if it has one.
    pub session: Option<SessionId>,
    /// The session's policy.
    pub policy: &'s Policy,
    /// The name by which a registry found the policy, if one did.
    pub found_by: Option<&'s str>,
    /// The number of the attempt that has just ended.
    pub attempt: u32,
    /// The time of the event, by the session's clock. A session that succeeds at its first attempt
    /// under a plain policy does not read the clock: an instrument that needs the time reads it in
    /// [`after_success`](Instrument::after_success).
    pub now: Moment,
    /// The kind of event.
    pub kind: EventKind<'s>,
}

/// The kind of a [`SessionEvent`].
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum EventKind<'s> {
    /// The attempt failed, and another follows after a delay.
    Retrying {
        /// The facts of the failure.
        fault: &'s Fault,
        /// The judgement of the failure.
        judgement: Judgement,
        /// The wait before the next attempt.
        delay: Duration,
        /// The number of the next attempt: the same after a hinted wait that consumes none.
        next_attempt: u32,
    },
    /// A guard rejected the next attempt, and is asked again after a delay (`on_open: wait`).
    Rejected {
        /// The rejection.
        rejection: Rejection,
        /// The wait before the guard is asked again.
        delay: Duration,
    },
    /// The session ended without success.
    GaveUp {
        /// Why.
        reason: Reason,
        /// The last failure, if there was an attempt.
        fault: Option<&'s Fault>,
        /// Its judgement.
        judgement: Option<Judgement>,
    },
    /// The session ended with success.
    Succeeded,
    /// The session was dropped before it ended.
    Dropped,
    /// A breaker changed its state.
    Breaker(Transition),
}

impl Instrument for () {
    const IDLE: bool = true;
}

/// Two instruments. Guards are called in the order in which they were added.
impl<A: Instrument, B: Instrument> Instrument for (A, B) {
    const IDLE: bool = A::IDLE && B::IDLE;

    #[inline]
    fn observes(&self) -> bool {
        self.0.observes() || self.1.observes()
    }

    #[inline]
    fn before_attempt(&mut self, now: impl Fn() -> Moment) -> Result<(), Rejection> {
        self.0.before_attempt(&now)?;
        self.1.before_attempt(now).inspect_err(|_| self.0.abandoned())
    }

    #[inline]
    fn after_success(&mut self, now: impl Fn() -> Moment) -> Option<Transition> {
        let first = self.0.after_success(&now);
        self.1.after_success(now).or(first)
    }

    #[cfg(feature = "record")]
    fn returns<T: serde::Serialize>(&mut self, value: &T) {
        self.0.returns(value);
        self.1.returns(value);
    }

    #[inline]
    fn after_failure(&mut self, class: Class, now: Moment) -> Option<Transition> {
        let first = self.0.after_failure(class, now);
        self.1.after_failure(class, now).or(first)
    }

    fn record_cause(&mut self, fault: &Fault) {
        self.0.record_cause(fault);
        self.1.record_cause(fault);
    }

    #[inline]
    fn abandoned(&mut self) {
        self.0.abandoned();
        self.1.abandoned();
    }

    #[inline]
    fn withdraw(&mut self, now: Moment) -> bool {
        self.0.withdraw(now) && self.1.withdraw(now)
    }

    #[inline]
    fn before_wait(&mut self, operation: Option<&str>, policy: &Policy) -> Option<CancelHandle> {
        let first = self.0.before_wait(operation, policy);
        self.1.before_wait(operation, policy).or(first)
    }

    #[inline]
    fn session(&self) -> Option<SessionId> {
        self.0.session().or_else(|| self.1.session())
    }

    #[inline]
    fn observe(&mut self, event: &SessionEvent<'_>) {
        self.0.observe(event);
        self.1.observe(event);
    }
}

/// An optional instrument.
impl<I: Instrument> Instrument for Option<I> {
    #[inline]
    fn observes(&self) -> bool {
        self.as_ref().is_some_and(I::observes)
    }

    #[inline]
    fn before_attempt(&mut self, now: impl Fn() -> Moment) -> Result<(), Rejection> {
        self.as_mut().map_or(Ok(()), |inner| inner.before_attempt(now))
    }

    #[inline]
    fn after_success(&mut self, now: impl Fn() -> Moment) -> Option<Transition> {
        self.as_mut().and_then(|inner| inner.after_success(now))
    }

    #[cfg(feature = "record")]
    fn returns<T: serde::Serialize>(&mut self, value: &T) {
        if let Some(inner) = self {
            inner.returns(value);
        }
    }

    #[inline]
    fn after_failure(&mut self, class: Class, now: Moment) -> Option<Transition> {
        self.as_mut().and_then(|inner| inner.after_failure(class, now))
    }

    fn record_cause(&mut self, fault: &Fault) {
        if let Some(inner) = self {
            inner.record_cause(fault);
        }
    }

    #[inline]
    fn abandoned(&mut self) {
        if let Some(inner) = self {
            inner.abandoned();
        }
    }

    #[inline]
    fn withdraw(&mut self, now: Moment) -> bool {
        self.as_mut().is_none_or(|inner| inner.withdraw(now))
    }

    #[inline]
    fn before_wait(&mut self, operation: Option<&str>, policy: &Policy) -> Option<CancelHandle> {
        self.as_mut().and_then(|inner| inner.before_wait(operation, policy))
    }

    #[inline]
    fn session(&self) -> Option<SessionId> {
        self.as_ref().and_then(I::session)
    }

    #[inline]
    fn observe(&mut self, event: &SessionEvent<'_>) {
        if let Some(inner) = self {
            inner.observe(event);
        }
    }
}

/// A borrowed instrument.
impl<I: Instrument> Instrument for &mut I {
    const IDLE: bool = I::IDLE;

    #[cfg(feature = "record")]
    fn returns<T: serde::Serialize>(&mut self, value: &T) {
        (**self).returns(value);
    }

    forward! { self => (**self);
        #[inline]
        fn observes(&self) -> bool;
        #[inline]
        fn session(&self) -> Option<SessionId>;
    }

    forward! { mut self => (**self);
        #[inline]
        fn before_attempt(&mut self, now: impl Fn() -> Moment) -> Result<(), Rejection>;
        #[inline]
        fn after_success(&mut self, now: impl Fn() -> Moment) -> Option<Transition>;
        #[inline]
        fn after_failure(&mut self, class: Class, now: Moment) -> Option<Transition>;
        #[inline]
        fn record_cause(&mut self, fault: &Fault);
        #[inline]
        fn abandoned(&mut self);
        #[inline]
        fn withdraw(&mut self, now: Moment) -> bool;
        #[inline]
        fn before_wait(&mut self, operation: Option<&str>, policy: &Policy) -> Option<CancelHandle>;
        #[inline]
        fn observe(&mut self, event: &SessionEvent<'_>);
    }
}
