//! Events about tasks for monitoring (O1).
//!
//! They are the same events as those of a session in a process: the session of a task is its id, its
//! operation its kind. Local workers and the API for remote ones create them from settlements. A
//! first-attempt success creates none.

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
use crate::queue::submit::CheckedTask;
use crate::store::Store;
use crate::task::{FaultRecord, TaskId};

const COMPONENT: &str = "worker";

/// The task of an event. Sessions of programs have ids that only look like those of tasks.
#[must_use]
pub fn task_of_event(event: &Event) -> Option<TaskId> {
    (event.component == COMPONENT).then(|| event.session_id.parse().ok())?
}

impl Claimed {
    /// Logs and measures a verdict, and returns its event, if there is one.
    pub fn report(&self, verdict: &Verdict, now: Timestamp) -> Option<Event> {
        log::verdict(self, verdict);
        self.measure(verdict, now);
        self.event(verdict, || now)
    }

    /// Logs a change of its policy's breaker in this instance, and returns its event.
    pub fn report_breaker(
        &self,
        change: Transition,
        instance: &str,
        now: Timestamp,
    ) -> Option<Event> {
        log::breaker(self, change);
        breaker_event(self.policy.id()?, change, instance, now)
    }

    /// The event of a verdict, if there is one.
    #[must_use]
    pub fn event(&self, verdict: &Verdict, now: impl FnOnce() -> Timestamp) -> Option<Event> {
        let mut event = self.unredacted_event(verdict, now)?;
        Redactor::installed().event(&mut event);
        Some(event)
    }

    fn unredacted_event(
        &self,
        verdict: &Verdict,
        now: impl FnOnce() -> Timestamp,
    ) -> Option<Event> {
        match verdict {
            Verdict::Retry { fault, progress, delay, .. } => {
                let mut event =
                    self.attempt_event(EventType::RetryAttempt, progress.attempt(), now());
                event.delay = Some(*delay);
                event.why.clone_from(&fault.why);
                let context = event.context.get_or_insert_default();
                context.insert("last_error".to_owned(), json!(fault.message));
                Some(event)
            }
            Verdict::Failed { fault, reason, .. } => {
                Some(self.failed_event(fault.as_deref(), *reason, now()))
            }
            Verdict::Completed { .. } if self.has_prior_attempts() => {
                Some(self.attempt_event(EventType::RetrySuccess, self.progress.attempt(), now()))
            }
            _ => None,
        }
    }

    /// The event of a lost lease.
    #[must_use]
    pub fn lease_lost(&self, owner: &str, now: Timestamp) -> Event {
        let mut event = self.attempt_event(EventType::LeaseLost, self.progress.attempt(), now);
        event.context.get_or_insert_default().insert("worker".to_owned(), json!(owner));
        event
    }

    pub(super) const fn has_prior_attempts(&self) -> bool {
        self.progress.attempts > 0 || self.progress.rate_limit_waits > 0
    }

    fn failed_event(&self, fault: Option<&FaultRecord>, reason: Reason, now: Timestamp) -> Event {
        let attempt = fault.map_or(self.progress.attempt(), |fault| fault.attempt);
        let mut event = self.attempt_event(EventType::RetryFailure, attempt, now);
        event.error = fault.map(|fault| ErrorRecord::of(&fault.fault));
        event.why = fault.and_then(|fault| fault.why.clone());
        event.reason = Some(reason);
        event
    }

    fn attempt_event(&self, event_type: EventType, attempt: u32, now: Timestamp) -> Event {
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

/// The event of a session that continues as this task (D12), if it does.
pub(crate) fn handed_over(task: &CheckedTask) -> Option<Event> {
    let last = task.prior.faults.last()?;
    let (draft, id) = (&task.draft, task.draft.id.to_string());
    let correlation_id = draft.correlation_id.as_deref();
    let subject = Subject::of(&task.policy, &*draft.kind, id, correlation_id, COMPONENT);
    let mut event = Event::new(EventType::HandedOver, last.at, &subject);
    event.attempt = Some(last.attempt);
    event.error = Some(ErrorRecord::of(&last.fault));
    event.context.get_or_insert_default().insert("queue".to_owned(), json!(draft.queue));
    Redactor::installed().event(&mut event);
    Some(event)
}

/// The event of a breaker that opened or closed.
#[must_use]
pub fn breaker_event(
    policy_id: &str,
    change: Transition,
    instance: &str,
    now: Timestamp,
) -> Option<Event> {
    let event_type = match change.to {
        BreakerState::Open | BreakerState::Isolated => EventType::CircuitBreakerOpened,
        BreakerState::Closed | BreakerState::Disabled => EventType::CircuitBreakerClosed,
        _ => return None,
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
    /// Stores events. Events that cannot be stored are counted and dropped.
    pub async fn record_events(&self, events: &[Event]) {
        let records: Vec<_> =
            events.iter().filter_map(|event| Record::try_from(event).ok()).collect();
        if records.is_empty() {
            return;
        }
        if let Err(error) = self.record(&records).await {
            metrics::dropped(records.len() as u64);
            warn!(target: "steadfast", %error, events = records.len(), "cannot store events");
        }
    }
}

impl TryFrom<&Event> for Record {
    type Error = serde_json::Error;

    fn try_from(event: &Event) -> Result<Self, Self::Error> {
        Ok(Self::new(RecordKind::Event, serde_json::to_value(event)?))
    }
}
