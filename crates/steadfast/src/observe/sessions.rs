//! The list of sessions in progress, with cancellation by id (I6).
//!
//! Every session of a registry that takes time is listed, so listing must be cheap: a session reuses
//! the slot and the strings of an earlier one, nothing is allocated, and each thread has its own
//! shard. Values that only a reader of the list needs, such as the id, are created on read.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
#[cfg(feature = "file")]
use std::time::Instant;
use std::time::{Duration, SystemTime};

#[cfg(feature = "file")]
use event_listener::{Event, EventListener, Listener};
use jiff::Timestamp;
use serde::Serialize;

use super::id::SessionId;
use super::redact::Redactor;
use super::serde_format;
use crate::Moment;
use crate::drive::{CancelHandle, EventKind, Instrument, SessionEvent};
use crate::guard::Rejection;
use crate::named_enum::named_enum;
use crate::policy::Policy;
use crate::sync::lock;

/// The sessions in progress in this process. Clones share the list.
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
pub struct Sessions(Arc<[Mutex<Shard>; SHARDS]>);

/// The number of shards; more threads share them.
const SHARDS: usize = 16;

/// The most idle slots in a shard before it shrinks.
const MAX_IDLE_SLOTS: usize = 1024;

#[derive(Debug, Default)]
struct Shard {
    slots: Vec<Slot>,
    empty: Vec<usize>,
    /// Notified when a session ends, if there is a listener.
    #[cfg(feature = "file")]
    ended: Option<Event>,
    /// Whether new sessions are cancelled.
    closed: bool,
}

/// A slot in the list. Its strings and its handle are reused.
#[derive(Debug, Default)]
struct Slot {
    taken: bool,
    id: Option<SessionId>,
    operation: String,
    policy: Option<String>,
    attempt: u32,
    max_attempts: u32,
    began: Option<SystemTime>,
    state: SessionState,
    delay: Option<Duration>,
    handle: CancelHandle,
}

/// A session in progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ActiveSession {
    /// Its id.
    pub session_id: SessionId,
    /// The operation.
    pub operation: String,
    /// The id of its policy, if it has one.
    pub policy_id: Option<String>,
    /// The number of the current or next attempt.
    pub attempt: u32,
    /// The limit of attempts.
    pub max_attempts: u32,
    /// The start of its tracking.
    #[serde(serialize_with = "serde_format::time::serialize")]
    pub start_time: Timestamp,
    /// Its state.
    pub state: SessionState,
    /// The current delay, if it waits.
    #[serde(serialize_with = "serde_format::maybe_seconds::serialize")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Duration>,
    /// Whether it is cancelled and has not ended yet.
    pub cancelled: bool,
}

named_enum! {
    /// The state of a session in progress.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
    #[non_exhaustive]
    pub enum SessionState by name {
        /// Before the first attempt.
        #[default]
        Starting = "starting",
        /// An attempt is running.
        Attempting = "attempting",
        /// Waiting for the next attempt.
        Waiting = "waiting",
    }
}

impl Sessions {
    /// An empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lists a session until it ends or the returned value is dropped.
    ///
    /// Pass its handle to [`cancel_with`](crate::Retry::cancel_with) and itself to
    /// [`instrument`](crate::Retry::instrument).
    #[must_use = "the session is listed only as long as this lives"]
    pub fn track(&self, operation: &str, policy: &Policy) -> Tracked {
        let shard = own_shard();
        let (slot, handle) = self.shard(shard).take(operation, policy);
        Tracked { sessions: self.clone(), shard, slot: Some(slot), handle }
    }

    /// All sessions, oldest first.
    #[must_use]
    pub fn list(&self) -> Vec<ActiveSession> {
        let mut all = Vec::new();
        for shard in 0..SHARDS {
            all.extend(self.shard(shard).taken().map(Slot::show));
        }
        all.sort_by_key(|session| (session.start_time, session.session_id));
        all
    }

    /// The number of sessions.
    #[must_use]
    pub fn count(&self) -> usize {
        (0..SHARDS).map(|shard| self.shard(shard).taken().count()).sum()
    }

    /// The session with this id, if it is in progress.
    #[must_use]
    pub fn get(&self, id: SessionId) -> Option<ActiveSession> {
        self.find(id, Slot::show)
    }

    /// Cancels a session. It ends with the reason `cancelled`, at once if it waits. Returns whether
    /// it was in progress.
    pub fn cancel(&self, id: SessionId) -> bool {
        let handle = self.find(id, |slot| slot.handle.clone());
        handle.inspect(CancelHandle::cancel).is_some()
    }

    /// Cancels all sessions. Returns their number.
    pub fn cancel_all(&self) -> usize {
        self.cancel_each(|_| {})
    }

    /// Cancels all sessions, and every session that is listed later.
    #[cfg(feature = "file")]
    pub(crate) fn close(&self) -> usize {
        self.cancel_each(|shard| shard.closed = true)
    }

    fn cancel_each(&self, before: impl Fn(&mut Shard)) -> usize {
        let mut handles = Vec::new();
        for shard in 0..SHARDS {
            let mut shard = self.shard(shard);
            before(&mut shard);
            handles.extend(shard.taken().map(|slot| slot.handle.clone()));
        }
        handles.iter().for_each(CancelHandle::cancel);
        handles.len()
    }

    /// Waits until no session is left.
    #[cfg(all(feature = "file", feature = "tokio"))]
    pub(crate) async fn ended(&self) {
        while let Some(end) = self.next_end() {
            end.await;
        }
    }

    /// Waits until no session is left, or until the deadline.
    #[cfg(feature = "file")]
    pub(crate) fn wait_until_ended(&self, deadline: Option<Instant>) {
        while let Some(end) = self.next_end() {
            match deadline {
                None => end.wait(),
                Some(deadline) if end.wait_deadline(deadline).is_none() => return,
                Some(_) => {}
            }
        }
    }

    /// A listener for the end of a session, if one is in progress.
    #[cfg(feature = "file")]
    fn next_end(&self) -> Option<EventListener> {
        (0..SHARDS).find_map(|shard| {
            let mut shard = self.shard(shard);
            let listener = shard.ended.get_or_insert_default().listen();
            (shard.taken().count() > 0).then_some(listener)
        })
    }

    fn find<T>(&self, id: SessionId, show: impl Fn(&mut Slot) -> T) -> Option<T> {
        (0..SHARDS).find_map(|shard| {
            let mut shard = self.shard(shard);
            let slot = shard.taken().find(|slot| slot.id == Some(id))?;
            Some(show(slot))
        })
    }

    #[inline]
    fn shard(&self, shard: usize) -> MutexGuard<'_, Shard> {
        let [first, ..] = &*self.0;
        lock(self.0.get(shard).unwrap_or(first))
    }
}

#[inline]
fn own_shard() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    const UNKNOWN: usize = usize::MAX;
    thread_local! {
        static OWN: Cell<usize> = const { Cell::new(UNKNOWN) };
    }
    OWN.with(|own| {
        if own.get() == UNKNOWN {
            own.set(NEXT.fetch_add(1, Ordering::Relaxed) % SHARDS);
        }
        own.get()
    })
}

impl Shard {
    fn take(&mut self, operation: &str, policy: &Policy) -> (usize, CancelHandle) {
        let index = self.empty.pop().unwrap_or_else(|| {
            self.slots.push(Slot::default());
            self.slots.len() - 1
        });
        let handle = match self.slots.get_mut(index) {
            Some(slot) => slot.occupy(operation, policy),
            None => CancelHandle::new(),
        };
        if self.closed {
            handle.cancel();
        }
        (index, handle)
    }

    fn taken(&mut self) -> impl Iterator<Item = &mut Slot> {
        self.slots.iter_mut().filter(|slot| slot.taken)
    }

    #[inline]
    fn release(&mut self, index: usize) {
        let Some(slot) = self.slots.get_mut(index) else {
            return;
        };
        slot.taken = false;
        self.empty.push(index);
        #[cfg(feature = "file")]
        if let Some(ended) = &self.ended {
            ended.notify(usize::MAX);
        }
        if self.slots.len() > MAX_IDLE_SLOTS && self.empty.len() == self.slots.len() {
            self.shrink();
        }
    }

    #[cold]
    fn shrink(&mut self) {
        (self.slots, self.empty) = (Vec::new(), Vec::new());
    }
}

impl Slot {
    fn occupy(&mut self, operation: &str, policy: &Policy) -> CancelHandle {
        self.taken = true;
        self.id = None;
        overwrite(&mut self.operation, operation);
        match policy.id() {
            Some(id) => overwrite(self.policy.get_or_insert_default(), id),
            None => self.policy = None,
        }
        self.attempt = 1;
        self.max_attempts = policy.max_attempts();
        self.began = Some(SystemTime::now());
        self.state = SessionState::Starting;
        self.delay = None;
        // A caller may still hold the handle of the previous session.
        if !self.handle.is_unused() {
            self.handle = CancelHandle::new();
        }
        self.handle.clone()
    }

    fn show(&mut self) -> ActiveSession {
        let began = self.began.and_then(|began| Timestamp::try_from(began).ok());
        ActiveSession {
            session_id: *self.id.get_or_insert_with(SessionId::fresh),
            operation: Redactor::installed().text(&self.operation).into_owned(),
            policy_id: self.policy.clone(),
            attempt: self.attempt,
            max_attempts: self.max_attempts,
            start_time: began.unwrap_or_default(),
            state: self.state,
            delay: self.delay,
            cancelled: self.handle.is_cancelled(),
        }
    }
}

#[inline]
fn overwrite(text: &mut String, new: &str) {
    text.clear();
    text.push_str(new);
}

/// A listed session. Created by [`Sessions::track`].
#[derive(Debug)]
pub struct Tracked {
    sessions: Sessions,
    shard: usize,
    /// Its slot, until it ends.
    slot: Option<usize>,
    handle: CancelHandle,
}

impl Tracked {
    /// The session's id.
    #[must_use]
    pub fn id(&self) -> SessionId {
        let id = self.with(|slot| *slot.id.get_or_insert_with(SessionId::fresh));
        id.unwrap_or_else(SessionId::fresh)
    }

    /// The handle that cancels the session.
    #[must_use]
    pub fn handle(&self) -> &CancelHandle {
        &self.handle
    }

    fn with<T>(&self, change: impl FnOnce(&mut Slot) -> T) -> Option<T> {
        self.sessions.shard(self.shard).slots.get_mut(self.slot?).map(change)
    }

    fn release(&mut self) {
        if let Some(slot) = self.slot.take() {
            self.sessions.shard(self.shard).release(slot);
        }
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        self.release();
    }
}

impl Instrument for Tracked {
    fn observes(&self) -> bool {
        true
    }

    fn session(&self) -> Option<SessionId> {
        Some(self.id())
    }

    fn before_attempt(&mut self, _: impl Fn() -> Moment) -> Result<(), Rejection> {
        self.with(|slot| (slot.state, slot.delay) = (SessionState::Attempting, None));
        Ok(())
    }

    fn observe(&mut self, session_event: &SessionEvent<'_>) {
        match session_event.kind {
            EventKind::Retrying { delay, next_attempt, .. } => {
                self.with(|slot| {
                    slot.attempt = next_attempt;
                    (slot.state, slot.delay) = (SessionState::Waiting, Some(delay));
                });
            }
            EventKind::Rejected { delay, .. } => {
                self.with(|slot| (slot.state, slot.delay) = (SessionState::Waiting, Some(delay)));
            }
            EventKind::GaveUp { .. } | EventKind::Succeeded | EventKind::Dropped => self.release(),
            EventKind::Breaker(_) => {}
        }
    }
}
