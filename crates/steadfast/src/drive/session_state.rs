//! The state of a session that needs more than its first attempt.
//!
//! A session that succeeds at its first attempt under a plain policy never creates one. Errors are
//! stored unrendered and rules as indices: most sessions succeed after a retry, and then nothing
//! is rendered at all.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::Key;
use super::judges::ErrorFacts;
use super::session::AttemptError;
use crate::decide::{Progress, SessionLimits};
use crate::guard::PolicyGuards;
use crate::judge::Judgement;
use crate::policy::Policy;
use crate::{Fault, Moment};

/// How many failed attempts are recorded, beside the first two.
const MAX_LATER_FAILURES: usize = 254;

pub(super) struct SessionState<E> {
    pub(super) progress: Progress,
    /// Whether the session needs the time. If not, the clock is never read.
    pub(super) timed: bool,
    pub(super) retried_inside: bool,
    key_given: bool,
    started: Moment,
    attempt_started: Moment,
    /// All waits so far, in nanoseconds.
    waited: u64,
    failures: Failures<E>,
    key: Option<Key>,
    extra: Option<Box<Extra>>,
}

/// State that only some policies need.
struct Extra {
    guards: PolicyGuards,
    /// Set when the operation reads its key; only for policies that are not idempotent.
    key_used: Option<Arc<AtomicBool>>,
}

/// Few sessions fail more than twice, so the first two failures need no allocation.
struct Failures<E> {
    first: Option<PastFailure<E>>,
    second: Option<PastFailure<E>>,
    later: Vec<PastFailure<E>>,
}

/// A failed attempt, not yet rendered.
pub(super) struct PastFailure<E> {
    pub(super) error: AttemptError<(), E>,
    pub(super) judgement: Judgement,
    /// The wait that followed, in nanoseconds.
    pub(super) delay: u64,
    pub(super) attempt: u32,
}

impl<E> SessionState<E> {
    /// The state at the start, at `now` if the session needs the time. `given` is the key that
    /// came with the operation, `generated` the one that the first attempt received.
    #[inline(always)]
    pub(super) fn new(
        policy: &Policy,
        now: Option<Moment>,
        given: Option<Key>,
        generated: Option<Key>,
    ) -> Self {
        let started = now.unwrap_or(Moment::ORIGIN);
        Self {
            progress: Progress::default(),
            timed: now.is_some(),
            retried_inside: false,
            key_given: given.is_some(),
            started,
            attempt_started: started,
            waited: 0,
            failures: Failures { first: None, second: None, later: Vec::new() },
            key: given.or(generated),
            extra: Extra::of(policy),
        }
    }

    pub(super) fn set_attempt_started(&mut self, now: Moment) {
        self.attempt_started = now;
    }

    pub(super) fn attempt_started(&self) -> Moment {
        self.attempt_started
    }

    /// How long the session has taken; without a clock, how long it has waited.
    pub(super) fn elapsed(&self, now: Moment) -> Duration {
        if self.timed { now.since(self.started) } else { Duration::from_nanos(self.waited) }
    }

    #[inline]
    pub(super) fn limits(&self, policy: &Policy) -> SessionLimits {
        SessionLimits {
            started: self.started,
            // Only needed where the policy is not idempotent.
            key_in_use: !policy.idempotent && (self.key_given || self.key_was_used()),
            ..SessionLimits::IN_PROCESS
        }
    }

    pub(super) fn key(&mut self) -> Key {
        self.key.get_or_insert_with(Key::fresh).clone()
    }

    #[inline]
    fn key_was_used(&self) -> bool {
        let used = self.extra.as_ref().and_then(|extra| extra.key_used.as_ref());
        used.is_some_and(|used| used.load(Ordering::Relaxed))
    }

    /// The flag to set when the operation reads its key.
    pub(super) fn key_used(&self) -> Option<Arc<AtomicBool>> {
        self.extra.as_ref()?.key_used.clone()
    }

    /// The guards of the policy itself.
    #[inline]
    pub(super) fn guards(&mut self) -> Option<&mut PolicyGuards> {
        self.extra.as_mut().map(|extra| &mut extra.guards)
    }

    pub(super) fn previous<F: ErrorFacts<E>>(&self, facts: &F) -> Option<Fault> {
        self.failures().last().map(|failed| failed.error.report(facts))
    }

    /// The recorded failures, oldest first.
    pub(super) fn failures(&self) -> impl Iterator<Item = &PastFailure<E>> {
        let Failures { first, second, later } = &self.failures;
        first.iter().chain(second).chain(later)
    }

    pub(super) fn take_last(&mut self) -> Option<PastFailure<E>> {
        let Failures { first, second, later } = &mut self.failures;
        later.pop().or_else(|| second.take()).or_else(|| first.take())
    }

    #[inline(always)]
    pub(super) fn push_failure(&mut self, failed: PastFailure<E>) {
        self.waited = self.waited.saturating_add(failed.delay);
        if self.failures.first.is_none() {
            self.failures.first = Some(failed);
        } else if self.failures.second.is_none() {
            self.failures.second = Some(failed);
        } else {
            self.push_later_failure(failed);
        }
    }

    #[cold]
    fn push_later_failure(&mut self, failed: PastFailure<E>) {
        let later = &mut self.failures.later;
        if later.len() == MAX_LATER_FAILURES {
            later.remove(0);
        }
        later.push(failed);
    }
}

impl Extra {
    #[inline(always)]
    fn of(policy: &Policy) -> Option<Box<Self>> {
        if policy.clockless {
            return None;
        }
        Self::prepared(policy)
    }

    #[cold]
    fn prepared(policy: &Policy) -> Option<Box<Self>> {
        let guards = policy.guards();
        if policy.idempotent && guards.0.is_none() && guards.1.is_none() {
            return None;
        }
        let key_used = (!policy.idempotent).then(Arc::default);
        Some(Box::new(Self { guards, key_used }))
    }
}
