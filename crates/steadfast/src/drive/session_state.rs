//! The state of a session that needs more than its first attempt.
//!
//! A session that succeeds at its first attempt under a plain policy never creates one. Errors are
//! stored unrendered and rules as indices: most sessions succeed after a retry, and then nothing
//! is rendered at all. What few sessions need is boxed: the state is part of every future.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::Key;
use super::context::AttemptError;
use crate::decide::{Progress, SessionLimits};
use crate::guard::PolicyGuards;
use crate::judge::{Judgement, Ruling};
use crate::policy::Policy;
use crate::{Class, Moment};

/// How many failed attempts are recorded, beside the first two.
const MAX_LATER_FAILURES: usize = 254;

pub(super) struct SessionState<E> {
    pub(super) progress: Progress,
    pub(super) conditions: Conditions<E>,
    /// Few sessions fail more than twice, so the first two failures need no allocation.
    first_failure: Option<PastFailure<E>>,
    second_failure: Option<PastFailure<E>>,
}

/// What a decision depends on, beside the progress.
pub(super) struct Conditions<E> {
    /// The start of a session that needs the time; otherwise the sum of its waits, as if it had
    /// started at the origin.
    clock: Moment,
    extra: Option<Box<Extra<E>>>,
    /// Whether only the policy decides: no clock, no observer, no inner session that has retried.
    /// One comparison on the path of a failure instead of three.
    is_simple: bool,
    /// Whether the session needs the time. If not, the clock is never read.
    is_timed: bool,
    retried_inside: bool,
    /// Whether an async attempt has started and not ended.
    pub(super) is_in_flight: bool,
    /// Whether the attempt enters [`Scope::Plain`](super::nested::Scope).
    pub(super) enters_plain_scope: bool,
    /// Whether the operation is idempotent, if it is known.
    idempotent: Option<bool>,
}

/// State that only some sessions need. All of it is in one box, so that most sessions have one
/// pointer to check when they are dropped.
struct Extra<E> {
    guards: PolicyGuards,
    key: Option<Key>,
    /// Whether the key came with the operation.
    key_given: bool,
    /// The rejections by a guard since the last attempt.
    rejections: u32,
    /// Set when the operation reads its key; only for policies that forbid a repeat.
    key_used: Option<Arc<AtomicBool>>,
    later_failures: VecDeque<PastFailure<E>>,
}

impl<E> Default for Extra<E> {
    fn default() -> Self {
        Self {
            guards: PolicyGuards::default(),
            key: None,
            key_given: false,
            rejections: 0,
            key_used: None,
            later_failures: VecDeque::new(),
        }
    }
}

/// A failed attempt, not yet rendered.
pub(super) struct PastFailure<E> {
    pub(super) error: AttemptError<E>,
    ruling: Ruling,
    class: Class,
    pub(super) attempt: u32,
    /// The wait that followed, in nanoseconds.
    pub(super) delay: u64,
}

impl<E> PastFailure<E> {
    #[inline(always)]
    pub(super) const fn new(
        error: AttemptError<E>,
        judgement: &Judgement,
        attempt: u32,
        delay: u64,
    ) -> Self {
        Self { error, ruling: judgement.ruling, class: judgement.class, attempt, delay }
    }

    /// The judgement, without the hint that the wait has followed.
    pub(super) fn judgement(&self) -> Judgement {
        Judgement { class: self.class, ruling: self.ruling, hint: None, hint_source: None }
    }
}

impl<E> SessionState<E> {
    /// The state of a session that needs nothing beside its policy.
    #[inline(always)]
    pub(super) const fn new(idempotent: Option<bool>) -> Self {
        Self {
            progress: Progress { attempts: 0, rate_limit_waits: 0, previous: 0 },
            conditions: Conditions {
                clock: Moment::ORIGIN,
                extra: None,
                is_simple: true,
                is_timed: false,
                retried_inside: false,
                is_in_flight: false,
                enters_plain_scope: false,
                idempotent,
            },
            first_failure: None,
            second_failure: None,
        }
    }

    /// The recorded failures, oldest first.
    pub(super) fn failures(&self) -> impl DoubleEndedIterator<Item = &PastFailure<E>> {
        let later = self.conditions.extra.iter().flat_map(|extra| &extra.later_failures);
        self.first_failure.iter().chain(&self.second_failure).chain(later)
    }

    pub(super) fn take_last_failure(&mut self) -> Option<PastFailure<E>> {
        let extra = self.conditions.extra.as_mut();
        let later = extra.and_then(|extra| extra.later_failures.pop_back());
        later.or_else(|| self.second_failure.take()).or_else(|| self.first_failure.take())
    }

    #[inline(always)]
    pub(super) fn push_failure(&mut self, failed: PastFailure<E>) {
        if self.first_failure.is_none() {
            self.first_failure = Some(failed);
        } else if self.second_failure.is_none() {
            self.second_failure = Some(failed);
        } else {
            self.push_later_failure(failed);
        }
    }

    #[cold]
    #[inline(never)]
    fn push_later_failure(&mut self, failed: PastFailure<E>) {
        let later = &mut self.conditions.extra.get_or_insert_default().later_failures;
        if later.len() == MAX_LATER_FAILURES {
            later.pop_front();
        }
        later.push_back(failed);
    }
}

impl<E> Conditions<E> {
    /// Prepares a session that needs more: the time, observers, guards or a key. `given` is the key
    /// that came with the operation, `generated` the one that the first attempt received.
    pub(super) fn prepare(
        &mut self,
        policy: &Policy,
        now: Option<Moment>,
        is_observed: bool,
        given: Option<Key>,
        generated: Option<Key>,
    ) {
        self.clock = now.unwrap_or(Moment::ORIGIN);
        self.is_timed = now.is_some();
        self.is_simple = now.is_none() && !is_observed;
        self.extra = Extra::of(policy, given, generated);
    }

    /// Whether the session needs the time.
    #[inline]
    pub(super) const fn is_timed(&self) -> bool {
        self.is_timed
    }

    /// Whether only the policy decides what follows a failure.
    #[inline]
    pub(super) const fn is_simple(&self) -> bool {
        self.is_simple
    }

    /// How long the session has taken; without a clock, how long it has waited.
    pub(super) fn elapsed(&self, now: Moment) -> Duration {
        if self.is_timed { now.since(self.clock) } else { self.clock.since(Moment::ORIGIN) }
    }

    /// Adds a wait to the time of a session that has no clock.
    #[inline(always)]
    pub(super) fn count_wait(&mut self, delay: u64) {
        self.clock = self.clock.plus_nanos(delay);
    }

    /// The limits of the session, beside its key.
    pub(super) const fn limits(&self) -> SessionLimits {
        let started = if self.is_timed { self.clock } else { Moment::ORIGIN };
        SessionLimits::IN_PROCESS.started(started).idempotent(self.idempotent)
    }

    /// Records that an inner session retried and gave up during the attempt.
    #[cold]
    pub(super) fn set_retried_inside(&mut self) {
        self.retried_inside = true;
        self.is_simple = false;
    }

    /// Whether an inner session has retried since the last call.
    pub(super) fn take_retried_inside(&mut self) -> bool {
        std::mem::take(&mut self.retried_inside)
    }

    pub(super) fn key(&mut self) -> Key {
        let extra = self.extra.get_or_insert_default();
        extra.key.get_or_insert_with(Key::fresh).clone()
    }

    /// Whether the operation came with a key, or has read the generated one. It is only needed where
    /// the policy does not allow a repeat.
    pub(super) fn key_in_use(&self, policy: &Policy) -> bool {
        let Some(extra) = &self.extra else { return false };
        let was_used = |used: &Arc<AtomicBool>| used.load(Ordering::Relaxed);
        policy.idempotent != Some(true)
            && (extra.key_given || extra.key_used.as_ref().is_some_and(was_used))
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

    /// Counts a rejection, and returns the number of those before it since the last attempt.
    pub(super) fn count_rejection(&mut self) -> u32 {
        let rejections = &mut self.extra.get_or_insert_default().rejections;
        std::mem::replace(rejections, rejections.saturating_add(1))
    }

    pub(super) fn reset_rejections(&mut self) {
        if let Some(extra) = &mut self.extra {
            extra.rejections = 0;
        }
    }
}

impl<E> Extra<E> {
    fn of(policy: &Policy, given: Option<Key>, generated: Option<Key>) -> Option<Box<Self>> {
        let guards = policy.guards();
        let key_given = given.is_some();
        let key = given.or(generated);
        if !policy.forbids_repeat() && key.is_none() && guards.0.is_none() && guards.1.is_none() {
            return None;
        }
        let key_used = policy.forbids_repeat().then(Arc::default);
        Some(Box::new(Self { guards, key, key_given, key_used, ..Self::default() }))
    }
}
