//! Tasks to submit (D9).

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use steadfast::drive::FailedAttempt;
use steadfast::{Fault, Policy};

use super::{TaskId, limits};
use crate::error::InputError;

/// A time, absolute or relative.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum When {
    /// At once.
    #[default]
    Now,
    /// This long after the submission, by the store's clock.
    After(Duration),
    /// At this time.
    At(Timestamp),
}

/// A task to submit: its kind selects the handler, its payload is the input.
///
/// ```
/// use std::time::Duration;
/// use serde::Serialize;
/// use steadfast_store::Task;
///
/// #[derive(Serialize)]
/// struct Invoice {
///     number: u32,
/// }
///
/// let task = Task::new("send-invoice", &Invoice { number: 42 })
///     .queue("mail")
///     .policy("patient")
///     .after(Duration::from_secs(60))
///     .key("invoice-42");
/// ```
#[derive(Clone, Debug)]
#[must_use = "a task does nothing until it is submitted"]
pub struct Task {
    // Boxed, because batches of a thousand are moved several times.
    draft: Box<Draft>,
    problem: Option<Box<InputError>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) id: TaskId,
    pub(crate) kind: String,
    pub(crate) payload: String,
    pub(crate) queue: Cow<'static, str>,
    pub(crate) category: Option<String>,
    pub(crate) priority: i16,
    pub(crate) policy: Wanted,
    pub(crate) run: When,
    pub(crate) expires: Option<When>,
    pub(crate) key: Option<String>,
    pub(crate) correlation_id: Option<String>,
    pub(crate) hold_category: bool,
    pub(crate) before: Before,
}

#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    Default,
    Named(String),
    Given(Arc<Policy>),
}

/// Attempts before the submission.
#[derive(Clone, Debug)]
pub(crate) enum Before {
    Nothing,
    /// One failure elsewhere.
    Fault(Box<Fault>),
    /// A session in a process that gave up.
    Session(Vec<FailedAttempt>),
}

impl Task {
    /// A task of this kind. A payload that cannot be encoded as JSON, or is too long, is rejected on
    /// submission.
    pub fn new(kind: impl Into<String>, payload: &(impl Serialize + ?Sized)) -> Self {
        let (payload, problem) = match serde_json::to_string(payload) {
            Ok(payload) => (payload, None),
            Err(error) => {
                let problem = format!("cannot be encoded as JSON: {error}");
                (String::new(), Some(Box::new(InputError::new("payload", problem))))
            }
        };
        let draft = Draft {
            id: TaskId::fresh(),
            kind: kind.into(),
            payload,
            queue: Cow::Borrowed("default"),
            category: None,
            priority: 0,
            policy: Wanted::Default,
            run: When::Now,
            expires: None,
            key: None,
            correlation_id: None,
            hold_category: false,
            before: Before::Nothing,
        };
        Self { draft: Box::new(draft), problem }
    }

    fn with(mut self, change: impl FnOnce(&mut Draft)) -> Self {
        change(&mut self.draft);
        self
    }

    /// The id, which is known before the submission.
    #[must_use]
    pub const fn id(&self) -> TaskId {
        self.draft.id
    }

    /// Sets an existing id: a submission with an unknown outcome can be repeated under the same id,
    /// and stays one task. Another task with the id is rejected.
    pub fn with_id(self, id: TaskId) -> Self {
        self.with(|draft| draft.id = id)
    }

    /// Sets the queue; the default is `default`. Queues can be paused, and workers choose which they
    /// serve.
    pub fn queue(self, queue: impl Into<String>) -> Self {
        self.with(|draft| draft.queue = Cow::Owned(queue.into()))
    }

    /// Sets the category (a customer, a host, a source), for filters and for
    /// [`hold_category`](Self::hold_category).
    pub fn category(self, category: impl Into<String>) -> Self {
        self.with(|draft| draft.category = Some(category.into()))
    }

    /// Sets the priority; higher ones are claimed first, the default is 0. Tasks of one priority are
    /// claimed in the order of submission, retried or not (D5).
    pub fn priority(self, priority: i16) -> Self {
        self.with(|draft| draft.priority = priority)
    }

    /// Sets the retry policy by name. It is resolved on submission, and does not change for the task
    /// afterwards.
    pub fn policy(self, name: impl Into<String>) -> Self {
        self.with(|draft| draft.policy = Wanted::Named(name.into()))
    }

    /// Sets the retry policy.
    pub fn under(self, policy: impl Into<Arc<Policy>>) -> Self {
        self.with(|draft| draft.policy = Wanted::Given(policy.into()))
    }

    /// Delays the first attempt.
    pub fn after(self, delay: Duration) -> Self {
        self.with(|draft| draft.run = When::After(delay))
    }

    /// Schedules the first attempt.
    pub fn at(self, time: Timestamp) -> Self {
        self.with(|draft| draft.run = When::At(time))
    }

    /// Sets the expiry: no attempt starts after it.
    pub fn expires(self, when: When) -> Self {
        self.with(|draft| draft.expires = Some(when))
    }

    /// Sets the idempotency key: a second submission with the key is the same task. The handler
    /// receives it.
    pub fn key(self, key: impl Into<String>) -> Self {
        self.with(|draft| draft.key = Some(key.into()))
    }

    /// Sets the correlation id.
    pub fn correlation_id(self, id: impl Into<String>) -> Self {
        self.with(|draft| draft.correlation_id = Some(id.into()))
    }

    /// Makes a rate limit of this task hold its whole category (D17).
    pub fn hold_category(self) -> Self {
        self.with(|draft| draft.hold_category = true)
    }

    /// Adds a failure elsewhere. It counts as the first attempt, and the policy schedules the next.
    pub fn failed_once(self, fault: Fault) -> Self {
        self.with(|draft| draft.before = Before::Fault(Box::new(fault)))
    }

    /// Adds the failures of a session in a process as the history. Together they count as the first
    /// attempt.
    pub fn history(self, failures: Vec<FailedAttempt>) -> Self {
        self.with(|draft| draft.before = Before::Session(failures))
    }

    pub(crate) const fn before(&self) -> &Before {
        &self.draft.before
    }

    /// The size of the payload, in bytes of JSON.
    #[must_use]
    pub fn payload_bytes(&self) -> usize {
        self.draft.payload.len()
    }

    /// Validates everything except the policy.
    ///
    /// # Errors
    /// The first invalid field.
    pub fn check(&self) -> Result<(), InputError> {
        if let Some(problem) = &self.problem {
            return Err((**problem).clone());
        }
        let draft = &self.draft;
        limits::name("kind", &draft.kind)?;
        limits::name("queue", &draft.queue)?;
        limits::optional_names([
            ("category", &draft.category),
            ("idempotency_key", &draft.key),
            ("correlation_id", &draft.correlation_id),
        ])?;
        limits::document("payload", &draft.payload)?;
        if draft.hold_category && draft.category.is_none() {
            return Err(InputError::new("hold_category", "needs a category to hold"));
        }
        Ok(())
    }

    /// The fields, if they are valid.
    pub(crate) fn checked(self) -> Result<Box<Draft>, InputError> {
        self.check()?;
        Ok(self.draft)
    }
}
