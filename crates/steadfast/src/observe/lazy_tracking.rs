//! Lazy tracking of sessions.
//!
//! Most sessions succeed at once, before a list could show them. A session of a registry is
//! therefore listed only when it takes time: when an attempt blocks its thread, is pending, or has
//! failed.

use super::id::SessionId;
use super::sessions::{Sessions, Tracked};
use crate::drive::{CancelHandle, EventKind, Instrument, SessionEvent};
use crate::guard::{Rejection, Transition};
use crate::policy::Policy;
use crate::{Class, Moment};

/// A session that is listed as soon as it takes time.
#[derive(Debug)]
pub struct LazyTracked {
    sessions: Sessions,
    tracked: Option<Tracked>,
    /// Whether the session has its cancel handle.
    is_cancellable: bool,
    has_failed: bool,
}

impl LazyTracked {
    /// A session to be listed here.
    #[inline]
    pub(crate) fn new(sessions: Sessions) -> Self {
        Self { sessions, tracked: None, is_cancellable: false, has_failed: false }
    }

    /// Lists it as attempting, unless it is listed already.
    #[cold]
    fn track(&mut self, operation: &str, policy: &Policy) -> &Tracked {
        self.tracked.get_or_insert_with(|| {
            let mut tracked = self.sessions.track(operation, policy);
            let _ = tracked.before_attempt(|| Moment::ORIGIN);
            tracked
        })
    }
}

impl Instrument for LazyTracked {
    /// A success at the first attempt is not observed.
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

    fn observe(&mut self, session_event: &SessionEvent<'_>) {
        if let EventKind::Retrying { .. } = session_event.kind {
            self.track(session_event.operation, session_event.policy);
        }
        self.tracked.observe(session_event);
    }
}
