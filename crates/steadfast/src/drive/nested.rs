//! Sessions inside sessions (I7).
//!
//! Two retry loops around each other multiply: three attempts of three attempts
//! are nine calls to a service that is already down. So a session announces, to
//! the code that it runs and for as long as that code runs on this thread, that
//! it will retry; a session inside asks, once it has failed, and leaves it to
//! the outer one if that will retry the same fault.
//!
//! Announcing is on the success path of every call, so the common case is a bare
//! counter: a session with default rules will retry what the default rules
//! retry, and nothing else need be known of it. Any other puts a frame on a
//! stack.

use std::cell::{Cell, RefCell};

use crate::decide::{Progress, Reason};
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
    retried_inside: bool,
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
    pub(super) fn enter(policy: &Policy, progress: &Progress) -> Self {
        let will_retry = !progress.is_last_attempt(policy);
        if policy.announces_plainly {
            return if will_retry { Self::plain() } else { Self::Silent };
        }
        Self::enter_framed(policy, will_retry)
    }

    #[cold]
    fn enter_framed(policy: &Policy, will_retry: bool) -> Self {
        let listens = policy.nested == Nested::Inner;
        let will_retry = will_retry && policy.nested == Nested::Outer;
        if !listens && !will_retry {
            return Self::Silent;
        }
        let frame = Frame { rules: policy.rules.clone(), will_retry, retried_inside: false };
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

/// Whether a session around this one will retry what `retries` says that its rules retry.
#[inline]
pub(super) fn left_to_outer(policy: &Policy, retries: impl Fn(&Rules) -> bool) -> Option<Reason> {
    if policy.nested != Nested::Outer {
        return None;
    }
    if PLAIN.get() > 0 && retries(&Rules::DEFAULT) {
        return Some(Reason::LeftToOuter);
    }
    if FRAMED.get() == 0 || !framed_will_retry(retries) {
        return None;
    }
    Some(Reason::LeftToOuter)
}

#[cold]
fn framed_will_retry(retries: impl Fn(&Rules) -> bool) -> bool {
    // Telling facts is the user's code, which may run sessions itself: hold no borrow.
    let rules_of = |index: usize| {
        FRAMES.with_borrow(|frames| {
            frames.get(index).map(|frame| frame.will_retry.then(|| frame.rules.clone()))
        })
    };
    (0..).map_while(rules_of).flatten().any(|rules| retries(&rules))
}

/// Tells the session around this one that this one has given up.
pub(super) fn gave_up(reason: Reason) {
    if FRAMED.get() == 0
        || matches!(reason, Reason::Final | Reason::LeftToOuter | Reason::Cancelled)
    {
        return;
    }
    FRAMES.with_borrow_mut(|frames| {
        if let Some(frame) = frames.last_mut() {
            frame.retried_inside = true;
        }
    });
}
