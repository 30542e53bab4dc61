//! Detection of nested sessions (I7).
//!
//! Nested retry loops multiply: three attempts of three attempts are nine calls to a service that
//! is already down. So while a session runs its operation on a thread, a thread-local records that
//! it will retry. An inner session checks this after a failure and does not retry a fault that
//! the outer session will retry.
//!
//! Entering a scope is on the success path of every call, so the common case is a counter: a
//! session with default rules and an idempotent policy retries what the default rules retry, and
//! nothing else need be recorded. Other sessions push a frame onto a stack.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::session_state::SessionState;
use crate::Class;
use crate::decide::{Progress, Reason};
use crate::judge::Rules;
use crate::policy::{Nested, Policy};

thread_local! {
    /// The number of outer sessions that retry by the default rules, plus [`FRAMED`] for each of
    /// the others. One number, so that one comparison covers both.
    static OUTER: Cell<u64> = const { Cell::new(0) };
    /// The frames of the other outer sessions.
    static FRAMES: RefCell<Vec<Frame>> = const { RefCell::new(Vec::new()) };
}

/// What a session with a frame adds to [`OUTER`].
const FRAMED: u64 = 1 << 32;

fn has_framed() -> bool {
    OUTER.get() >= FRAMED
}

fn has_plain() -> bool {
    !OUTER.get().is_multiple_of(FRAMED)
}

/// Whether the running code is part of an outer session.
#[inline(always)]
pub(super) fn has_outer() -> bool {
    OUTER.get() > 0
}

struct Frame {
    rules: Rules,
    /// Whether the session will retry, or only records whether an inner session retried.
    will_retry: bool,
    repeats: Repeats,
    retried_inside: bool,
}

/// Whether a session repeats an attempt that may have taken effect (J9).
#[derive(Clone)]
enum Repeats {
    Always,
    /// If its operation has read its key.
    WithKey(Option<Arc<AtomicBool>>),
}

impl Repeats {
    fn of<E>(policy: &Policy, state: &SessionState<E>) -> Self {
        if !policy.forbids_repeat() || state.conditions.key_in_use(policy) {
            return Self::Always;
        }
        Self::WithKey(state.conditions.key_used())
    }

    fn allow(&self, class: Class) -> bool {
        match (class, self) {
            (Class::Final, _) => false,
            (Class::UnknownOutcome, Self::WithKey(used)) => {
                used.as_ref().is_some_and(|used| used.load(Ordering::Relaxed))
            }
            _ => true,
        }
    }
}

/// Marks the running code as part of a session until it is dropped.
#[must_use]
pub(super) enum Scope {
    Silent,
    Plain,
    Framed,
}

impl Scope {
    /// Enters a session that retries by the default rules.
    #[inline(always)]
    pub(super) fn plain() -> Self {
        OUTER.set(OUTER.get().wrapping_add(1));
        Self::Plain
    }

    /// Whether the attempt that follows enters a plain scope. The last attempt is not retried.
    #[inline(always)]
    pub(super) fn is_plain(policy: &Policy, progress: &Progress) -> bool {
        policy.retries_by_default_rules && progress.attempt() < policy.max_attempts
    }

    /// Enters any session, at any attempt.
    #[inline(always)]
    pub(super) fn enter<E>(policy: &Policy, state: &SessionState<E>) -> Self {
        if state.conditions.enters_plain_scope {
            Self::plain()
        } else {
            Self::enter_framed(policy, state)
        }
    }

    #[cold]
    #[inline(never)]
    fn enter_framed<E>(policy: &Policy, state: &SessionState<E>) -> Self {
        let records = policy.nested == Nested::Inner;
        let will_retry = policy.nested == Nested::Outer && !state.progress.is_last_attempt(policy);
        if policy.retries_by_default_rules || (!records && !will_retry) {
            return Self::Silent;
        }
        let (rules, repeats) = (policy.rules.clone(), Repeats::of(policy, state));
        let frame = Frame { rules, will_retry, repeats, retried_inside: false };
        FRAMES.with_borrow_mut(|frames| frames.push(frame));
        OUTER.set(OUTER.get().wrapping_add(FRAMED));
        Self::Framed
    }

    /// Leaves the scope; `true` if an inner session retried and gave up.
    #[inline(always)]
    pub(super) fn end(self) -> bool {
        if matches!(self, Self::Plain) { false } else { self.end_framed() }
    }

    #[cold]
    #[inline(never)]
    fn end_framed(self) -> bool {
        if !matches!(self, Self::Framed) {
            return false;
        }
        // The frame is popped here, so `drop` must not pop another.
        std::mem::forget(self);
        pop()
    }
}

impl Drop for Scope {
    #[inline(always)]
    fn drop(&mut self) {
        match self {
            Self::Silent => {}
            Self::Plain => OUTER.set(OUTER.get().wrapping_sub(1)),
            Self::Framed => {
                pop();
            }
        }
    }
}

#[cold]
#[inline(never)]
fn pop() -> bool {
    OUTER.set(OUTER.get().wrapping_sub(FRAMED));
    FRAMES.with_borrow_mut(|frames| frames.pop().is_some_and(|frame| frame.retried_inside))
}

/// Whether an outer session will retry; `class` judges the fault by the outer session's rules.
#[inline]
pub(super) fn left_to_outer(policy: &Policy, class: impl Fn(&Rules) -> Class) -> Option<Reason> {
    if policy.nested != Nested::Outer {
        return None;
    }
    if has_plain() && class(&Rules::DEFAULT) != Class::Final {
        return Some(Reason::LeftToOuter);
    }
    if !has_framed() || !framed_will_retry(class) {
        return None;
    }
    Some(Reason::LeftToOuter)
}

#[cold]
fn framed_will_retry(class: impl Fn(&Rules) -> Class) -> bool {
    // Extracting facts runs the user's code, which may start sessions: hold no borrow.
    let frame_at = |index: usize| {
        FRAMES.with_borrow(|frames| {
            let copy = |frame: &Frame| (frame.rules.clone(), frame.repeats.clone());
            frames.get(index).map(|frame| frame.will_retry.then(|| copy(frame)))
        })
    };
    (0..).map_while(frame_at).flatten().any(|(rules, repeats)| repeats.allow(class(&rules)))
}

/// Records in the outer session's frame, if there is one, that this session gave up.
pub(super) fn gave_up(reason: Reason) {
    if !has_framed() || matches!(reason, Reason::Final | Reason::LeftToOuter | Reason::Cancelled) {
        return;
    }
    FRAMES.with_borrow_mut(|frames| {
        if let Some(frame) = frames.last_mut() {
            frame.retried_inside = !frame.will_retry;
        }
    });
}
