//! Inspection and manual control of a breaker.

use std::time::Duration;

use super::packed_state::PackedState;
use super::{Breaker, BreakerSettings, BreakerSnapshot, BreakerState, Transition};
use crate::Moment;
use crate::guard::sync::Ordering;
use crate::policy::RangeError;

impl Breaker {
    /// A breaker with other settings and the state of this one, so that a change of policy during
    /// an outage does not close it. The calls in the window are not copied.
    ///
    /// # Errors
    /// The first problem of the settings.
    pub fn with_settings(&self, settings: BreakerSettings) -> Result<Self, RangeError> {
        let other = Self::new(settings)?;
        let packed = self.load();
        other.packed.store(packed.0, Ordering::Release);
        if let Some(changed) = self.changed_at.read(packed.generation()) {
            other.changed_at.publish(packed.generation(), changed);
        }
        for (from, to) in [
            (&self.last_probe, &other.last_probe),
            (&self.last_failure, &other.last_failure),
            (&self.failures, &other.failures),
        ] {
            to.store(from.load(Ordering::Acquire), Ordering::Release);
        }
        Ok(other)
    }

    /// Opens the breaker, as failures would: it lets a probe through after its timeout. If it is
    /// open already, the timeout restarts.
    pub fn open(&self, now: Moment) -> Option<Transition> {
        let (from, to) = self.force(PackedState::opened);
        if from.is_closed() {
            let failures = self.failures_while_closed(from, now);
            self.failures.store(failures, Ordering::Relaxed);
        }
        self.finish_swap(from, to, now)
    }

    /// Closes the breaker and resets its failures.
    pub fn close(&self, now: Moment) -> Option<Transition> {
        let (from, to) = self.force(PackedState::closed);
        self.finish_swap(from, to, now)
    }

    /// Isolates the breaker: it rejects all calls until it is closed or opened manually.
    pub fn isolate(&self, now: Moment) -> Option<Transition> {
        let (from, to) = self.force(PackedState::isolated);
        self.finish_swap(from, to, now)
    }

    /// The state. An open breaker whose timeout has passed is reported as half open, even before
    /// the first probe.
    #[must_use]
    pub fn state(&self, now: Moment) -> BreakerState {
        self.state_of(self.load(), now)
    }

    /// A snapshot for display.
    #[must_use]
    pub fn snapshot(&self, now: Moment) -> BreakerSnapshot {
        let packed = self.load();
        let failure_count = if packed.is_closed() {
            self.failures_while_closed(packed, now)
        } else {
            self.failures.load(Ordering::Relaxed)
        };
        let last_failure = self.last_failure.load(Ordering::Relaxed).checked_sub(1);
        BreakerSnapshot {
            state: self.state_of(packed, now),
            failure_count,
            last_failure: last_failure.map(Moment::from_nanos),
            threshold: self.settings.consecutive_threshold(),
            timeout: self.settings.timeout,
            last_state_change: self.last_transition(packed, now),
            retry_after: self.rejection(packed, now).and_then(|rejection| rejection.retry_after),
        }
    }

    fn state_of(&self, packed: PackedState, now: Moment) -> BreakerState {
        match packed.state() {
            BreakerState::Open if self.remaining_open_time(packed, now) == Duration::ZERO => {
                BreakerState::HalfOpen
            }
            state => state,
        }
    }

    fn last_transition(&self, packed: PackedState, now: Moment) -> Option<Moment> {
        let Some(changed) = self.changed_at.read(packed.generation()) else {
            let is_new = packed.generation() == PackedState::NEW.generation();
            return (!is_new).then_some(now);
        };
        match (packed.state(), self.state_of(packed, now)) {
            (BreakerState::Open, BreakerState::HalfOpen) => {
                Some(changed + self.settings.open_time(packed.openings()))
            }
            _ => Some(changed),
        }
    }

    /// The failures that count towards opening the breaker.
    pub(super) fn failures_while_closed(&self, packed: PackedState, now: Moment) -> u64 {
        match (self.settings.consecutive_threshold(), &self.window) {
            (None, Some(window)) => window.tally(packed.generation(), now).failed,
            _ => u64::from(packed.failures()),
        }
    }

    /// Called after a successful swap: publishes the time if a new generation started, and returns
    /// the transition.
    pub(super) fn finish_swap(
        &self,
        from: PackedState,
        to: PackedState,
        now: Moment,
    ) -> Option<Transition> {
        if from.generation() != to.generation() {
            self.changed_at.publish(to.generation(), now);
        }
        Transition::between(from, to)
    }

    fn force(&self, next: fn(PackedState) -> PackedState) -> (PackedState, PackedState) {
        let mut packed = self.load();
        loop {
            let to = next(packed);
            match self.swap(packed, to) {
                Ok(()) => return (packed, to),
                Err(current) => packed = current,
            }
        }
    }
}
