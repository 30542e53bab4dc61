//! What a call's result does to the breaker.

use std::time::Duration;

use super::packed_state::Word;
use super::window::Outcome;
use super::{Breaker, Permit, Transition};
use crate::guard::sync::Ordering;
use crate::{Class, Moment};

impl Breaker {
    /// The call succeeded, after `took` if that was measured.
    ///
    /// The change is told to whoever brought it about, and to nobody else.
    #[inline]
    pub fn success(
        &self,
        permit: Permit,
        now: Moment,
        took: Option<Duration>,
    ) -> Option<Transition> {
        if self.is_unmoved_by_success(permit) {
            return None;
        }
        self.weigh_success(permit, now, took)
    }

    /// The call failed, after `took` if that was measured.
    ///
    /// The change is told to whoever brought it about, and to nobody else.
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
        let opens = self.window_opens(permit, now, outcome);
        self.closed_call_failed(permit, now, opens)
    }

    /// The same for a failure of this class. One that trying again cannot help says nothing
    /// about the service, unless the settings count it.
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

    /// The call has no result that counts: it was cancelled, or failed by the
    /// caller's own doing. A probe gives its permit back.
    #[inline]
    pub fn ignore(&self, permit: Permit) {
        if permit.is_probe() {
            let _ = self.step(permit, |word| word.probe_back(permit.word()));
        }
    }

    #[inline(never)]
    fn weigh_success(
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
        let opens = self.window_opens(permit, now, Outcome { failed, slow });
        let (from, to) =
            self.step(permit, |word| if opens { word.opened() } else { word.with_failures(0) })?;
        if opens {
            self.tell_failures(self.failures_while_closed(from, now));
        }
        self.settle(from, to, now)
    }

    /// Takes the call into the window. Do the calls in it open the breaker?
    fn window_opens(&self, permit: Permit, now: Moment, outcome: Outcome) -> bool {
        let Some(window) = &self.window else {
            return false;
        };
        if !self.load().is_same_period(permit.word()) {
            return false;
        }
        let generation = permit.word().generation();
        window.record(generation, now, outcome);
        (outcome.failed || outcome.slow)
            && self.settings.is_opened_by(window.tally(generation, now))
    }

    fn closed_call_failed(&self, permit: Permit, now: Moment, opens: bool) -> Option<Transition> {
        let threshold = self.settings.run_that_opens();
        let counted = |word: Word| match threshold {
            Some(_) => word.with_failures(word.failures().saturating_add(1)),
            None => word,
        };
        let (from, to) = self.step(permit, |word| {
            let word = counted(word);
            match threshold {
                Some(threshold) if word.failures() >= threshold => word.opened(),
                _ if opens => word.opened(),
                _ => word,
            }
        })?;
        self.tell_failure(now);
        if !to.is_closed() {
            self.tell_failures(self.failures_while_closed(counted(from), now));
        }
        self.settle(from, to, now)
    }

    fn probe_failed(&self, permit: Permit, now: Moment) -> Option<Transition> {
        let (from, to) = self.step(permit, Word::opened)?;
        self.tell_failure(now);
        self.failures.fetch_add(1, Ordering::Relaxed);
        self.settle(from, to, now)
    }

    fn probe_succeeded(&self, permit: Permit, now: Moment) -> Option<Transition> {
        let (from, to) = self.step(permit, |word| {
            let word = word.probe_back(permit.word()).with_success();
            if word.successes() < self.settings.success_threshold { word } else { word.closed() }
        })?;
        self.settle(from, to, now)
    }

    /// Steps on from the word that `permit` was given in, or does nothing if
    /// that state is over.
    fn step(&self, permit: Permit, next: impl Fn(Word) -> Word) -> Option<(Word, Word)> {
        let mut word = self.load();
        while word.is_same_period(permit.word()) {
            let to = next(word);
            if to == word {
                return Some((word, to));
            }
            match self.swap(word, to) {
                Ok(()) => return Some((word, to)),
                Err(current) => word = current,
            }
        }
        None
    }

    fn tell_failure(&self, now: Moment) {
        let stamp = now.as_nanos().saturating_add(1);
        self.failed.fetch_max(stamp, Ordering::Relaxed);
    }

    fn tell_failures(&self, failures: u64) {
        self.failures.store(failures, Ordering::Relaxed);
    }
}
