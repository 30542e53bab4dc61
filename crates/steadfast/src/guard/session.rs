//! Guards in a session: who is asked before an attempt, and told how it ended.

use std::borrow::Borrow;
use std::sync::Arc;
use std::time::Duration;

use super::breaker::{Permit, Rejection, Transition};
use super::{Breaker, Budget};
use crate::drive::Instrument;
use crate::{Class, Moment};

/// A breaker in one session: holds the permit of the attempt under way, and gives it back
/// if the attempt never ends.
#[derive(Debug)]
pub struct Guarded<B: Borrow<Breaker>> {
    breaker: B,
    permit: Option<Permit>,
    transition: Option<Transition>,
}

impl<B: Borrow<Breaker>> Guarded<B> {
    pub(crate) const fn new(breaker: B) -> Self {
        Self { breaker, permit: None, transition: None }
    }
}

impl<B: Borrow<Breaker>> Instrument for Guarded<B> {
    #[inline]
    fn needs_clock(&self) -> bool {
        self.breaker.borrow().needs_clock_on_success()
    }

    #[inline]
    fn times_attempts(&self) -> bool {
        self.breaker.borrow().settings().slow_call_threshold.is_some()
    }

    #[inline]
    fn before_attempt(&mut self, now: impl Fn() -> Moment) -> Result<(), Rejection> {
        let breaker = self.breaker.borrow();
        let permit = match breaker.pass() {
            Some(permit) => permit,
            None => {
                let permit = breaker.acquire(now())?;
                self.transition = permit.transition();
                permit
            }
        };
        self.permit = Some(permit);
        Ok(())
    }

    #[inline]
    fn after_success(&mut self, now: Moment, took: Option<Duration>) {
        if let Some(permit) = self.permit.take() {
            self.transition = self.breaker.borrow().success(permit, now, took);
        }
    }

    fn after_failure(&mut self, class: Class, now: Moment, took: Option<Duration>) {
        let Some(permit) = self.permit.take() else {
            return;
        };
        let breaker = self.breaker.borrow();
        if class == Class::Final && !breaker.settings().count_final {
            breaker.ignore(permit);
            return;
        }
        self.transition = breaker.failure(permit, now, took);
    }

    #[inline]
    fn abandoned(&mut self) {
        if let Some(permit) = self.permit.take() {
            self.breaker.borrow().ignore(permit);
        }
    }

    #[inline]
    fn take_transition(&mut self) -> Option<Transition> {
        self.transition.take()
    }
}

impl<B: Borrow<Breaker>> Drop for Guarded<B> {
    #[inline]
    fn drop(&mut self) {
        self.abandoned();
    }
}

/// A budget in one session.
#[derive(Debug)]
pub struct Spending<B>(pub(crate) B);

impl<B: Borrow<Budget>> Instrument for Spending<B> {
    #[inline]
    fn needs_clock(&self) -> bool {
        self.0.borrow().needs_clock_on_success()
    }

    #[inline]
    fn after_success(&mut self, now: Moment, _: Option<Duration>) {
        self.0.borrow().deposit(now);
    }

    fn withdraw(&mut self, now: Moment) -> bool {
        self.0.borrow().withdraw(now)
    }
}

/// The guards that a policy asks for by itself, in one session.
pub(crate) type PolicyGuards = (Option<Guarded<Arc<Breaker>>>, Option<Spending<Arc<Budget>>>);
