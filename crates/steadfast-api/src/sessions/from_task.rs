//! A task as the session that it is (O1).
//!
//! A task is a session that lives in a store. This is the one place where its history becomes the
//! attempts of a session, and it counts as the figures of a window do:
//!
//! - The session goes from the task's first due time, or its last fresh start, to its end. Faults
//!   from before a fresh start belong to what it was then.
//! - Every call that was made is an attempt, one that was told to wait as well.
//! - A store notes when an attempt ended. It is taken to have begun when it was due, so the wait for
//!   a worker is in its duration, and delays and durations add up to the whole.
//!
//! A session has an attempt at least. A task that ended before its first, or that has not been
//! tried yet, is none.

use std::mem;
use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Map, Value};
use steadfast::Reason;
use steadfast::observe::{AttemptRecord, ErrorRecord, Redactor, Session, Subject};
use steadfast_store::{FaultRecord, Status, StoredTask, TaskId};

use crate::error::{ApiError, ErrorKind};

/// How many attempts of a session are told: as many as a process keeps of its own.
const MOST: usize = 256;
/// Who tells of tasks.
const COMPONENT: &str = "worker";
/// What a policy is called that cannot be read.
const UNREADABLE: &str = "unreadable";

/// The session of a task, without its secrets (O5), if any attempt was made.
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

/// A task that has no session yet, or will never have one.
pub(crate) fn never_tried(id: TaskId) -> ApiError {
    ApiError::new(
        ErrorKind::NotFound,
        format!("no attempt at task {id} was made: it has no session"),
    )
    .next("look at the task itself")
}

/// The latest of the attempts that it made, as far as they are known.
fn attempts(task: &mut StoredTask, made: u32) -> Vec<AttemptRecord> {
    let is_done = task.status == Status::Completed;
    let failed = made.saturating_sub(u32::from(is_done)) as usize;
    let mut faults = mem::take(&mut task.faults);
    faults.drain(..faults.len().saturating_sub(failed));
    let mut line = Line::of(task, failed - faults.len());
    let mut attempts: Vec<_> = faults.into_iter().map(|fault| line.failed(fault)).collect();
    if let (true, Some(at)) = (is_done, task.ended_at) {
        attempts.push(line.ended(at, |record, took| record.succeeded(took)));
    }
    if attempts.is_empty() && failed > 0 {
        attempts.extend(pruned(task, made));
    }
    attempts.drain(..attempts.len().saturating_sub(MOST));
    attempts
}

fn subject(task: &StoredTask) -> Subject {
    let (kind, id) = (task.kind.clone(), task.id.to_string());
    match &task.policy {
        Some(policy) => Subject::of(policy, kind, id, task.correlation_id.as_deref(), COMPONENT),
        None => Subject {
            correlation_id: id.clone(),
            session_id: id,
            policy_id: UNREADABLE.to_owned(),
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

/// How it ended, if it has.
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
            // A newer version may have had one that is not known here.
            session.reason = task.reason;
        }
    }
}

/// The last attempt of a task whose faults were pruned: in short, it is kept with the task.
fn pruned(task: &StoredTask, number: u32) -> Option<AttemptRecord> {
    let last = task.last_error.as_ref()?;
    let at = task.last_attempt_at.or(task.ended_at)?;
    let error = ErrorRecord::new(last.class.name(), last.message.as_str());
    let mut record = AttemptRecord::new(number, at, Duration::ZERO);
    record = record.failed(Duration::ZERO, error);
    record.class = Some(last.class);
    Some(record)
}

/// One attempt after the other.
struct Line {
    /// When the next one is due; nothing if what was before it is forgotten.
    due: Option<Timestamp>,
    /// How long is waited for it.
    delay: Duration,
    number: u32,
}

impl Line {
    fn of(task: &StoredTask, forgotten: usize) -> Self {
        let due = (forgotten == 0).then_some(task.counted_from);
        Self { due, delay: Duration::ZERO, number: u32::try_from(forgotten).unwrap_or(u32::MAX) }
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

    /// The attempt that ended then.
    fn ended(
        &mut self,
        at: Timestamp,
        how: impl FnOnce(AttemptRecord, Duration) -> AttemptRecord,
    ) -> AttemptRecord {
        self.number = self.number.saturating_add(1);
        // Somebody may have had it run before it was due.
        let began = self.due.unwrap_or(at).min(at);
        let took = Duration::try_from(at.duration_since(began)).unwrap_or_default();
        how(AttemptRecord::new(self.number, began, self.delay), took)
    }
}
