//! Sessions inside sessions (I7).
//!
//! Two retry loops around each other multiply: three attempts of three attempts
//! are nine calls to a service that is already down. So a session announces, to
//! the code that it runs and for as long as that code runs on this thread, that
//! it will retry; a session inside asks, once it has failed, and leaves it to
//! the outer one if that will retry the same fault.
//!
//! Announcing is on the success path of every call, so the common case is a bare
//! counter: a session with default rules, that may repeat anything, will retry
//! what the default rules retry, and nothing else need be known of it. Any
//! other puts a frame on a stack.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::session_state::SessionState;
use crate::Class;
use crate::decide::Reason;
use crate::judge::Rules;
use crate::policy::{Nested, Policy};

thread_local! {
    /// Sessions around the running code that will retry by the default rules.
    static PLAIN: Cell<u32> = const { Cell::new(0) };
    /// The others that have something to say to those inside, and how many there are.
    static FRAMED: Cell<u32> = const { Cell::new(0) };
    static FRAMES: RefCell<Vec<Frame>> = const { RefCell::new(Vec::new()) };
}

struct Frame {
    rules: Rules,
    /// Whether it will retry, or only wants to know what was retried inside.
    will_retry: bool,
    repeats: Repeats,
    retried_inside: bool,
}

/// Whether a session will repeat what may have taken effect (J9).
#[derive(Clone)]
enum Repeats {
    Always,
    /// If its operation has read its key by then.
    WithKey(Option<Arc<AtomicBool>>),
}

impl Repeats {
    fn of<E>(policy: &Policy, trail: &SessionState<E>) -> Self {
        if policy.idempotent || trail.terms(policy).key_in_use {
            return Self::Always;
        }
        Self::WithKey(trail.key_used())
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

/// The announcement of a session, for as long as it lives.
#[must_use]
pub(super) enum Scope {
    Silent,
    Plain,
    Framed,
}

impl Scope {
    /// A session that will retry by the default rules.
    #[inline(always)]
    pub(super) fn plain() -> Self {
        PLAIN.set(PLAIN.get().wrapping_add(1));
        Self::Plain
    }

    /// Any session, at any attempt. The last one will not be retried.
    #[inline]
    pub(super) fn enter<E>(policy: &Policy, trail: &SessionState<E>) -> Self {
        let will_retry = !trail.progress.is_last_attempt(policy);
        if policy.announces_plainly {
            return if will_retry { Self::plain() } else { Self::Silent };
        }
        Self::enter_framed(policy, trail, will_retry)
    }

    #[cold]
    fn enter_framed<E>(policy: &Policy, trail: &SessionState<E>, will_retry: bool) -> Self {
        let listens = policy.nested == Nested::Inner;
        let will_retry = will_retry && policy.nested == Nested::Outer;
        if !listens && !will_retry {
            return Self::Silent;
        }
        let (rules, repeats) = (policy.rules.clone(), Repeats::of(policy, trail));
        let frame = Frame { rules, will_retry, repeats, retried_inside: false };
        FRAMES.with_borrow_mut(|frames| frames.push(frame));
        FRAMED.set(FRAMED.get().wrapping_add(1));
        Self::Framed
    }

    /// Ends the announcement; `true` if a session inside has retried and given up.
    pub(super) fn end(self) -> bool {
        if !matches!(self, Self::Framed) {
            return false;
        }
        // It ends here, so it must not end again when it is dropped.
        std::mem::forget(self);
        pop()
    }
}

impl Drop for Scope {
    #[inline(always)]
    fn drop(&mut self) {
        match self {
            Self::Silent => {}
            Self::Plain => PLAIN.set(PLAIN.get().wrapping_sub(1)),
            Self::Framed => {
                pop();
            }
        }
    }
}

#[cold]
fn pop() -> bool {
    FRAMED.set(FRAMED.get().wrapping_sub(1));
    FRAMES.with_borrow_mut(|frames| frames.pop().is_some_and(|frame| frame.retried_inside))
}

/// Whether a session around this one will retry, where `class` is the fault's by its rules.
#[inline]
pub(super) fn left_to_outer(policy: &Policy, class: impl Fn(&Rules) -> Class) -> Option<Reason> {
    if policy.nested != Nested::Outer {
        return None;
    }
    if PLAIN.get() > 0 && class(&Rules::DEFAULT) != Class::Final {
        return Some(Reason::LeftToOuter);
    }
    if FRAMED.get() == 0 || !framed_will_retry(class) {
        return None;
    }
    Some(Reason::LeftToOuter)
}

#[cold]
fn framed_will_retry(class: impl Fn(&Rules) -> Class) -> bool {
    // Telling facts is the user's code, which may run sessions itself: hold no borrow.
    let said_by = |index: usize| {
        FRAMES.with_borrow(|frames| {
            let said = |frame: &Frame| (frame.rules.clone(), frame.repeats.clone());
            frames.get(index).map(|frame| frame.will_retry.then(|| said(frame)))
        })
    };
    (0..).map_while(said_by).flatten().any(|(rules, repeats)| repeats.allow(class(&rules)))
}

/// Tells the session around this one, if it wants to know, that this one has given up.
pub(super) fn gave_up(reason: Reason) {
    if FRAMED.get() == 0
        || matches!(reason, Reason::Final | Reason::LeftToOuter | Reason::Cancelled)
    {
        return;
    }
    FRAMES.with_borrow_mut(|frames| {
        if let Some(frame) = frames.last_mut() {
            frame.retried_inside = !frame.will_retry;
        }
    });
}
