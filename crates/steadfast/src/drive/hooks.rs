//! Hooks: functions that are called on retry, success or giving up (I9).
//!
//! A panic in a hook is caught, and the session continues.

use std::error::Error;
use std::fmt;
use std::ops::ControlFlow;
use std::panic::{self, AssertUnwindSafe};
use std::time::Duration;

use super::instrument::{EventKind, Instrument, SessionEvent};
use super::judges::{ErrorFacts, FactsSource};
use crate::forward::forward;
use crate::judge::Judgement;
use crate::{Class, Fault};

/// A function that is called on one kind of event.
pub struct Hook<F> {
    pub(super) is_kind: fn(&EventKind<'_>) -> bool,
    pub(super) call: F,
}

impl<F: FnMut(&SessionEvent<'_>)> Instrument for Hook<F> {
    fn observes(&self) -> bool {
        true
    }

    fn observe(&mut self, event: &SessionEvent<'_>) {
        if (self.is_kind)(&event.kind) {
            catch(|| (self.call)(event));
        }
    }
}

/// The failed attempt before a retry, as [`Retry::on_retry`](crate::Retry::on_retry) receives it. Its
/// `Display` is the message of the error.
#[derive(Debug)]
pub struct AttemptFailed<'e, E> {
    pub(super) error: Option<&'e E>,
    pub(super) fault: &'e Fault,
    pub(super) class: Class,
    pub(super) attempt: u32,
}

impl<'e, E> AttemptFailed<'e, E> {
    /// The error; `None` if the attempt timed out or returned a rejected value.
    #[must_use]
    pub const fn error(&self) -> Option<&'e E> {
        self.error
    }

    /// The facts of the failure.
    pub const fn fault(&self) -> &'e Fault {
        self.fault
    }

    /// The class it was judged as.
    #[must_use]
    pub const fn class(&self) -> Class {
        self.class
    }

    /// The number of the attempt, from 1.
    #[must_use]
    pub const fn attempt(&self) -> u32 {
        self.attempt
    }
}

impl<E> fmt::Display for AttemptFailed<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault.message {
            Some(message) => f.write_str(message),
            None => self.fault.fmt(f),
        }
    }
}

/// A source of facts, and a function that is called before each retry.
#[derive(Clone, Copy, Debug)]
pub struct OnRetry<Facts, F> {
    pub(super) facts: Facts,
    pub(super) hook: F,
}

impl<Facts: FactsSource, F> FactsSource for OnRetry<Facts, F> {
    type With<New> = OnRetry<Facts::With<New>, F>;

    fn replace_with<New>(self, new: New) -> Self::With<New> {
        OnRetry { facts: self.facts.replace_with(new), hook: self.hook }
    }
}

impl<E, Facts, F> ErrorFacts<E> for OnRetry<Facts, F>
where
    Facts: ErrorFacts<E>,
    F: FnMut(&AttemptFailed<'_, E>, Duration),
{
    forward! { self => self.facts;
        #[inline]
        fn judge(&self, error: &E, link: impl FnMut(&Fault) -> ControlFlow<Judgement>) -> Judgement;
        fn report(&self, error: &E) -> Fault;
    }

    fn source(error: &E) -> Option<&(dyn Error + 'static)> {
        Facts::source(error)
    }

    fn has_hook(&self) -> bool {
        true
    }

    fn on_retry(&mut self, failed: &AttemptFailed<'_, E>, delay: Duration) {
        self.facts.on_retry(failed, delay);
        catch(|| (self.hook)(failed, delay));
    }
}

/// Calls a hook. The panic hook has reported a panic already.
fn catch(hook: impl FnOnce()) {
    let _ = panic::catch_unwind(AssertUnwindSafe(hook));
}
