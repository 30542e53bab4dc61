//! The effect of call results on a breaker.

use std::time::Duration;

use super::cause::{FaultCode, Trigger};
use super::packed_state::PackedState;
use super::window::Outcome;
use super::{Breaker, Permit, Transition};
use crate::guard::sync::Ordering;
use crate::{Class, Fault, Moment};

impl Breaker {
    /// Reports a successful call that took `took`, if that was measured.
    ///
    /// A transition is returned only to the caller that caused it.
    #[inline]
    pub fn success(
        &self,
        permit: Permit,
        now: Moment,
        took: Option<Duration>,
    ) -> Option<Transition> {
        if self.ignores_success(permit) {
            return None;
        }
        self.record_success(permit, now, took)
    }

    /// Reports a failed call that took `took`, if that was measured.
    ///
    /// A transition is returned only to the caller that caused it.
    #[cold]
    pub fn failure(
        &self,
        permit: Permit,
        now: Moment,
        took: Option<Duration>,
    ) -> Option<Transition> {
        if permit.is_probe() {
            return self.probe_failed(permit, now);
        }
        let outcome = Outcome { failed: true, slow: self.settings.is_slow(took) };
        let reached = self.record_in_window(permit, now, outcome);
        self.closed_call_failed(permit, now, reached)
    }

    /// Reports a failed call of this class. A final failure says nothing about the service and is
    /// ignored, unless the settings count it.
    pub fn failure_of(
        &self,
        class: Class,
        permit: Permit,
        now: Moment,
        took: Option<Duration>,
    ) -> Option<Transition> {
        if class == Class::Final && !self.settings.count_final {
            self.ignore(permit);
            return None;
        }
        self.failure(permit, now, took)
    }

    /// Adds the facts of a failure to the cause that rejections report. Call it after the report of
    /// that failure returned a transition to open.
    #[cold]
    pub fn record_cause(&self, fault: &Fault) {
        if let Some(code) = FaultCode::of(fault) {
            self.cause.add_code(self.load().generation(), code);
        }
    }

    /// Releases the permit of a call without a result: it was cancelled, or failed because of the
    /// caller.
    #[inline]
    pub fn ignore(&self, permit: Permit) {
        if permit.is_probe() {
            let _ = self.update(permit, |packed| packed.without_probe(permit.packed()));
        }
    }

    #[inline(never)]
    fn record_success(
        &self,
        permit: Permit,
        now: Moment,
        took: Option<Duration>,
    ) -> Option<Transition> {
        let slow = self.settings.is_slow(took);
        match (permit.is_probe(), slow) {
            (true, true) => return self.probe_failed(permit, now),
            (true, false) => return self.probe_succeeded(permit, now),
            (false, _) => {}
        }
        let failed = false;
        let reached = self.record_in_window(permit, now, Outcome { failed, slow });
        let (from, to) = self.update(permit, |packed| match reached {
            Some(_) => packed.opened(),
            None => packed.with_failures(0),
        })?;
        if reached.is_some() {
            self.set_failure_count(self.failures_while_closed(from, now));
        }
        self.finish_swap(from, to, now, reached)
    }

    /// Records the call in the window; the rate by which the calls in the window open the breaker, if
    /// they do. A success opens it, too, if it brings the window to its minimum volume.
    fn record_in_window(&self, permit: Permit, now: Moment, outcome: Outcome) -> Option<Trigger> {
        let window = self.window.as_ref()?;
        if !self.load().is_same_period(permit.packed()) {
            return None;
        }
        let generation = permit.packed().generation();
        let may_raise = window.record(generation, now, outcome, self.settings.volume());
        if !(may_raise || outcome.failed || outcome.slow) {
            return None;
        }
        self.settings.reached_rate(window.tally(generation, now))
    }

    fn closed_call_failed(
        &self,
        permit: Permit,
        now: Moment,
        reached: Option<Trigger>,
    ) -> Option<Transition> {
        let threshold = self.settings.consecutive_threshold();
        let counted = |packed: PackedState| match threshold {
            Some(_) => packed.with_failures(packed.failures().saturating_add(1)),
            None => packed,
        };
        let (from, to) = self.update(permit, |packed| {
            let packed = counted(packed);
            match threshold {
                Some(threshold) if packed.failures() >= threshold => packed.opened(),
                _ if reached.is_some() => packed.opened(),
                _ => packed,
            }
        })?;
        self.set_last_failure(now);
        if !to.is_closed() {
            self.set_failure_count(self.failures_while_closed(counted(from), now));
        }
        self.finish_swap(from, to, now, reached.or(Some(Trigger::ConsecutiveFailures)))
    }

    fn probe_failed(&self, permit: Permit, now: Moment) -> Option<Transition> {
        let (from, to) = self.update(permit, |packed| {
            let packed = packed.without_probe(permit.packed()).with_probe_failure();
            if packed.probe_failures() <= self.settings.tolerated_probe_failures() {
                packed
            } else {
                packed.opened()
            }
        })?;
        self.set_last_failure(now);
        self.failures.fetch_add(1, Ordering::Relaxed);
        self.finish_swap(from, to, now, Some(Trigger::FailedProbe))
    }

    fn probe_succeeded(&self, permit: Permit, now: Moment) -> Option<Transition> {
        let (from, to) = self.update(permit, |packed| {
            let packed = packed.without_probe(permit.packed()).with_success();
            if packed.successes() < self.settings.success_threshold {
                packed
            } else {
                packed.closed()
            }
        })?;
        self.finish_swap(from, to, now, None)
    }

    /// Applies `next` while the breaker is in the period of `permit`; does nothing after that.
    fn update(
        &self,
        permit: Permit,
        next: impl Fn(PackedState) -> PackedState,
    ) -> Option<(PackedState, PackedState)> {
        let mut packed = self.load();
        while packed.is_same_period(permit.packed()) {
            let to = next(packed);
            if to == packed {
                return Some((packed, to));
            }
            match self.swap(packed, to) {
                Ok(()) => return Some((packed, to)),
                Err(current) => packed = current,
            }
        }
        None
    }

    fn set_last_failure(&self, now: Moment) {
        let stamp = now.as_nanos().saturating_add(1);
        self.last_failure.fetch_max(stamp, Ordering::Relaxed);
    }

    fn set_failure_count(&self, failures: u64) {
        self.failures.store(failures, Ordering::Relaxed);
    }
}
