//! Which sessions are under way, and how to call one off by its id (I6).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use super::form;
use super::id::SessionId;
use super::redact::Redactor;
use crate::Moment;
use crate::drive::{CancelHandle, Happening, Instrument, What};
use crate::guard::Rejection;
use crate::policy::Policy;

/// The sessions under way in this process. Clones share them.
///
/// ```
/// use steadfast::observe::Sessions;
/// use steadfast::{Policy, Reason, retry};
///
/// let sessions = Sessions::new();
/// let policy = Policy::immediate().build()?;
/// let tracked = sessions.track("storage.save", &policy);
/// assert_eq!(sessions.list()[0].operation, "storage.save");
///
/// assert!(sessions.cancel(tracked.id()));
/// let error = retry(&policy, || Ok::<_, std::io::Error>(()))
///     .cancel_with(tracked.handle())
///     .instrument(tracked)
///     .call()
///     .unwrap_err();
/// assert_eq!(error.reason(), Reason::Cancelled);
/// assert!(sessions.list().is_empty());
/// # Ok::<(), steadfast::policy::PolicyError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sessions(Arc<Mutex<BTreeMap<SessionId, Entry>>>);

#[derive(Debug)]
struct Entry {
    shown: ActiveSession,
    handle: CancelHandle,
}

/// A session under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ActiveSession {
    /// Its id.
    pub session_id: SessionId,
    /// What is tried.
    pub operation: String,
    /// The policy it runs under, if that has an id.
    pub policy_id: Option<String>,
    /// The number of the attempt under way or to come.
    pub attempt: u32,
    /// How many attempts there may be.
    pub max_attempts: u32,
    /// When it began to be tracked.
    #[serde(serialize_with = "form::time::serialize")]
    pub start_time: Timestamp,
    /// What it is doing.
    pub state: SessionState,
    /// How long it waits, if it does.
    #[serde(serialize_with = "form::maybe_seconds::serialize")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Duration>,
    /// Whether it has been called off and not ended yet.
    pub cancelled: bool,
}

/// What a session under way is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SessionState {
    /// It has not made its first attempt yet.
    Starting,
    /// An attempt is under way.
    Attempting,
    /// It waits for its next attempt.
    Waiting,
}

impl SessionState {
    /// Its name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Attempting => "attempting",
            Self::Waiting => "waiting",
        }
    }
}

impl fmt::Display for SessionState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.name().fmt(f)
    }
}

impl Sessions {
    /// No sessions.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lists one more session. It is listed until it ends, or until what this returns is
    /// dropped.
    ///
    /// Give the session both halves: its handle to
    /// [`cancel_with`](crate::Retry::cancel_with), itself to
    /// [`instrument`](crate::Retry::instrument).
    #[must_use = "the session is listed only as long as this lives"]
    pub fn track(&self, operation: &str, policy: &Policy) -> Tracked {
        let id = SessionId::fresh();
        let handle = CancelHandle::new();
        let shown = ActiveSession {
            session_id: id,
            operation: Redactor::installed().text(operation).into_owned(),
            policy_id: policy.id().map(str::to_owned),
            attempt: 1,
            max_attempts: policy.max_attempts(),
            start_time: Timestamp::now(),
            state: SessionState::Starting,
            delay: None,
            cancelled: false,
        };
        self.entries().insert(id, Entry { shown, handle: handle.clone() });
        Tracked { sessions: self.clone(), id, handle }
    }

    /// All of them, oldest first.
    #[must_use]
    pub fn list(&self) -> Vec<ActiveSession> {
        self.entries().values().map(Entry::show).collect()
    }

    /// The one with this id, if it is under way.
    #[must_use]
    pub fn get(&self, id: SessionId) -> Option<ActiveSession> {
        self.entries().get(&id).map(Entry::show)
    }

    /// Calls a session off; says whether it was under way. It ends with the reason
    /// `cancelled`, at once if it waits.
    pub fn cancel(&self, id: SessionId) -> bool {
        let handle = self.entries().get(&id).map(|entry| entry.handle.clone());
        match handle {
            Some(handle) => {
                handle.cancel();
                true
            }
            None => false,
        }
    }

    /// Calls all of them off; says how many they were.
    pub fn cancel_all(&self) -> usize {
        let handles: Vec<_> = self.entries().values().map(|entry| entry.handle.clone()).collect();
        handles.iter().for_each(CancelHandle::cancel);
        handles.len()
    }

    /// Nothing that is done under the lock leaves an entry half changed.
    fn entries(&self) -> MutexGuard<'_, BTreeMap<SessionId, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Entry {
    fn show(&self) -> ActiveSession {
        ActiveSession { cancelled: self.handle.is_cancelled(), ..self.shown.clone() }
    }
}

/// A session that is listed. Made by [`Sessions::track`].
#[derive(Debug)]
pub struct Tracked {
    sessions: Sessions,
    id: SessionId,
    handle: CancelHandle,
}

impl Tracked {
    /// The session's id.
    #[must_use]
    pub fn id(&self) -> SessionId {
        self.id
    }

    /// What calls the session off.
    #[must_use]
    pub fn handle(&self) -> &CancelHandle {
        &self.handle
    }

    fn update(&self, update: impl FnOnce(&mut ActiveSession)) {
        if let Some(entry) = self.sessions.entries().get_mut(&self.id) {
            update(&mut entry.shown);
        }
    }

    fn forget(&self) {
        self.sessions.entries().remove(&self.id);
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        self.forget();
    }
}

impl Instrument for Tracked {
    fn observes(&self) -> bool {
        true
    }

    fn session(&self) -> Option<SessionId> {
        Some(self.id)
    }

    fn before_attempt(&mut self, _: impl Fn() -> Moment) -> Result<(), Rejection> {
        self.update(|shown| (shown.state, shown.delay) = (SessionState::Attempting, None));
        Ok(())
    }

    fn observe(&mut self, happening: &Happening<'_>) {
        match happening.what {
            What::Retrying { judgement, delay, .. } => self.update(|shown| {
                shown.attempt =
                    happening.attempt.saturating_add((!judgement.is_hinted_wait()).into());
                (shown.state, shown.delay) = (SessionState::Waiting, Some(delay));
            }),
            What::GaveUp { .. } | What::Succeeded | What::Dropped => self.forget(),
            What::Breaker(_) => {}
        }
    }
}
