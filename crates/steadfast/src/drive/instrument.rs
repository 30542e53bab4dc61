//! What accompanies a session: guards that may stop it, observers that watch it.
//!
//! A breaker, a budget, metrics, logs and hooks all want to know when an attempt
//! begins and how it ends. Each is an [`Instrument`]; a session carries a list of
//! them as a type, so that one without any is compiled as if there were no such
//! thing.

use std::time::Duration;

use serde::Serialize;

use super::cancel::CancelHandle;
use crate::decide::Reason;
use crate::guard::{Rejection, Transition};
use crate::judge::Judgement;
use crate::observe::SessionId;
use crate::policy::Policy;
use crate::{Class, Fault, Moment};

/// Something that accompanies a session. Every method does nothing unless written.
///
/// ```
/// use steadfast::drive::{SessionEvent, Instrument, EventKind};
/// use steadfast::{Policy, retry};
///
/// /// Counts what was tried again.
/// #[derive(Default)]
/// struct Retries(u32);
///
/// impl Instrument for Retries {
///     fn observes(&self) -> bool {
///         true
///     }
///
///     fn observe(&mut self, happening: &SessionEvent<'_>) {
///         if let EventKind::Retrying { .. } = happening.what {
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
    /// Whether it does nothing at all, so that no time need be read for it.
    const IDLE: bool = false;

    /// Whether [`observe`](Self::observe) does anything.
    #[inline]
    fn observes(&self) -> bool {
        false
    }

    /// An attempt is about to begin. `now` is only read if it is needed.
    ///
    /// # Errors
    /// The attempt must not begin.
    #[inline]
    fn before_attempt(&mut self, now: impl Fn() -> Moment) -> Result<(), Rejection> {
        let _ = now;
        Ok(())
    }

    /// An attempt succeeded.
    ///
    /// Reading a clock is the dearest thing on the success path: call `now` only if it
    /// must be.
    #[inline]
    fn after_success(&mut self, now: impl Fn() -> Moment) -> Option<Transition> {
        let _ = now;
        None
    }

    /// What the session is about to return, told before its success is, if
    /// [`record_result`](crate::Retry::record_result) was asked for.
    #[inline]
    fn returns<T: Serialize>(&mut self, value: &T) {
        let _ = value;
    }

    /// An attempt failed.
    #[inline]
    fn after_failure(&mut self, class: Class, now: Moment) -> Option<Transition> {
        let _ = (class, now);
        None
    }

    /// An attempt was begun and will never end.
    #[inline]
    fn abandoned(&mut self) {}

    /// A retry is about to be waited for; `false` refuses it.
    #[inline]
    fn withdraw(&mut self, now: Moment) -> bool {
        let _ = now;
        true
    }

    /// The session will be here for a while: an attempt is about to block the thread, or there
    /// is something to wait for. Called each time; a session that ends at once never does. What
    /// is returned calls the session off.
    #[doc(hidden)]
    #[inline]
    fn lingers(&mut self, operation: Option<&str>, policy: &Policy) -> Option<CancelHandle> {
        let _ = (operation, policy);
        None
    }

    /// The session's name, if this gives it one, so that all who watch call it the same.
    #[inline]
    fn session(&self) -> Option<SessionId> {
        None
    }

    /// Something happened.
    #[inline]
    fn observe(&mut self, happening: &SessionEvent<'_>) {
        let _ = happening;
    }
}

/// What happened, to whom.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SessionEvent<'s> {
    /// The name of what is tried.
    pub operation: &'s str,
    /// The name of the session, if it has one.
    pub session: Option<SessionId>,
    /// The policy it is tried under.
    pub policy: &'s Policy,
    /// The name by which a registry found the policy, if one did.
    pub found_by: Option<&'s str>,
    /// The number of the attempt that has just ended.
    pub attempt: u32,
    /// When, by the session's clock. A session that succeeds at once under a plain policy has
    /// not read it: whoever needs the time asks for it in
    /// [`after_success`](Instrument::after_success).
    pub now: Moment,
    /// What.
    pub what: EventKind<'s>,
}

/// What happened.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum EventKind<'s> {
    /// The attempt failed, and another follows after a delay.
    Retrying {
        /// What went wrong.
        fault: &'s Fault,
        /// What it means.
        judgement: Judgement,
        /// How long it will be waited.
        delay: Duration,
    },
    /// The session ended without success.
    GaveUp {
        /// Why.
        reason: Reason,
        /// What went wrong last, if an attempt was made at all.
        fault: Option<&'s Fault>,
        /// What that means.
        judgement: Option<Judgement>,
    },
    /// The session ended with success.
    Succeeded,
    /// The session was dropped before its end.
    Dropped,
    /// A breaker changed its state.
    Breaker(Transition),
}

impl Instrument for () {
    const IDLE: bool = true;
}

/// Two instruments, the newer one inside: guards are asked in the order they were given.
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

    fn returns<T: Serialize>(&mut self, value: &T) {
        self.0.returns(value);
        self.1.returns(value);
    }

    #[inline]
    fn after_failure(&mut self, class: Class, now: Moment) -> Option<Transition> {
        let first = self.0.after_failure(class, now);
        self.1.after_failure(class, now).or(first)
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
    fn lingers(&mut self, operation: Option<&str>, policy: &Policy) -> Option<CancelHandle> {
        let first = self.0.lingers(operation, policy);
        self.1.lingers(operation, policy).or(first)
    }

    #[inline]
    fn session(&self) -> Option<SessionId> {
        self.0.session().or_else(|| self.1.session())
    }

    #[inline]
    fn observe(&mut self, happening: &SessionEvent<'_>) {
        self.0.observe(happening);
        self.1.observe(happening);
    }
}

/// An instrument that may be there.
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

    fn returns<T: Serialize>(&mut self, value: &T) {
        if let Some(inner) = self {
            inner.returns(value);
        }
    }

    #[inline]
    fn after_failure(&mut self, class: Class, now: Moment) -> Option<Transition> {
        self.as_mut().and_then(|inner| inner.after_failure(class, now))
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
    fn lingers(&mut self, operation: Option<&str>, policy: &Policy) -> Option<CancelHandle> {
        self.as_mut().and_then(|inner| inner.lingers(operation, policy))
    }

    #[inline]
    fn session(&self) -> Option<SessionId> {
        self.as_ref().and_then(I::session)
    }

    #[inline]
    fn observe(&mut self, happening: &SessionEvent<'_>) {
        if let Some(inner) = self {
            inner.observe(happening);
        }
    }
}

/// An instrument that belongs to somebody else.
impl<I: Instrument> Instrument for &mut I {
    const IDLE: bool = I::IDLE;

    #[inline]
    fn observes(&self) -> bool {
        (**self).observes()
    }

    #[inline]
    fn before_attempt(&mut self, now: impl Fn() -> Moment) -> Result<(), Rejection> {
        (**self).before_attempt(now)
    }

    #[inline]
    fn after_success(&mut self, now: impl Fn() -> Moment) -> Option<Transition> {
        (**self).after_success(now)
    }

    fn returns<T: Serialize>(&mut self, value: &T) {
        (**self).returns(value);
    }

    #[inline]
    fn after_failure(&mut self, class: Class, now: Moment) -> Option<Transition> {
        (**self).after_failure(class, now)
    }

    #[inline]
    fn abandoned(&mut self) {
        (**self).abandoned();
    }

    #[inline]
    fn withdraw(&mut self, now: Moment) -> bool {
        (**self).withdraw(now)
    }

    #[inline]
    fn lingers(&mut self, operation: Option<&str>, policy: &Policy) -> Option<CancelHandle> {
        (**self).lingers(operation, policy)
    }

    #[inline]
    fn session(&self) -> Option<SessionId> {
        (**self).session()
    }

    #[inline]
    fn observe(&mut self, happening: &SessionEvent<'_>) {
        (**self).observe(happening);
    }
}
