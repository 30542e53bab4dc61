//! Makes events and a record of one session, and hands them on (O1, I6).

use std::panic::{self, AssertUnwindSafe};
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};

use super::attempts::Attempts;
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

/// Records one session: its events as they happen, and all of it when it ends.
///
/// Secrets are [redacted](Redactor) before anything reaches the [`Sink`]; a sink that panics
/// does no harm to the session. A session that was cancelled or dropped is recorded as
/// cancelled. One that a breaker ended before its first attempt has no record, as a
/// rejection is no attempt and a record has at least one; its event tells of it. Nor has one
/// whose operation panics on the blocking driver: there is nobody left to tell of it.
///
/// What the session returns is in the record if
/// [`record_result`](crate::Retry::record_result) is asked for.
///
/// Give it to the session after its guards: then it is told of an attempt only when they
/// have let it pass.
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
pub struct Recorder<S: Sink> {
    sink: S,
    id: SessionId,
    correlation_id: Option<String>,
    component: String,
    context: Option<Map<String, Value>>,
    redactor: Option<Redactor>,
    calendar: Calendar,
    /// The latest moment that is known.
    latest: Moment,
    /// Known from the first thing that happens on.
    subject: Option<Subject>,
    attempts: Attempts,
    /// What is told when the next attempt begins.
    announced: Option<Event>,
    /// What the session returns, if it shows it.
    result: Option<Value>,
}

impl<S: Sink> Recorder<S> {
    /// Records a session, under a fresh id, to this sink.
    #[must_use]
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
            attempts: Attempts::default(),
            announced: None,
            result: None,
        }
    }

    /// The session's id.
    #[must_use]
    pub fn id(&self) -> SessionId {
        self.id
    }

    /// Another id for the session, such as that of a [tracked](super::Sessions) one.
    #[must_use]
    pub fn session_id(mut self, id: SessionId) -> Self {
        self.id = id;
        self
    }

    /// What follows the request through several systems. Otherwise it is the session's id.
    #[must_use]
    pub fn correlation_id(mut self, id: impl Into<String>) -> Self {
        self.correlation_id = Some(id.into());
        self
    }

    /// The part of the program that retries. Otherwise it is `steadfast`.
    #[must_use]
    pub fn component(mut self, component: impl Into<String>) -> Self {
        self.component = component.into();
        self
    }

    /// Something else that is worth knowing of the session.
    #[must_use]
    pub fn context(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.context.get_or_insert_default().insert(key.into(), value.into());
        self
    }

    /// How secrets are redacted, instead of as [installed](Redactor::install).
    #[must_use]
    pub fn redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = Some(redactor);
        self
    }

    /// When the session begins, instead of when it does.
    #[must_use]
    pub fn starting_at(mut self, at: Timestamp) -> Self {
        self.calendar = Calendar::beginning(at);
        self
    }

    fn subject(&mut self, happening: &SessionEvent<'_>) -> &Subject {
        let (id, correlation_id, component) = (self.id, &self.correlation_id, &self.component);
        self.subject.get_or_insert_with(|| {
            let (policy, operation) = (happening.policy, happening.operation);
            Subject::of(policy, operation, id.to_string(), correlation_id.as_deref(), &**component)
        })
    }

    fn event(&mut self, event_type: EventType, happening: &SessionEvent<'_>) -> Event {
        let at = self.calendar.at(self.latest);
        let mut event = Event::new(event_type, at, self.subject(happening));
        event.context.clone_from(&self.context);
        event
    }

    /// A panic of the sink has been reported by the panic hook; there is nothing to add.
    fn tell(&self, mut event: Event) {
        self.secrets().event(&mut event);
        let _ = panic::catch_unwind(AssertUnwindSafe(|| self.sink.event(event)));
    }

    fn secrets(&self) -> &Redactor {
        match &self.redactor {
            Some(own) => own,
            None => Redactor::installed(),
        }
    }

    fn retrying(
        &mut self,
        happening: &SessionEvent<'_>,
        fault: &Fault,
        next: u32,
        delay: Duration,
    ) {
        let Some(why) = Why::of(happening) else {
            return;
        };
        self.attempts.keep_failure(&mut self.calendar, fault, &why);
        self.attempts.delay = delay;
        let mut event = self.event(EventType::RetryAttempt, happening);
        event.attempt = Some(next);
        event.max_attempts = Some(happening.policy.max_attempts().max(next));
        event.delay = Some(delay);
        event.why = Some(why);
        let error = ErrorRecord::of(fault).to_string();
        event.context.get_or_insert_default().insert("last_error".to_owned(), error.into());
        self.announced = Some(event);
    }

    fn gave_up(&mut self, happening: &SessionEvent<'_>, reason: Reason, fault: Option<&Fault>) {
        let Some(why) = Why::of(happening) else {
            return;
        };
        let mut event = self.event(EventType::RetryFailure, happening);
        event.error = fault.map(ErrorRecord::of);
        let failed =
            fault.is_some_and(|fault| self.attempts.keep_failure(&mut self.calendar, fault, &why));
        if failed {
            event.attempt = Some(happening.attempt);
            event.max_attempts = Some(happening.policy.max_attempts().max(happening.attempt));
        } else if reason == Reason::Cancelled {
            let error = cut_off(matches!(happening.kind, EventKind::Dropped));
            self.attempts.keep_cut_off(&mut self.calendar, self.latest, &error, &why);
            event.error = Some(error);
        }
        (event.reason, event.why) = (Some(reason), Some(why));
        self.tell(event);
        self.end(happening, |session, at| session.gave_up(at, reason));
    }

    fn succeeded(&mut self, happening: &SessionEvent<'_>) {
        if self.attempts.were_repeated() {
            let mut event = self.event(EventType::RetrySuccess, happening);
            event.attempt = Some(happening.attempt);
            event.max_attempts = Some(happening.policy.max_attempts().max(happening.attempt));
            self.tell(event);
        }
        self.end(happening, Session::succeeded);
    }

    /// The session is over.
    fn end(&mut self, happening: &SessionEvent<'_>, end: impl FnOnce(&mut Session, Timestamp)) {
        if self.attempts.kept.is_empty() {
            return;
        }
        let start = self.calendar.start(self.latest);
        let mut session = Session::new(self.subject(happening), start);
        session.attempts = std::mem::take(&mut self.attempts.kept);
        session.forgotten_attempts = self.attempts.forgotten;
        session.context = self.context.take();
        session.final_result = self.result.take();
        session.subsystem = mapped_subsystem(happening);
        end(&mut session, self.calendar.at(self.latest));
        self.secrets().session(&mut session);
        let _ = panic::catch_unwind(AssertUnwindSafe(|| self.sink.session(session)));
    }
}

/// What a registry found the policy under, if the operation's own name says otherwise.
fn mapped_subsystem(happening: &SessionEvent<'_>) -> Option<String> {
    let (mapped, _) = happening.found_by?.split_once('.')?;
    (mapped != subsystem(happening.operation)).then(|| mapped.to_owned())
}

/// The error of an attempt that never ended.
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
        if let Some(mut event) = self.announced.take() {
            event.timestamp = at;
            self.tell(event);
        }
        Ok(())
    }

    fn after_success(&mut self, now: impl Fn() -> Moment) -> Option<Transition> {
        self.latest = now();
        self.attempts.keep_success(&mut self.calendar, self.latest);
        None
    }

    /// What cannot be written, or panics on the way, is not known.
    fn returns<T: Serialize>(&mut self, value: &T) {
        let written = panic::catch_unwind(AssertUnwindSafe(|| serde_json::to_value(value)));
        self.result = written.ok().and_then(Result::ok);
    }

    fn after_failure(&mut self, _: Class, now: Moment) -> Option<Transition> {
        self.attempts.fail(now);
        None
    }

    fn abandoned(&mut self) {
        self.attempts.cut_off();
    }

    fn observe(&mut self, happening: &SessionEvent<'_>) {
        // Of a success at once the session itself does not know when it was.
        self.latest = self.latest.max(happening.now);
        match happening.kind {
            EventKind::Retrying { fault, judgement, delay } => {
                let next = happening.attempt.saturating_add((!judgement.is_hinted_wait()).into());
                self.retrying(happening, fault, next, delay);
            }
            EventKind::GaveUp { reason, fault, .. } => self.gave_up(happening, reason, fault),
            EventKind::Dropped => self.gave_up(happening, Reason::Cancelled, None),
            EventKind::Succeeded => self.succeeded(happening),
            EventKind::Breaker(change) => {
                let event_type = match change.to {
                    BreakerState::Open | BreakerState::Isolated => EventType::CircuitBreakerOpened,
                    BreakerState::Closed => EventType::CircuitBreakerClosed,
                    BreakerState::HalfOpen => return,
                };
                let event = self.event(event_type, happening);
                self.tell(event);
            }
        }
    }
}
