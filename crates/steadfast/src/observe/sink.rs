//! Destinations of events and records.

use std::sync::{Arc, Mutex};

use super::event::Event;
use super::record::Session;
use crate::forward::forward;
use crate::sync::lock;

/// Receives events and records of a [`Recorder`](super::Recorder). The session calls it
/// synchronously, so it must return quickly.
pub trait Sink {
    /// Receives an event.
    fn event(&self, event: Event);

    /// Receives the record of a session that ended.
    fn session(&self, session: Session);
}

impl<S: Sink + ?Sized> Sink for &S {
    forward!(self => (**self); fn event(&self, event: Event); fn session(&self, session: Session););
}

impl<S: Sink + ?Sized> Sink for Arc<S> {
    forward!(self => (**self); fn event(&self, event: Event); fn session(&self, session: Session););
}

/// Sends to both.
impl<A: Sink, B: Sink> Sink for (A, B) {
    fn event(&self, event: Event) {
        self.0.event(event.clone());
        self.1.event(event);
    }

    fn session(&self, session: Session) {
        self.0.session(session.clone());
        self.1.session(session);
    }
}

/// Stores everything in memory, for tests and small programs.
///
/// ```
/// use steadfast::observe::{EventType, Memory, Recorder};
/// use steadfast::{Policy, retry};
///
/// let memory = Memory::default();
/// let policy = Policy::immediate().max_attempts(2).build()?;
/// let down = || Err::<(), _>(std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
/// let _ = retry(&policy, down).instrument(Recorder::new(&memory)).call();
///
/// let types: Vec<_> = memory.events().iter().map(|event| event.event_type).collect();
/// assert_eq!(types, [EventType::RetryAttempt, EventType::RetryFailure]);
/// assert_eq!(memory.sessions()[0].attempts.len(), 2);
/// # Ok::<(), steadfast::policy::PolicyError>(())
/// ```
#[derive(Debug, Default)]
pub struct Memory {
    events: Mutex<Vec<Event>>,
    sessions: Mutex<Vec<Session>>,
}

impl Memory {
    /// The events so far, oldest first.
    #[must_use]
    pub fn events(&self) -> Vec<Event> {
        lock(&self.events).clone()
    }

    /// The sessions so far, in the order of their ends.
    #[must_use]
    pub fn sessions(&self) -> Vec<Session> {
        lock(&self.sessions).clone()
    }
}

impl Sink for Memory {
    fn event(&self, event: Event) {
        lock(&self.events).push(event);
    }

    fn session(&self, session: Session) {
        lock(&self.sessions).push(session);
    }
}
