//! What monitoring is told of tasks (O1).
//!
//! The same events as those of a session in a process: a task's session is its id, its operation
//! its kind. Workers here and the door for workers elsewhere make them of what they settle; a
//! plain success is none, so that a store is not filled with good news.

use jiff::Timestamp;
use serde_json::json;
use steadfast::Reason;
use steadfast::guard::breaker::{BreakerState, Transition};
use steadfast::observe::{ErrorRecord, Event, EventType, Redactor, Subject};
use tracing::warn;

use crate::events::log;
use crate::events::metrics;
use crate::events::record::{Record, RecordKind};
use crate::queue::claim::Claimed;
use crate::queue::settle::Verdict;
use crate::store::Store;
use crate::task::{FaultRecord, TaskId};

const COMPONENT: &str = "worker";

/// The task that an event is of, if it is of one. Sessions of programs have ids that only look
/// like those of tasks.
#[must_use]
pub fn task_of(event: &Event) -> Option<TaskId> {
    (event.component == COMPONENT).then(|| event.session_id.parse().ok())?
}

impl Claimed {
    /// Tells the log and the figures what becomes of it. What comes back is for whoever keeps events.
    pub fn tell(&self, verdict: &Verdict, now: Timestamp) -> Option<Event> {
        log::verdict(self, verdict);
        self.measure(verdict, now);
        self.event(verdict, || now)
    }

    /// The same of what an attempt at it did to its policy's breaker, in this instance.
    pub fn tell_of_breaker(
        &self,
        change: Transition,
        instance: &str,
        now: Timestamp,
    ) -> Option<Event> {
        log::breaker(self, change);
        breaker_event(self.policy.id()?, change, instance, now)
    }

    /// What there is to tell of a verdict on it, if anything.
    #[must_use]
    pub fn event(&self, verdict: &Verdict, now: impl FnOnce() -> Timestamp) -> Option<Event> {
        let mut event = self.told(verdict, now)?;
        Redactor::installed().event(&mut event);
        Some(event)
    }

    fn told(&self, verdict: &Verdict, now: impl FnOnce() -> Timestamp) -> Option<Event> {
        match verdict {
            Verdict::Retry { fault, progress, delay, .. } => {
                let mut event = self.of_attempt(EventType::RetryAttempt, progress.attempt(), now());
                event.delay = Some(*delay);
                event.why.clone_from(&fault.why);
                let context = event.context.get_or_insert_default();
                context.insert("last_error".to_owned(), json!(fault.message));
                Some(event)
            }
            Verdict::Failed { fault, reason, .. } => {
                Some(self.given_up(fault.as_deref(), *reason, now()))
            }
            Verdict::Completed { .. } if self.was_tried_before() => {
                Some(self.of_attempt(EventType::RetrySuccess, self.progress.attempt(), now()))
            }
            _ => None,
        }
    }

    /// That its worker was lost.
    #[must_use]
    pub fn lease_lost(&self, owner: &str, now: Timestamp) -> Event {
        let mut event = self.of_attempt(EventType::LeaseLost, self.progress.attempt(), now);
        event.context.get_or_insert_default().insert("worker".to_owned(), json!(owner));
        event
    }

    const fn was_tried_before(&self) -> bool {
        self.progress.attempts > 0 || self.progress.rate_limit_waits > 0
    }

    fn given_up(&self, fault: Option<&FaultRecord>, reason: Reason, now: Timestamp) -> Event {
        let attempt = fault.map_or(self.progress.attempt(), |fault| fault.attempt);
        let mut event = self.of_attempt(EventType::RetryFailure, attempt, now);
        event.error = fault.map(|fault| ErrorRecord::of(&fault.fault));
        event.why = fault.and_then(|fault| fault.why.clone());
        event.reason = Some(reason);
        event
    }

    fn of_attempt(&self, event_type: EventType, attempt: u32, now: Timestamp) -> Event {
        let id = self.id.to_string();
        let subject =
            Subject::of(&self.policy, &*self.kind, id, self.correlation_id.as_deref(), COMPONENT);
        let mut event = Event::new(event_type, now, &subject);
        event.attempt = Some(attempt);
        event.max_attempts = Some(self.policy.max_attempts().max(attempt));
        event.context.get_or_insert_default().insert("queue".to_owned(), json!(self.queue));
        event
    }
}

/// What there is to tell of an instance's breaker that changed, if it lets calls through now or
/// no more.
#[must_use]
pub fn breaker_event(
    policy_id: &str,
    change: Transition,
    instance: &str,
    now: Timestamp,
) -> Option<Event> {
    let event_type = match change.to {
        BreakerState::Open | BreakerState::Isolated => EventType::CircuitBreakerOpened,
        BreakerState::Closed => EventType::CircuitBreakerClosed,
        BreakerState::HalfOpen => return None,
    };
    let subject = Subject {
        correlation_id: instance.to_owned(),
        session_id: instance.to_owned(),
        policy_id: policy_id.to_owned(),
        operation: "breaker".to_owned(),
        component: COMPONENT.to_owned(),
    };
    Some(Event::new(event_type, now, &subject))
}

impl Store {
    /// Keeps events for whoever looks. Nobody's work depends on it: what the database does not take
    /// is counted and forgotten.
    pub async fn keep_events(&self, events: &[Event]) {
        let records: Vec<_> =
            events.iter().filter_map(|event| Record::try_from(event).ok()).collect();
        if records.is_empty() {
            return;
        }
        if let Err(error) = self.record(&records).await {
            metrics::dropped(records.len() as u64);
            warn!(target: "steadfast", %error, events = records.len(), "events are not kept");
        }
    }
}

impl TryFrom<&Event> for Record {
    type Error = serde_json::Error;

    fn try_from(event: &Event) -> Result<Self, Self::Error> {
        Ok(Self::new(RecordKind::Event, serde_json::to_value(event)?))
    }
}
