//! Guards as instruments of one session.

use std::borrow::Borrow;
use std::mem;
use std::sync::Arc;
use std::time::Duration;

use super::breaker::{Permit, Rejection, Transition};
use super::{Breaker, Budget};
use crate::drive::Instrument;
use crate::{Class, Fault, Moment};

/// A breaker in one session: holds the permit of the attempt in flight, and releases it if the
/// attempt never ends.
#[derive(Debug)]
pub struct BreakerGuard<B: Borrow<Breaker>> {
    breaker: B,
    permit: Permit,
    /// When the attempt started, if the breaker measures durations.
    started: Moment,
}

impl<B: Borrow<Breaker>> BreakerGuard<B> {
    pub(crate) const fn new(breaker: B) -> Self {
        Self { breaker, permit: Permit::NONE, started: Moment::ORIGIN }
    }

    fn elapsed(&self, now: Moment) -> Option<Duration> {
        self.breaker.borrow().measures_duration().then(|| now.since(self.started))
    }

    #[inline(never)]
    fn report_success(&mut self, now: Moment) -> Option<Transition> {
        let elapsed = self.elapsed(now);
        let permit = mem::replace(&mut self.permit, Permit::NONE);
        self.breaker.borrow().success(permit, now, elapsed)
    }

    #[cold]
    #[inline(never)]
    fn release_permit(&mut self) {
        self.breaker.borrow().ignore(mem::replace(&mut self.permit, Permit::NONE));
    }
}

impl<B: Borrow<Breaker>> Instrument for BreakerGuard<B> {
    #[inline]
    fn before_attempt(&mut self, now: impl Fn() -> Moment) -> Result<(), Rejection> {
        let breaker = self.breaker.borrow();
        self.permit = match breaker.try_acquire() {
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
        if breaker.ignores_success(self.permit) {
            return None;
        }
        let timed = breaker.needs_clock_on_success() || self.permit.is_probe();
        self.report_success(if timed { now() } else { Moment::ORIGIN })
    }

    fn after_failure(&mut self, class: Class, now: Moment) -> Option<Transition> {
        let elapsed = self.elapsed(now);
        let permit = mem::replace(&mut self.permit, Permit::NONE);
        self.breaker.borrow().failure_of(class, permit, now, elapsed)
    }

    fn record_cause(&mut self, fault: &Fault) {
        self.breaker.borrow().record_cause(fault);
    }

    #[inline]
    fn abandoned(&mut self) {
        if self.permit.is_probe() {
            self.release_permit();
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
        self.0.borrow().deposit_lazily(now);
        None
    }

    fn withdraw(&mut self, now: Moment) -> bool {
        self.0.borrow().withdraw(now)
    }
}

/// The guards of a policy, in one session: see [`for_policy`](super::for_policy).
pub type PolicyGuards = (Option<BreakerGuard<Arc<Breaker>>>, Option<BudgetGuard<Arc<Budget>>>);
