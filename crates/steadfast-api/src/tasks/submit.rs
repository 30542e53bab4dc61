//! A task as it is submitted (H1).

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use steadfast::Fault;
use steadfast::file::Policies;
use steadfast::{read_from_objects, serde_integer};
use steadfast_store::{TaskId, When};

use crate::error::ApiError;
use crate::parse::from_json;
use crate::policies::PolicyChoice;
use crate::tasks::PastAttempt;
use crate::time_input as when;

read_from_objects!(NewTask);

/// A task to be submitted. Only `kind` and `payload` have to be there.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, expecting = "an object with kind and payload", remote = "Self")]
pub struct NewTask {
    /// Its id, a UUID of version 7; a new one unless said. Whoever does not know whether a task
    /// was taken sends it again under the same id, and it is one task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::TaskId>))]
    pub id: Option<TaskId>,
    /// Who does it.
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Name))]
    pub kind: String,
    /// What is to be done, kept as it was written: the digits of its numbers and the order of
    /// its fields are the sender's.
    #[cfg_attr(feature = "openapi", schema(value_type = serde_json::Value))]
    pub payload: Box<RawValue>,
    /// The line it stands in; `default` unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Name>))]
    pub queue: Option<String>,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Name>))]
    pub category: Option<String>,
    /// A higher one goes first; 0 unless said.
    #[serde(
        default,
        deserialize_with = "serde_integer::option::deserialize",
        skip_serializing_if = "Option::is_none"
    )]
    #[cfg_attr(feature = "openapi", schema(minimum = -32768, maximum = 32767))]
    pub priority: Option<i16>,
    /// How it is tried again; the policy `default` unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::PolicyChoice>))]
    pub policy: Option<PolicyChoice>,
    /// Not before this: a time, or how long from now (`2h`); at once unless said.
    #[serde(default, with = "when", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Moment>))]
    pub run_at: Option<When>,
    /// When it is too late, written in the same way; never unless said.
    #[serde(default, with = "when", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Moment>))]
    pub expires_at: Option<When>,
    /// Names the work, so that submitting it twice is submitting it once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Name>))]
    pub idempotency_key: Option<String>,
    /// Ties it to what else belongs to the same request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Name>))]
    pub correlation_id: Option<String>,
    /// What it has failed with already, elsewhere: this is its retry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Fault>))]
    pub first_fault: Option<Fault>,
    /// What a session elsewhere has tried before it gave up, oldest first: it is kept as the
    /// task's history, and all of it counts as the task's first attempt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<PastAttempt>,
    /// Whether a wait that it is asked for holds for its whole category.
    #[serde(default)]
    pub hold_category: bool,
}

impl NewTask {
    /// Work of this kind, with nothing else said.
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

    /// Reads one.
    ///
    /// ```
    /// use steadfast_api::NewTask;
    ///
    /// let error = NewTask::from_json(r#"{"kind": "http", "payloda": {}}"#).unwrap_err();
    /// assert_eq!(error.next.as_deref(), Some("did you mean `payload`?"));
    /// ```
    ///
    /// # Errors
    /// It is not one: with the field, the place, and a near miss for unknown names.
    pub fn from_json(text: &str) -> Result<Self, ApiError> {
        from_json(text, "a task")
    }

    /// Whether a store would take it, as far as it can be told without one. Policies by name are
    /// looked for among these.
    ///
    /// # Errors
    /// The first thing that it would not take.
    pub fn check(&self, policies: Option<&Policies>) -> Result<(), ApiError> {
        Ok(self.clone().task(policies)?.check()?)
    }

    /// Reads a list of them.
    ///
    /// # Errors
    /// As for [`from_json`](Self::from_json).
    pub fn all_from_json(text: &str) -> Result<Vec<Self>, ApiError> {
        from_json(text, "a list of tasks")
    }
}
