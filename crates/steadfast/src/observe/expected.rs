//! A session that will be listed, should it last.
//!
//! Most sessions succeed at once, before anybody could have seen them in a list. So
//! one that was found by name takes its place there only when it lingers: when an
//! attempt blocks its thread, has to be waited for, or has failed.

use super::id::SessionId;
use super::sessions::{Sessions, Tracked};
use crate::drive::{CancelHandle, EventKind, Instrument, SessionEvent};
use crate::guard::{Rejection, Transition};
use crate::policy::Policy;
use crate::{Class, Moment};

/// A session that is listed as soon as it lingers.
#[derive(Debug)]
pub struct Expected {
    sessions: Sessions,
    tracked: Option<Tracked>,
    /// Whether the session has got the handle that calls it off.
    is_cancellable: bool,
    has_failed: bool,
}

impl Expected {
    /// A session that is to be listed here.
    #[inline]
    pub(crate) fn new(sessions: Sessions) -> Self {
        Self { sessions, tracked: None, is_cancellable: false, has_failed: false }
    }

    /// Lists it, in an attempt, unless it is listed already.
    #[cold]
    fn track(&mut self, operation: &str, policy: &Policy) -> &Tracked {
        self.tracked.get_or_insert_with(|| {
            let mut tracked = self.sessions.track(operation, policy);
            let _ = tracked.before_attempt(|| Moment::ORIGIN);
            tracked
        })
    }
}

impl Instrument for Expected {
    /// A success at once is nothing to tell.
    #[inline]
    fn observes(&self) -> bool {
        self.has_failed || self.tracked.is_some()
    }

    fn session(&self) -> Option<SessionId> {
        self.tracked.session()
    }

    #[inline]
    fn before_wait(&mut self, operation: Option<&str>, policy: &Policy) -> Option<CancelHandle> {
        if self.is_cancellable {
            return None;
        }
        self.is_cancellable = true;
        Some(self.track(operation.unwrap_or_default(), policy).handle().clone())
    }

    #[inline(always)]
    fn before_attempt(&mut self, now: impl Fn() -> Moment) -> Result<(), Rejection> {
        match &mut self.tracked {
            None => Ok(()),
            Some(tracked) => tracked.before_attempt(now),
        }
    }

    fn after_failure(&mut self, _: Class, _: Moment) -> Option<Transition> {
        self.has_failed = true;
        None
    }

    fn observe(&mut self, happening: &SessionEvent<'_>) {
        if let EventKind::Retrying { .. } = happening.kind {
            self.track(happening.operation, happening.policy);
        }
        self.tracked.observe(happening);
    }
}
