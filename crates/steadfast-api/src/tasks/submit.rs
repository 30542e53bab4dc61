//! Submit requests (H1), and their conversion into tasks of the store.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use steadfast::__private::{read_from_objects, serde_integer};
use steadfast::drive::FailedAttempt;
use steadfast::duration::serde_seconds;
use steadfast::file::Policies;
use steadfast::{Class, Fault};
use steadfast_store::{Task, TaskId, When};

use crate::error::{ApiError, ErrorKind};
use crate::parse::from_json;
use crate::policies::{PolicyChoice, find_policy};
use crate::time_input;

read_from_objects!(NewTask, PriorAttempt);

/// A task to submit. Only `kind` and `payload` are required.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, expecting = "an object with kind and payload", remote = "Self")]
pub struct NewTask {
    /// The id, a UUID of version 7; default: a new one. A submit with the same id can be repeated
    /// safely: it creates one task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, pattern = "^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"))]
    pub id: Option<TaskId>,
    /// The kind of the task, which selects its handler.
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Name))]
    pub kind: String,
    /// The input of the handler, stored byte for byte.
    #[cfg_attr(feature = "openapi", schema(value_type = serde_json::Value))]
    pub payload: Box<RawValue>,
    /// The queue; default: `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Name>))]
    pub queue: Option<String>,
    /// The category, such as a customer or a host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Name>))]
    pub category: Option<String>,
    /// The priority; higher runs first; default: 0.
    #[serde(
        default,
        deserialize_with = "serde_integer::option::deserialize",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "openapi", schema(minimum = -32768, maximum = 32767))]
    pub priority: Option<i16>,
    /// The retry policy; default: the policy `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyChoice>,
    /// The time at which the task becomes due, or a delay from now such as `2h`; default: now.
    #[serde(default, with = "time_input", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::TimeInput>))]
    pub run_at: Option<When>,
    /// The time after which no attempt starts, or a delay from now; default: never.
    #[serde(default, with = "time_input", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::TimeInput>))]
    pub expires_at: Option<When>,
    /// A key that identifies the work: a second submit with the same key creates no task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Name>))]
    pub idempotency_key: Option<String>,
    /// The correlation id of the request that the task belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Name>))]
    pub correlation_id: Option<String>,
    /// The fault of a first attempt that was made elsewhere; the task starts with the retry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_fault: Option<Fault>,
    /// The attempts of a session that gave up elsewhere, oldest first. They become the history of the
    /// task and count as its first attempt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<PriorAttempt>,
    /// Whether a rate-limit delay of this task applies to its whole category.
    #[serde(default)]
    pub hold_category: bool,
}

impl NewTask {
    /// A task with defaults for everything else.
    #[must_use]
    pub fn new(kind: impl Into<String>, payload: Box<RawValue>) -> Self {
        Self {
            id: None,
            kind: kind.into(),
            payload,
            queue: None,
            category: None,
            priority: None,
            policy: None,
            run_at: None,
            expires_at: None,
            idempotency_key: None,
            correlation_id: None,
            first_fault: None,
            history: Vec::new(),
            hold_category: false,
        }
    }

    /// Parses a task.
    ///
    /// ```
    /// use steadfast_api::NewTask;
    ///
    /// let error = NewTask::from_json(r#"{"kind": "http", "payloda": {}}"#).unwrap_err();
    /// assert_eq!(error.next.as_deref(), Some("did you mean `payload`?"));
    /// ```
    ///
    /// # Errors
    /// The text is not a task. The error names the field, the position and a near miss.
    pub fn from_json(text: &str) -> Result<Self, ApiError> {
        from_json(text, "a task")
    }

    /// Validates the task as far as that is possible without a store. Policy names are resolved with
    /// `policies`.
    ///
    /// # Errors
    /// The first problem.
    pub fn check(&self, policies: Option<&Policies>) -> Result<(), ApiError> {
        Ok(self.clone().into_store_task(policies)?.check()?)
    }

    /// Parses a list of tasks.
    ///
    /// # Errors
    /// As for [`from_json`](Self::from_json).
    pub fn all_from_json(text: &str) -> Result<Vec<Self>, ApiError> {
        from_json(text, "a list of tasks")
    }

    /// The task for a store, with its policy name resolved.
    pub(crate) fn into_store_task(self, policies: Option<&Policies>) -> Result<Task, ApiError> {
        let task = Task::new(self.kind, &self.payload);
        let mut task = with_policy(task, self.policy, policies)?;
        if let Some(id) = self.id {
            task = task.with_id(version_7(id)?);
        }
        if let Some(priority) = self.priority {
            task = task.priority(priority);
        }
        if let Some(queue) = self.queue {
            task = task.queue(queue);
        }
        if let Some(category) = self.category {
            task = task.category(category);
        }
        task = match self.run_at {
            None | Some(When::Now) => task,
            Some(When::After(delay)) => task.after(delay),
            Some(When::At(time)) => task.at(time),
        };
        if let Some(expires) = self.expires_at {
            task = task.expires(expires);
        }
        if let Some(key) = self.idempotency_key {
            task = task.key(key);
        }
        if let Some(id) = self.correlation_id {
            task = task.correlation_id(id);
        }
        task = match (self.first_fault, self.history) {
            (Some(_), history) if !history.is_empty() => return Err(first_fault_and_history()),
            (Some(fault), _) => task.failed_once(fault),
            (None, history) if history.is_empty() => task,
            (None, history) => task.history(history.into_iter().map(FailedAttempt::from).collect()),
        };
        Ok(if self.hold_category { task.hold_category() } else { task })
    }
}

/// A failed attempt from before the task was submitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct PriorAttempt {
    /// The number of the attempt, from 1.
    #[serde(deserialize_with = "serde_integer::deserialize")]
    #[cfg_attr(feature = "openapi", schema(format = Int64, maximum = 4294967295_u32))]
    pub attempt: u32,
    /// The facts of the failure.
    pub fault: Fault,
    /// The class of the fault.
    pub class: Class,
    /// The delay after the attempt; left out for the last one.
    #[serde(default, with = "serde_seconds::option", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::AnyDuration>))]
    pub delay: Option<Duration>,
}

impl From<&FailedAttempt> for PriorAttempt {
    fn from(failed: &FailedAttempt) -> Self {
        let FailedAttempt { attempt, class, delay, .. } = *failed;
        Self { attempt, fault: failed.fault.clone(), class, delay }
    }
}

impl From<PriorAttempt> for FailedAttempt {
    fn from(prior: PriorAttempt) -> Self {
        let PriorAttempt { attempt, fault, class, delay } = prior;
        Self::external(attempt, fault, class, delay)
    }
}

fn first_fault_and_history() -> ApiError {
    ApiError::new(ErrorKind::Invalid, "cannot be combined with first_fault")
        .field("history")
        .next("send one of them: the history includes the first fault")
}

/// Ids sort by their time of creation (D2), so they must be of version 7.
fn version_7(id: TaskId) -> Result<TaskId, ApiError> {
    match id.is_version_7() {
        true => Ok(id),
        false => Err(ApiError::new(ErrorKind::Invalid, format!("{id} is not a UUID of version 7"))
            .field("id")
            .next("generate a UUID of version 7, or leave it out")),
    }
}

fn with_policy(
    task: Task,
    choice: Option<PolicyChoice>,
    policies: Option<&Policies>,
) -> Result<Task, ApiError> {
    Ok(match (choice, policies) {
        (Some(PolicyChoice::Given(policy)), _) => task.under(policy),
        (Some(PolicyChoice::Named(name)), Some(policies)) => {
            task.under(find_policy(policies, &name)?)
        }
        (None, Some(policies)) => task.under(policies.find("default").clone()),
        // The store resolves the built-in policies.
        (Some(PolicyChoice::Named(name)), None) => task.policy(name),
        (None, None) => task,
    })
}
