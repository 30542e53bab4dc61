//! Which sessions are under way, and how to call one off by its id (I6).
//!
//! Every session of a registry that takes its time is listed. So listing one must
//! cost little: its place is one that an earlier session has left, texts included;
//! nothing is allocated, and a thread meets its own places first. What only a reader
//! of the list needs, such as the session's id, is made when somebody reads.

use std::cell::Cell;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
#[cfg(feature = "file")]
use std::time::Instant;
use std::time::{Duration, SystemTime};

use event_listener::Event;
#[cfg(feature = "file")]
use event_listener::{EventListener, Listener};
use jiff::Timestamp;
use serde::Serialize;

use super::id::SessionId;
use super::redact::Redactor;
use super::serde_format;
use crate::Moment;
use crate::drive::{CancelHandle, EventKind, Instrument, SessionEvent};
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
pub struct Sessions(Arc<[Mutex<Shard>; SHARDS]>);

/// Threads beyond this many share places.
const SHARDS: usize = 16;

/// A crowd that has passed leaves no more empty places than this in each shard.
const SPARE: usize = 1024;

/// Some of the places, and which of them are empty.
#[derive(Debug, Default)]
struct Shard {
    places: Vec<Place>,
    empty: Vec<usize>,
    /// Told of each that is left, if anybody has asked to be.
    ended: Option<Event>,
    /// Whether sessions are called off when they come.
    closed: bool,
}

/// A place in the list. Its texts and its handle are used again.
#[derive(Debug, Default)]
struct Place {
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
    #[serde(serialize_with = "serde_format::time::serialize")]
    pub start_time: Timestamp,
    /// What it is doing.
    pub state: SessionState,
    /// How long it waits, if it does.
    #[serde(serialize_with = "serde_format::maybe_seconds::serialize")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delay: Option<Duration>,
    /// Whether it has been called off and not ended yet.
    pub cancelled: bool,
}

/// What a session under way is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SessionState {
    /// It has not made its first attempt yet.
    #[default]
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
        let shard = own_shard();
        let (place, handle) = self.shard(shard).take(operation, policy);
        Tracked { sessions: self.clone(), shard, place: Some(place), handle }
    }

    /// All of them, oldest first.
    #[must_use]
    pub fn list(&self) -> Vec<ActiveSession> {
        let mut all = Vec::new();
        for shard in 0..SHARDS {
            all.extend(self.shard(shard).taken().map(Place::show));
        }
        all.sort_by_key(|session| (session.start_time, session.session_id));
        all
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        (0..SHARDS).map(|shard| self.shard(shard).taken().count()).sum()
    }

    /// The one with this id, if it is under way.
    #[must_use]
    pub fn get(&self, id: SessionId) -> Option<ActiveSession> {
        self.find(id, Place::show)
    }

    /// Calls a session off; says whether it was under way. It ends with the reason
    /// `cancelled`, at once if it waits.
    pub fn cancel(&self, id: SessionId) -> bool {
        let handle = self.find(id, |place| place.handle.clone());
        handle.inspect(CancelHandle::cancel).is_some()
    }

    /// Calls all of them off; says how many they were.
    pub fn cancel_all(&self) -> usize {
        self.cancel_each(|_| {})
    }

    /// The same, and whoever comes from now on is called off on arrival: a session that has
    /// begun before may be listed only after, when it lingers.
    #[cfg(feature = "file")]
    pub(crate) fn close(&self) -> usize {
        self.cancel_each(|shard| shard.closed = true)
    }

    fn cancel_each(&self, before: impl Fn(&mut Shard)) -> usize {
        let mut handles = Vec::new();
        for shard in 0..SHARDS {
            let mut shard = self.shard(shard);
            before(&mut shard);
            handles.extend(shard.taken().map(|place| place.handle.clone()));
        }
        handles.iter().for_each(CancelHandle::cancel);
        handles.len()
    }

    /// Waits until there are none.
    #[cfg(all(feature = "file", feature = "tokio"))]
    pub(crate) async fn ended(&self) {
        while let Some(end) = self.next_end() {
            end.await;
        }
    }

    /// Waits until there are none, or no longer than this.
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

    /// The end of a session that is under way now.
    #[cfg(feature = "file")]
    fn next_end(&self) -> Option<EventListener> {
        (0..SHARDS).find_map(|shard| {
            let mut shard = self.shard(shard);
            let listener = shard.ended.get_or_insert_default().listen();
            (shard.taken().count() > 0).then_some(listener)
        })
    }

    fn find<T>(&self, id: SessionId, show: impl Fn(&mut Place) -> T) -> Option<T> {
        (0..SHARDS).find_map(|shard| {
            let mut shard = self.shard(shard);
            let place = shard.taken().find(|place| place.id == Some(id))?;
            Some(show(place))
        })
    }

    /// Nothing that is done under the lock leaves a place half changed.
    #[inline]
    fn shard(&self, shard: usize) -> MutexGuard<'_, Shard> {
        let [first, ..] = &*self.0;
        self.0.get(shard).unwrap_or(first).lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The shard that this thread begins its sessions in.
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
            self.places.push(Place::default());
            self.places.len() - 1
        });
        let handle = match self.places.get_mut(index) {
            Some(place) => place.settle(operation, policy),
            None => CancelHandle::new(),
        };
        if self.closed {
            handle.cancel();
        }
        (index, handle)
    }

    fn taken(&mut self) -> impl Iterator<Item = &mut Place> {
        self.places.iter_mut().filter(|place| place.taken)
    }

    #[inline]
    fn leave(&mut self, index: usize) {
        let Some(place) = self.places.get_mut(index) else {
            return;
        };
        place.taken = false;
        self.empty.push(index);
        if let Some(ended) = &self.ended {
            ended.notify(usize::MAX);
        }
        if self.places.len() > SPARE && self.empty.len() == self.places.len() {
            self.shrink();
        }
    }

    #[cold]
    fn shrink(&mut self) {
        (self.places, self.empty) = (Vec::new(), Vec::new());
    }
}

impl Place {
    fn settle(&mut self, operation: &str, policy: &Policy) -> CancelHandle {
        self.taken = true;
        self.id = None;
        write_over(&mut self.operation, operation);
        match policy.id() {
            Some(id) => write_over(self.policy.get_or_insert_default(), id),
            None => self.policy = None,
        }
        self.attempt = 1;
        self.max_attempts = policy.max_attempts();
        self.began = Some(SystemTime::now());
        self.state = SessionState::Starting;
        self.delay = None;
        // Somebody may still hold the handle of the session before.
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
fn write_over(text: &mut String, new: &str) {
    text.clear();
    text.push_str(new);
}

/// A session that is listed. Made by [`Sessions::track`].
#[derive(Debug)]
pub struct Tracked {
    sessions: Sessions,
    shard: usize,
    /// Its place, until it ends: then that is another's.
    place: Option<usize>,
    handle: CancelHandle,
}

impl Tracked {
    /// The session's id.
    #[must_use]
    pub fn id(&self) -> SessionId {
        let id = self.with(|place| *place.id.get_or_insert_with(SessionId::fresh));
        id.unwrap_or_else(SessionId::fresh)
    }

    /// What calls the session off.
    #[must_use]
    pub fn handle(&self) -> &CancelHandle {
        &self.handle
    }

    fn with<T>(&self, change: impl FnOnce(&mut Place) -> T) -> Option<T> {
        self.sessions.shard(self.shard).places.get_mut(self.place?).map(change)
    }

    fn leave(&mut self) {
        if let Some(place) = self.place.take() {
            self.sessions.shard(self.shard).leave(place);
        }
    }
}

impl Drop for Tracked {
    fn drop(&mut self) {
        self.leave();
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
        self.with(|place| (place.state, place.delay) = (SessionState::Attempting, None));
        Ok(())
    }

    fn observe(&mut self, happening: &SessionEvent<'_>) {
        match happening.kind {
            EventKind::Retrying { judgement, delay, .. } => {
                let counted = u32::from(!judgement.is_hinted_wait());
                self.with(|place| {
                    place.attempt = happening.attempt.saturating_add(counted);
                    (place.state, place.delay) = (SessionState::Waiting, Some(delay));
                });
            }
            EventKind::GaveUp { .. } | EventKind::Succeeded | EventKind::Dropped => self.leave(),
            EventKind::Breaker(_) => {}
        }
    }
}
