//! Inspection and manual control of a breaker.

use std::time::Duration;

use super::cause::{Cause, Trigger};
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
        let generation = packed.generation();
        for (from, to) in
            [(&self.changed_at, &other.changed_at), (&self.open_until, &other.open_until)]
        {
            if let Some(moment) = from.read(generation) {
                to.publish(generation, moment);
            }
        }
        if let Some(cause) = self.cause.read(generation) {
            other.cause.publish(generation, cause);
        }
        for (from, to) in [
            (&self.first_call, &other.first_call),
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
        self.force_open(now, None)
    }

    /// Opens the breaker for this time instead of its timeout, such as that of an announced
    /// maintenance. After that it lets a probe through.
    ///
    /// ```
    /// use std::time::Duration;
    /// use steadfast::Moment;
    /// use steadfast::guard::{Breaker, BreakerSettings};
    ///
    /// let hour = Duration::from_secs(3600);
    /// let breaker = Breaker::new(BreakerSettings::default())?;
    /// breaker.open_for(hour, Moment::ORIGIN);
    /// let rejection = breaker.acquire(Moment::ORIGIN).unwrap_err();
    /// assert_eq!(rejection.retry_after, Some(hour));
    /// assert!(breaker.acquire(Moment::ORIGIN + hour)?.is_probe());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn open_for(&self, time: Duration, now: Moment) -> Option<Transition> {
        self.force_open(now, Some(now + time))
    }

    fn force_open(&self, now: Moment, until: Option<Moment>) -> Option<Transition> {
        let (from, to) = self.force(PackedState::opened);
        if from.is_closed() {
            let failures = self.failures_while_closed(from, now);
            self.failures.store(failures, Ordering::Relaxed);
        }
        // Before the time of the transition: until that is known, no probe is let through.
        if let Some(until) = until {
            self.open_until.publish(to.generation(), until);
        }
        self.finish_swap(from, to, now, Some(Trigger::Manual))
    }

    /// Closes the breaker and resets its failures.
    pub fn close(&self, now: Moment) -> Option<Transition> {
        let (from, to) = self.force(PackedState::closed);
        self.finish_swap(from, to, now, None)
    }

    /// Isolates the breaker: it rejects all calls until it is closed or opened manually.
    pub fn isolate(&self, now: Moment) -> Option<Transition> {
        let (from, to) = self.force(PackedState::isolated);
        self.finish_swap(from, to, now, Some(Trigger::Manual))
    }

    /// Disables the breaker: it permits all calls and counts none until it is closed or opened
    /// manually.
    pub fn disable(&self, now: Moment) -> Option<Transition> {
        let (from, to) = self.force(PackedState::disabled);
        self.finish_swap(from, to, now, None)
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
            return (!packed.is_new()).then_some(now);
        };
        match (packed.state(), self.state_of(packed, now)) {
            (BreakerState::Open, BreakerState::HalfOpen) => {
                let until = self.open_until.read(packed.generation());
                Some(until.unwrap_or(changed + self.settings.open_time(packed.openings())))
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

    /// Called after a successful swap: publishes the cause and the time if a new generation started,
    /// and returns the transition.
    pub(super) fn finish_swap(
        &self,
        from: PackedState,
        to: PackedState,
        now: Moment,
        trigger: Option<Trigger>,
    ) -> Option<Transition> {
        if from.generation() != to.generation() {
            if let Some(trigger) = trigger {
                self.cause.publish(to.generation(), Cause { trigger, code: None });
            }
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
