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
pub struct BreakerGuard<B: Borrow<Breaker>> {
    breaker: B,
    permit: Permit,
    /// When the attempt began, if the breaker cares how long it takes.
    started: Moment,
}

impl<B: Borrow<Breaker>> BreakerGuard<B> {
    pub(crate) const fn new(breaker: B) -> Self {
        Self { breaker, permit: Permit::NONE, started: Moment::ORIGIN }
    }

    fn took(&self, now: Moment) -> Option<Duration> {
        self.breaker.borrow().times_calls().then(|| now.since(self.started))
    }

    #[inline(never)]
    fn tell_success(&mut self, now: Moment) -> Option<Transition> {
        let took = self.took(now);
        let permit = mem::replace(&mut self.permit, Permit::NONE);
        self.breaker.borrow().success(permit, now, took)
    }

    #[cold]
    #[inline(never)]
    fn give_back(&mut self) {
        self.breaker.borrow().ignore(mem::replace(&mut self.permit, Permit::NONE));
    }
}

impl<B: Borrow<Breaker>> Instrument for BreakerGuard<B> {
    #[inline]
    fn before_attempt(&mut self, now: impl Fn() -> Moment) -> Result<(), Rejection> {
        let breaker = self.breaker.borrow();
        self.permit = match breaker.pass() {
            Some(permit) => permit,
            None => {
                self.started = now();
                breaker.acquire(self.started)?
            }
        };
        Ok(())
    }

    #[inline]
    fn after_success(&mut self, now: impl Fn() -> Moment) -> Option<Transition> {
        let breaker = self.breaker.borrow();
        if breaker.is_unmoved_by_success(self.permit) {
            return None;
        }
        let timed = breaker.needs_clock_on_success() || self.permit.is_probe();
        self.tell_success(if timed { now() } else { Moment::ORIGIN })
    }

    fn after_failure(&mut self, class: Class, now: Moment) -> Option<Transition> {
        let took = self.took(now);
        let permit = mem::replace(&mut self.permit, Permit::NONE);
        self.breaker.borrow().failure_of(class, permit, now, took)
    }

    #[inline]
    fn abandoned(&mut self) {
        if self.permit.is_probe() {
            self.give_back();
        }
    }
}

impl<B: Borrow<Breaker>> Drop for BreakerGuard<B> {
    #[inline]
    fn drop(&mut self) {
        self.abandoned();
    }
}

/// A budget in one session.
#[derive(Debug)]
pub struct BudgetGuard<B>(pub(crate) B);

impl<B: Borrow<Budget>> Instrument for BudgetGuard<B> {
    #[inline]
    fn after_success(&mut self, now: impl Fn() -> Moment) -> Option<Transition> {
        self.0.borrow().deposit_undated(now);
        None
    }

    fn withdraw(&mut self, now: Moment) -> bool {
        self.0.borrow().withdraw(now)
    }
}

/// The guards that a policy asks for by itself, in one session: see [`of`](super::of).
pub type PolicyGuards = (Option<BreakerGuard<Arc<Breaker>>>, Option<BudgetGuard<Arc<Budget>>>);
