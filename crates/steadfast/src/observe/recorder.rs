//! A recorder of a session's events and record (O1, I6).

use std::panic::{self, AssertUnwindSafe};
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};

use super::attempt_log::AttemptLog;
use super::clock::Calendar;
use super::error::ErrorRecord;
use super::event::{Event, EventType, Subject};
use super::id::SessionId;
use super::metrics_summary::subsystem;
use super::record::Session;
use super::redact::Redactor;
use super::sink::Sink;
use super::why::Why;
use crate::drive::{EventKind, Instrument, SessionEvent};
use crate::guard::breaker::BreakerState;
use crate::guard::{Rejection, Transition};
use crate::{Class, Fault, Moment, Reason};

/// Records one session: its events as they happen, and its record when it ends.
///
/// Secrets are [redacted](Redactor) before the [`Sink`] receives anything; a panic of the sink does
/// not affect the session. A session that was cancelled or dropped is recorded as cancelled. A
/// session that a breaker rejects before its first attempt has an event but no record, because a
/// record has at least one attempt. A session whose operation panics on the blocking driver has no
/// record either.
///
/// The record includes the session's result with
/// [`record_result`](crate::Retry::record_result).
///
/// Attach it after the guards, so that it only observes attempts that they permit.
///
/// ```
/// use steadfast::observe::{Memory, Recorder};
/// use steadfast::{Policy, Reason, retry};
///
/// let memory = Memory::default();
/// let policy = Policy::immediate().max_attempts(2).build()?;
/// let down = || Err::<(), _>(std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
/// let recorder = Recorder::new(&memory).correlation_id("request-7").context("user", "u1");
/// let _ = retry(&policy, down).named("storage.save").instrument(recorder).call();
///
/// let session = &memory.sessions()[0];
/// assert_eq!((session.success, session.reason), (false, Some(Reason::AttemptsExhausted)));
/// let why = session.attempts[1].why.as_ref().unwrap();
/// assert_eq!(
///     why.to_string(),
///     "rule `connection` (default) makes it retryable; max_attempts 2 reached",
/// );
/// # Ok::<(), steadfast::policy::PolicyError>(())
/// ```
#[derive(Debug)]
#[must_use = "attach it to a session"]
pub struct Recorder<S: Sink> {
    sink: S,
    id: SessionId,
    correlation_id: Option<String>,
    component: String,
    context: Option<Map<String, Value>>,
    redactor: Option<Redactor>,
    calendar: Calendar,
    /// The latest moment so far.
    latest: Moment,
    /// Set by the first event.
    subject: Option<Subject>,
    attempts: AttemptLog,
    /// The event to emit when the next attempt starts.
    pending: Option<Event>,
    /// The session's result, if it is recorded.
    result: Option<Value>,
}

impl<S: Sink> Recorder<S> {
    /// Records a session with a new id to this sink.
    pub fn new(sink: S) -> Self {
        Self {
            sink,
            id: SessionId::fresh(),
            correlation_id: None,
            component: "steadfast".to_owned(),
            context: None,
            redactor: None,
            calendar: Calendar::default(),
            latest: Moment::ORIGIN,
            subject: None,
            attempts: AttemptLog::default(),
            pending: None,
            result: None,
        }
    }

    /// The session's id.
    #[must_use]
    pub fn id(&self) -> SessionId {
        self.id
    }

    /// Sets the session's id, such as that of a [tracked](super::Sessions) session.
    pub fn session_id(mut self, id: SessionId) -> Self {
        self.id = id;
        self
    }

    /// Sets the correlation id; default: the session's id.
    pub fn correlation_id(mut self, id: impl Into<String>) -> Self {
        self.correlation_id = Some(id.into());
        self
    }

    /// Sets the component that retries; default: `steadfast`.
    pub fn component(mut self, component: impl Into<String>) -> Self {
        self.component = component.into();
        self
    }

    /// Adds context.
    pub fn context(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.context.get_or_insert_default().insert(key.into(), value.into());
        self
    }

    /// Sets the redactor; default: the [installed](Redactor::install) one.
    pub fn redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = Some(redactor);
        self
    }

    /// Sets the start of the session; default: its actual start.
    pub fn starting_at(mut self, at: Timestamp) -> Self {
        self.calendar = Calendar::beginning(at);
        self
    }

    fn subject(&mut self, session_event: &SessionEvent<'_>) -> &Subject {
        let (id, correlation_id, component) = (self.id, &self.correlation_id, &self.component);
        self.subject.get_or_insert_with(|| {
            let (policy, operation) = (session_event.policy, session_event.operation);
            Subject::of(policy, operation, id.to_string(), correlation_id.as_deref(), &**component)
        })
    }

    fn event(&mut self, event_type: EventType, session_event: &SessionEvent<'_>) -> Event {
        let at = self.calendar.at(self.latest);
        let mut event = Event::new(event_type, at, self.subject(session_event));
        event.context.clone_from(&self.context);
        event
    }

    /// The panic hook has already reported a panic of the sink.
    fn emit(&self, mut event: Event) {
        self.active_redactor().event(&mut event);
        let _ = panic::catch_unwind(AssertUnwindSafe(|| self.sink.event(event)));
    }

    fn active_redactor(&self) -> &Redactor {
        match &self.redactor {
            Some(redactor) => redactor,
            None => Redactor::installed(),
        }
    }

    fn retrying(
        &mut self,
        session_event: &SessionEvent<'_>,
        fault: &Fault,
        next: u32,
        delay: Duration,
    ) {
        let Some(why) = Why::of(session_event) else {
            return;
        };
        self.attempts.record_failure(&mut self.calendar, fault, &why);
        self.attempts.delay = delay;
        let mut event = self.event(EventType::RetryAttempt, session_event);
        set_attempt(&mut event, session_event, next);
        event.delay = Some(delay);
        event.why = Some(why);
        let error = ErrorRecord::of(fault).to_string();
        event.context.get_or_insert_default().insert("last_error".to_owned(), error.into());
        self.pending = Some(event);
    }

    fn gave_up(&mut self, session_event: &SessionEvent<'_>, reason: Reason, fault: Option<&Fault>) {
        let Some(why) = Why::of(session_event) else {
            return;
        };
        let mut event = self.event(EventType::RetryFailure, session_event);
        event.error = fault.map(ErrorRecord::of);
        let failed = fault
            .is_some_and(|fault| self.attempts.record_failure(&mut self.calendar, fault, &why));
        if failed {
            set_attempt(&mut event, session_event, session_event.attempt);
        } else if reason == Reason::Cancelled {
            let error = cut_off(matches!(session_event.kind, EventKind::Dropped));
            self.attempts.record_cut_off(&mut self.calendar, self.latest, &error, &why);
            event.error = Some(error);
        }
        (event.reason, event.why) = (Some(reason), Some(why));
        self.emit(event);
        self.end(session_event, |session, at| session.gave_up(at, reason));
    }

    fn succeeded(&mut self, session_event: &SessionEvent<'_>) {
        if self.attempts.has_retries() {
            let mut event = self.event(EventType::RetrySuccess, session_event);
            set_attempt(&mut event, session_event, session_event.attempt);
            self.emit(event);
        }
        self.end(session_event, Session::succeeded);
    }

    /// Sends the record.
    fn end(&mut self, session_event: &SessionEvent<'_>, end: impl FnOnce(&mut Session, Timestamp)) {
        if self.attempts.records.is_empty() {
            return;
        }
        let start = self.calendar.start(self.latest);
        let mut session = Session::new(self.subject(session_event), start);
        session.attempts = std::mem::take(&mut self.attempts.records);
        session.forgotten_attempts = self.attempts.dropped;
        session.context = self.context.take();
        session.final_result = self.result.take();
        session.subsystem = mapped_subsystem(session_event);
        end(&mut session, self.calendar.at(self.latest));
        self.active_redactor().session(&mut session);
        let _ = panic::catch_unwind(AssertUnwindSafe(|| self.sink.session(session)));
    }
}

fn set_attempt(event: &mut Event, session_event: &SessionEvent<'_>, attempt: u32) {
    event.attempt = Some(attempt);
    event.max_attempts = Some(session_event.policy.max_attempts().max(attempt));
}

/// The subsystem by which a registry found the policy, if it differs from the operation's.
fn mapped_subsystem(session_event: &SessionEvent<'_>) -> Option<String> {
    let (mapped, _) = session_event.found_by?.split_once('.')?;
    (mapped != subsystem(session_event.operation)).then(|| mapped.to_owned())
}

/// The error of an abandoned attempt.
fn cut_off(dropped: bool) -> ErrorRecord {
    if std::thread::panicking() {
        return ErrorRecord::new("panic", "the attempt panicked");
    }
    let how = if dropped { "dropped before its end" } else { "cancelled" };
    ErrorRecord::new("cancelled", format!("the session was {how}"))
}

impl<S: Sink> Instrument for Recorder<S> {
    fn observes(&self) -> bool {
        true
    }

    fn session(&self) -> Option<SessionId> {
        Some(self.id)
    }

    fn before_attempt(&mut self, now: impl Fn() -> Moment) -> Result<(), Rejection> {
        let now = now();
        let at = self.calendar.at(now);
        self.attempts.begin(now);
        if let Some(mut event) = self.pending.take() {
            event.timestamp = at;
            self.emit(event);
        }
        Ok(())
    }

    fn after_success(&mut self, now: impl Fn() -> Moment) -> Option<Transition> {
        self.latest = now();
        self.attempts.record_success(&mut self.calendar, self.latest);
        None
    }

    /// A value that cannot be serialized, or panics, is not recorded.
    fn returns<T: Serialize>(&mut self, value: &T) {
        let json = panic::catch_unwind(AssertUnwindSafe(|| serde_json::to_value(value)));
        self.result = json.ok().and_then(Result::ok);
    }

    fn after_failure(&mut self, _: Class, now: Moment) -> Option<Transition> {
        self.attempts.fail(now);
        None
    }

    fn abandoned(&mut self) {
        self.attempts.cut_off();
    }

    fn observe(&mut self, session_event: &SessionEvent<'_>) {
        // A session that succeeds at once does not read the clock.
        self.latest = self.latest.max(session_event.now);
        match session_event.kind {
            EventKind::Retrying { fault, delay, next_attempt, .. } => {
                self.retrying(session_event, fault, next_attempt, delay);
            }
            EventKind::GaveUp { reason, fault, .. } => self.gave_up(session_event, reason, fault),
            EventKind::Dropped => self.gave_up(session_event, Reason::Cancelled, None),
            EventKind::Succeeded => self.succeeded(session_event),
            EventKind::Rejected { .. } => {}
            EventKind::Breaker(change) => {
                let event_type = match change.to {
                    BreakerState::Open | BreakerState::Isolated => EventType::CircuitBreakerOpened,
                    BreakerState::Closed | BreakerState::Disabled => {
                        EventType::CircuitBreakerClosed
                    }
                    BreakerState::HalfOpen => return,
                };
                let event = self.event(event_type, session_event);
                self.emit(event);
            }
        }
    }
}
