//! Guards in a session: who is asked before an attempt, and told how it ended.

use std::borrow::Borrow;
use std::mem;
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
    permit: Permit,
}

impl<B: Borrow<Breaker>> Guarded<B> {
    pub(crate) const fn new(breaker: B) -> Self {
        Self { breaker, permit: Permit::NONE }
    }
}

impl<B: Borrow<Breaker>> Instrument for Guarded<B> {
    #[inline]
    fn times_attempts(&self) -> bool {
        self.breaker.borrow().times_calls()
    }

    #[inline]
    fn before_attempt(&mut self, now: impl Fn() -> Moment) -> Result<(), Rejection> {
        let breaker = self.breaker.borrow();
        self.permit = match breaker.pass() {
            Some(permit) => permit,
            None => breaker.acquire(now())?,
        };
        Ok(())
    }

    #[inline]
    fn after_success(
        &mut self,
        now: impl Fn() -> Moment,
        took: Option<Duration>,
    ) -> Option<Transition> {
        let breaker = self.breaker.borrow();
        if breaker.is_unmoved_by_success(self.permit) {
            return None;
        }
        breaker.success(mem::replace(&mut self.permit, Permit::NONE), now(), took)
    }

    fn after_failure(
        &mut self,
        class: Class,
        now: Moment,
        took: Option<Duration>,
    ) -> Option<Transition> {
        let permit = mem::replace(&mut self.permit, Permit::NONE);
        let breaker = self.breaker.borrow();
        if class == Class::Final && !breaker.settings().count_final {
            breaker.ignore(permit);
            return None;
        }
        breaker.failure(permit, now, took)
    }

    #[inline]
    fn abandoned(&mut self) {
        self.breaker.borrow().ignore(mem::replace(&mut self.permit, Permit::NONE));
    }
}

impl<B: Borrow<Breaker>> Drop for Guarded<B> {
    #[inline]
    fn drop(&mut self) {
        if self.permit.is_probe() {
            self.breaker.borrow().ignore(self.permit);
        }
    }
}

/// A budget in one session.
#[derive(Debug)]
pub struct Spending<B>(pub(crate) B);

impl<B: Borrow<Budget>> Instrument for Spending<B> {
    #[inline]
    fn after_success(
        &mut self,
        now: impl Fn() -> Moment,
        _: Option<Duration>,
    ) -> Option<Transition> {
        let budget = self.0.borrow();
        let now = if budget.needs_clock_on_success() { now() } else { Moment::ORIGIN };
        budget.deposit(now);
        None
    }

    fn withdraw(&mut self, now: Moment) -> bool {
        self.0.borrow().withdraw(now)
    }
}

/// The guards that a policy asks for by itself, in one session.
pub(crate) type PolicyGuards = (Option<Guarded<Arc<Breaker>>>, Option<Spending<Arc<Budget>>>);
