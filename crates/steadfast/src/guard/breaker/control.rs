//! Looking at a breaker, and changing its state by hand.

use std::time::Duration;

use super::packed_state::Word;
use super::{Breaker, BreakerSettings, BreakerSnapshot, BreakerState, Transition};
use crate::Moment;
use crate::guard::sync::Ordering;
use crate::policy::OutOfRange;

impl Breaker {
    /// A breaker of other settings that stands where this one stands, so that a
    /// change of policy in the middle of an outage does not end the caution.
    /// Only the calls in the window are not taken along.
    ///
    /// # Errors
    /// The first of the settings' problems.
    pub fn with_settings(&self, settings: BreakerSettings) -> Result<Self, OutOfRange> {
        let other = Self::new(settings)?;
        let word = self.load();
        other.word.store(word.0, Ordering::Release);
        if let Some(changed) = self.changed.read(word.generation()) {
            other.changed.publish(word.generation(), changed);
        }
        for (from, to) in [
            (&self.probed, &other.probed),
            (&self.failed, &other.failed),
            (&self.failures, &other.failures),
        ] {
            to.store(from.load(Ordering::Acquire), Ordering::Release);
        }
        Ok(other)
    }

    /// Opens it, as its own judgement would: it lets a probe through when its
    /// time is over. If it is open already, its time starts again.
    pub fn open(&self, now: Moment) -> Option<Transition> {
        let (from, to) = self.force(Word::opened);
        if from.is_closed() {
            let failures = self.failures_while_closed(from, now);
            self.failures.store(failures, Ordering::Relaxed);
        }
        self.settle(from, to, now)
    }

    /// Closes it, and forgets the failures so far.
    pub fn close(&self, now: Moment) -> Option<Transition> {
        let (from, to) = self.force(Word::closed);
        self.settle(from, to, now)
    }

    /// Rejects all calls until it is closed, or opened, by hand.
    pub fn isolate(&self, now: Moment) -> Option<Transition> {
        let (from, to) = self.force(Word::isolated);
        self.settle(from, to, now)
    }

    /// Where it stands. An open breaker whose time is over stands half open,
    /// though no probe has come yet.
    #[must_use]
    pub fn state(&self, now: Moment) -> BreakerState {
        self.state_of(self.load(), now)
    }

    /// All there is to show.
    #[must_use]
    pub fn snapshot(&self, now: Moment) -> BreakerSnapshot {
        let word = self.load();
        let failure_count = if word.is_closed() {
            self.failures_while_closed(word, now)
        } else {
            self.failures.load(Ordering::Relaxed)
        };
        let last_failure = self.failed.load(Ordering::Relaxed).checked_sub(1);
        BreakerSnapshot {
            state: self.state_of(word, now),
            failure_count,
            last_failure: last_failure.map(Moment::from_nanos),
            threshold: self.settings.run_that_opens(),
            timeout: self.settings.timeout,
            last_state_change: self.last_change(word, now),
            retry_after: self.rejection(word, now).and_then(|rejection| rejection.retry_after),
        }
    }

    fn state_of(&self, word: Word, now: Moment) -> BreakerState {
        match word.state() {
            BreakerState::Open if self.left_of_open(word, now) == Duration::ZERO => {
                BreakerState::HalfOpen
            }
            state => state,
        }
    }

    fn last_change(&self, word: Word, now: Moment) -> Option<Moment> {
        let Some(changed) = self.changed.read(word.generation()) else {
            let is_new = word.generation() == Word::NEW.generation();
            return (!is_new).then_some(now);
        };
        match (word.state(), self.state_of(word, now)) {
            (BreakerState::Open, BreakerState::HalfOpen) => {
                Some(changed + self.settings.open_time(word.openings()))
            }
            _ => Some(changed),
        }
    }

    /// The failures that count towards opening.
    pub(super) fn failures_while_closed(&self, word: Word, now: Moment) -> u64 {
        match (self.settings.run_that_opens(), &self.window) {
            (None, Some(window)) => window.tally(word.generation(), now).failed,
            _ => u64::from(word.failures()),
        }
    }

    /// After a swap that this thread won: publishes when it was, if it began a
    /// generation, and says what changed.
    pub(super) fn settle(&self, from: Word, to: Word, now: Moment) -> Option<Transition> {
        if from.generation() != to.generation() {
            self.changed.publish(to.generation(), now);
        }
        Transition::between(from, to)
    }

    fn force(&self, next: fn(Word) -> Word) -> (Word, Word) {
        let mut word = self.load();
        loop {
            let to = next(word);
            match self.swap(word, to) {
                Ok(()) => return (word, to),
                Err(current) => word = current,
            }
        }
    }
}
