//! A task as it is submitted (D9).

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;
use steadfast::drive::FailedAttempt;
use steadfast::{Fault, Policy};

use super::{TaskId, limits};
use crate::error::InputError;

/// When something is to happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum When {
    /// As soon as can be.
    #[default]
    Now,
    /// This long after the store has taken it, by the store's clock.
    After(Duration),
    /// At this time.
    At(Timestamp),
}

/// Work to be done, as it is handed to a store: a kind, which says who does it, and a payload,
/// which says what.
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
    // Boxed, for batches of a thousand are moved several times on their way.
    draft: Box<Draft>,
    problem: Option<Box<InputError>>,
}

/// A task that was checked.
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

/// The policy that was asked for.
#[derive(Clone, Debug)]
pub(crate) enum Wanted {
    Default,
    Named(String),
    Given(Arc<Policy>),
}

/// What happened to the work before it became a task.
#[derive(Clone, Debug)]
pub(crate) enum Before {
    Nothing,
    /// It failed once, elsewhere.
    Fault(Box<Fault>),
    /// A session in a process tried and gave up.
    Session(Vec<FailedAttempt>),
}

impl Task {
    /// Work of this kind. A payload that cannot be written as JSON, or that is too big, is
    /// told when the task is submitted.
    pub fn new(kind: impl Into<String>, payload: &(impl Serialize + ?Sized)) -> Self {
        let (payload, problem) = match serde_json::to_string(payload) {
            Ok(payload) => (payload, None),
            Err(error) => {
                let problem = format!("cannot be written as JSON: {error}");
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

    /// The id that it will have, known before it is submitted.
    #[must_use]
    pub const fn id(&self) -> TaskId {
        self.draft.id
    }

    /// An id that was made before: whoever does not know whether a task was taken submits it
    /// again under the same one, and it is one task. Other work under it is refused.
    pub fn with_id(self, id: TaskId) -> Self {
        self.with(|draft| draft.id = id)
    }

    /// The line it stands in; `default` unless said. Queues can be paused, and workers choose
    /// which they serve.
    pub fn queue(self, queue: impl Into<String>) -> Self {
        self.with(|draft| draft.queue = Cow::Owned(queue.into()))
    }

    /// What it is about (a customer, a host, a source), for filters and for
    /// [`hold_category`](Self::hold_category).
    pub fn category(self, category: impl Into<String>) -> Self {
        self.with(|draft| draft.category = Some(category.into()))
    }

    /// A higher one goes first; 0 unless said. Tasks of one priority go in the order in which
    /// they were submitted, tried before or not (D5).
    pub fn priority(self, priority: i16) -> Self {
        self.with(|draft| draft.priority = priority)
    }

    /// How it is tried again: the name of a policy that the store knows. It is looked up when
    /// the task is submitted, and what it meant then holds for the task's whole life.
    pub fn policy(self, name: impl Into<String>) -> Self {
        self.with(|draft| draft.policy = Wanted::Named(name.into()))
    }

    /// How it is tried again, as a value.
    pub fn under(self, policy: impl Into<Arc<Policy>>) -> Self {
        self.with(|draft| draft.policy = Wanted::Given(policy.into()))
    }

    /// Not before this long from now.
    pub fn after(self, delay: Duration) -> Self {
        self.with(|draft| draft.run = When::After(delay))
    }

    /// Not before this time.
    pub fn at(self, time: Timestamp) -> Self {
        self.with(|draft| draft.run = When::At(time))
    }

    /// When it is too late: no attempt starts after it.
    pub fn expires(self, when: When) -> Self {
        self.with(|draft| draft.expires = Some(when))
    }

    /// Names the work, so that submitting it twice is submitting it once. The handler gets it
    /// to hand on.
    pub fn key(self, key: impl Into<String>) -> Self {
        self.with(|draft| draft.key = Some(key.into()))
    }

    /// Ties it to what else belongs to the same request.
    pub fn correlation_id(self, id: impl Into<String>) -> Self {
        self.with(|draft| draft.correlation_id = Some(id.into()))
    }

    /// When the other side asks this task to wait, everything of its category waits (D17).
    pub fn hold_category(self) -> Self {
        self.with(|draft| draft.hold_category = true)
    }

    /// It has failed once already, elsewhere: this is its retry. The failure counts as
    /// its first attempt, and the policy says when the next one is due.
    pub fn failed_once(self, fault: Fault) -> Self {
        self.with(|draft| draft.before = Before::Fault(Box::new(fault)))
    }

    /// What a session in a process has tried. It is kept as the task's history, and all of it
    /// counts as the task's first attempt.
    pub fn history(self, failures: Vec<FailedAttempt>) -> Self {
        self.with(|draft| draft.before = Before::Session(failures))
    }

    pub(crate) const fn before(&self) -> &Before {
        &self.draft.before
    }

    /// How many bytes its payload is, as JSON.
    #[must_use]
    pub fn payload_bytes(&self) -> usize {
        self.draft.payload.len()
    }

    /// Whether everything in it can be taken, as far as it can be told without its policy.
    ///
    /// # Errors
    /// The first thing that cannot.
    pub fn check(&self) -> Result<(), InputError> {
        if let Some(problem) = &self.problem {
            return Err((**problem).clone());
        }
        let draft = &self.draft;
        limits::name("kind", &draft.kind)?;
        limits::name("queue", &draft.queue)?;
        let optional = [
            ("category", &draft.category),
            ("idempotency_key", &draft.key),
            ("correlation_id", &draft.correlation_id),
        ];
        for (field, text) in optional {
            if let Some(text) = text {
                limits::name(field, text)?;
            }
        }
        limits::document("payload", &draft.payload)?;
        if draft.hold_category && draft.category.is_none() {
            return Err(InputError::new("hold_category", "needs a category to hold"));
        }
        Ok(())
    }

    /// The task, if everything in it can be taken.
    pub(crate) fn checked(self) -> Result<Box<Draft>, InputError> {
        self.check()?;
        Ok(self.draft)
    }
}
