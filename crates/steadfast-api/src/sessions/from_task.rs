//! A task as a session (O1).
//!
//! The history of a task becomes the attempts of a session here alone, counted as in the metrics
//! summary:
//!
//! - The session lasts from the first due time of the task, or from its last fresh start, to its end.
//!   Faults from before a fresh start are not part of it.
//! - Every call is an attempt, also one that was rate limited.
//! - The store records when an attempt ended. Its start is the time at which it was due, so its
//!   duration includes the wait for a worker, and delays and durations add up to the total.
//!
//! A session has at least one attempt. A task without attempts is not a session.

use std::mem;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, Value};
use steadfast::Reason;
use steadfast::observe::{AttemptRecord, ErrorRecord, Redactor, Session, Subject};
use steadfast_store::{FaultRecord, Status, StoredTask, TaskId};

use crate::error::{ApiError, ErrorKind};

/// The most attempts of a session, the same as for the sessions of a process.
const MAX_ATTEMPTS: usize = 256;
/// The component in sessions of tasks.
const COMPONENT: &str = "worker";
/// The policy id of a task whose policy cannot be decoded.
const UNREADABLE_POLICY: &str = "unreadable";

/// The session of a task with secrets masked (O5); `None` if no attempt was made.
pub(crate) fn session(mut task: StoredTask) -> Option<Session> {
    let made = task.attempts.saturating_add(task.rate_limit_waits);
    let attempts = attempts(&mut task, made);
    if attempts.is_empty() {
        return None;
    }
    let mut session = Session::new(&subject(&task), task.counted_from);
    session.forgotten_attempts = u64::from(made).saturating_sub(attempts.len() as u64);
    session.attempts = attempts;
    session.correlation_id.clone_from(&task.correlation_id);
    session.context = Some(context(&task));
    end(&mut session, task);
    Redactor::installed().session(&mut session);
    Some(session)
}

/// The error for a task without attempts.
pub(crate) fn no_attempts(id: TaskId) -> ApiError {
    ApiError::new(ErrorKind::NotFound, format!("task {id} has no attempts, so it has no session"))
        .next("read the task instead")
}

/// The latest attempts, as far as their history is stored.
fn attempts(task: &mut StoredTask, made: u32) -> Vec<AttemptRecord> {
    let is_completed = task.status == Status::Completed;
    let failed = made.saturating_sub(u32::from(is_completed)) as usize;
    let mut faults = mem::take(&mut task.faults);
    faults.drain(..faults.len().saturating_sub(failed));
    let mut timeline = Timeline::of(task, failed - faults.len());
    let mut attempts: Vec<_> = faults.into_iter().map(|fault| timeline.failed(fault)).collect();
    if let (true, Some(at)) = (is_completed, task.ended_at) {
        attempts.push(timeline.ended(at, |record, took| record.succeeded(took)));
    }
    if attempts.is_empty() && failed > 0 {
        attempts.extend(pruned_attempt(task, made));
    }
    attempts.drain(..attempts.len().saturating_sub(MAX_ATTEMPTS));
    attempts
}

fn subject(task: &StoredTask) -> Subject {
    let (kind, id) = (task.kind.clone(), task.id.to_string());
    match &task.policy {
        Some(policy) => Subject::of(policy, kind, id, task.correlation_id.as_deref(), COMPONENT),
        None => Subject {
            correlation_id: id.clone(),
            session_id: id,
            policy_id: UNREADABLE_POLICY.to_owned(),
            operation: kind,
            component: COMPONENT.to_owned(),
        },
    }
}

fn context(task: &StoredTask) -> Map<String, Value> {
    let mut context = Map::new();
    context.insert("task".to_owned(), task.id.to_string().into());
    context.insert("queue".to_owned(), task.queue.clone().into());
    if let Some(category) = &task.category {
        context.insert("category".to_owned(), category.clone().into());
    }
    context
}

/// Sets the outcome, if the task has ended.
fn end(session: &mut Session, task: StoredTask) {
    let Some(at) = task.ended_at else { return };
    match task.status {
        Status::Completed => {
            session.succeeded(at);
            session.final_result = task.result;
        }
        Status::Cancelled => session.gave_up(at, Reason::Cancelled),
        _ => {
            session.gave_up(at, Reason::Final);
            // A newer version may have stored a reason that this one cannot decode.
            session.reason = task.reason;
        }
    }
}

/// The last attempt of a task whose history was pruned, from the summary in the task.
fn pruned_attempt(task: &StoredTask, number: u32) -> Option<AttemptRecord> {
    let last = task.last_error.as_ref()?;
    let at = task.last_attempt_at.or(task.ended_at)?;
    let error = ErrorRecord::new(last.class.name(), last.message.as_str());
    let mut record = AttemptRecord::new(number, at, Duration::ZERO);
    record = record.failed(Duration::ZERO, error);
    record.class = Some(last.class);
    Some(record)
}

/// The attempts of a task in time.
struct Timeline {
    /// When the next attempt is due; `None` if the one before it was pruned.
    due: Option<Timestamp>,
    /// The delay before the next attempt.
    delay: Duration,
    number: u32,
}

impl Timeline {
    fn of(task: &StoredTask, pruned: usize) -> Self {
        let due = (pruned == 0).then_some(task.counted_from);
        Self { due, delay: Duration::ZERO, number: u32::try_from(pruned).unwrap_or(u32::MAX) }
    }

    fn failed(&mut self, fault: FaultRecord) -> AttemptRecord {
        let error = ErrorRecord::of(&fault.fault);
        let mut record = self.ended(fault.at, |record, took| record.failed(took, error));
        (record.class, record.fault, record.why) =
            (Some(fault.class), Some(fault.fault), fault.why);
        let delay = fault.next_delay.and_then(|delay| Duration::try_from_secs_f64(delay).ok());
        self.delay = delay.unwrap_or_default();
        self.due = Some(fault.at.checked_add(self.delay).unwrap_or(Timestamp::MAX));
        record
    }

    /// The attempt that ended at this time.
    fn ended(
        &mut self,
        at: Timestamp,
        how: impl FnOnce(AttemptRecord, Duration) -> AttemptRecord,
    ) -> AttemptRecord {
        self.number = self.number.saturating_add(1);
        // `run now` may have started it before it was due.
        let began = self.due.unwrap_or(at).min(at);
        let took = Duration::try_from(at.duration_since(began)).unwrap_or_default();
        how(AttemptRecord::new(self.number, began, self.delay), took)
    }
}
