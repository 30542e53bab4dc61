//! Requests and responses of claims.

use std::time::Duration;

use jiff::Timestamp;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use steadfast::__private::{Object, read_from_objects, serde_integer};
use steadfast::Fault;
use steadfast::duration::serde_seconds;
use steadfast_store::{ClaimRequest, Claimed, FencingToken, InputError, Status, TaskId};

use crate::page::check_range;

read_from_objects!(NewClaim);

/// The most tasks of one claim.
const MAX_CLAIM_LIMIT: u32 = 1000;
/// The most bytes of payloads in one response, except for a single larger one.
const MAX_CLAIM_BYTES: u64 = 8 << 20;
/// The lease of a request that sets none.
pub(super) const DEFAULT_LEASE: Duration = Duration::from_secs(60);

/// A claim of due tasks for a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct NewClaim {
    /// The name of the worker. If its lease expires, the recorded fault contains this name.
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Name))]
    pub worker: String,
    /// Only tasks of these queues; default: all queues.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<crate::openapi::Name>>, min_items = 1))]
    pub queues: Option<Vec<String>>,
    /// Only tasks of these categories; default: all categories.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<crate::openapi::Name>>, min_items = 1))]
    pub categories: Option<Vec<String>>,
    /// Only tasks of these kinds; default: all kinds.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<crate::openapi::Name>>, min_items = 1))]
    pub kinds: Option<Vec<String>>,
    /// Maximum number of tasks to claim, from 1 to 1000; default: 1. Fewer are claimed if their
    /// payloads exceed 8 MiB in total.
    #[serde(default = "default_limit", deserialize_with = "serde_integer::deserialize")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 1000))]
    pub limit: u32,
    /// How long the lease lasts without a heartbeat; default: 60 seconds.
    #[serde(default = "default_lease", with = "serde_seconds")]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Lease))]
    pub lease: Duration,
}

const fn default_limit() -> u32 {
    1
}

const fn default_lease() -> Duration {
    DEFAULT_LEASE
}

/// Deserializes the fencing token under one of its names.
fn some_token<'de, D: Deserializer<'de>>(from: D) -> Result<Option<FencingToken>, D::Error> {
    serde_integer::deserialize(from).map(FencingToken).map(Some)
}

/// The fencing token of a request: under its name, its former name, or both with the same value, as
/// in a claim that is sent back.
fn one_token(
    token: Option<FencingToken>,
    version: Option<FencingToken>,
) -> Result<FencingToken, &'static str> {
    match (token, version) {
        (Some(token), Some(version)) if token != version => {
            Err("send either fencing_token or its former name version, not both")
        }
        (token, version) => token.or(version).ok_or("missing field `fencing_token`"),
    }
}

/// Defines the input of a request: its fields, and the fencing token under either name.
macro_rules! with_token_alias {
    ($input:ident => $request:ident { $($(#[$attribute:meta])* $field:ident: $type:ty,)* }) => {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct $input {
            #[serde(default, deserialize_with = "some_token")]
            fencing_token: Option<FencingToken>,
            #[serde(default, deserialize_with = "some_token")]
            version: Option<FencingToken>,
            $($(#[$attribute])* $field: $type,)*
        }

        impl<'de> Deserialize<'de> for $request {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let input = $input::deserialize(Object(from))?;
                let fencing_token = one_token(input.fencing_token, input.version);
                let fencing_token = fencing_token.map_err(D::Error::custom)?;
                Ok(Self { fencing_token, $($field: input.$field,)* })
            }
        }
    };
}

with_token_alias!(HeartbeatInput => HeartbeatRequest {
    #[serde(default = "default_lease", with = "serde_seconds")]
    lease: Duration,
});
with_token_alias!(CompletionInput => Completion {
    #[serde(default)]
    result: Option<Box<RawValue>>,
});
with_token_alias!(FailureInput => AttemptFailure {
    fault: Fault,
    #[serde(default)]
    key_in_use: bool,
    #[serde(default)]
    idempotent: Option<bool>,
});

impl NewClaim {
    pub(super) fn request(&self) -> Result<ClaimRequest, InputError> {
        check_range("limit", self.limit, MAX_CLAIM_LIMIT)?;
        for (field, names) in
            [("queues", &self.queues), ("categories", &self.categories), ("kinds", &self.kinds)]
        {
            if names.as_ref().is_some_and(Vec::is_empty) {
                // By a mistake in its own list a worker would get all tasks, or none.
                return Err(InputError::new(
                    field,
                    "must not be empty; omit it for no restriction",
                ));
            }
        }
        let request = ClaimRequest::new(&self.worker, self.limit).lease(self.lease);
        let mut request = request.bytes(MAX_CLAIM_BYTES);
        for queue in self.queues.iter().flatten() {
            request = request.queue(queue);
        }
        request.categories.clone_from(&self.categories);
        request.kinds.clone_from(&self.kinds);
        Ok(request)
    }
}

/// The claimed tasks.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Claims {
    /// The tasks, in the order in which to start them.
    pub claims: Vec<ClaimView>,
    /// The store's clock.
    pub now: Timestamp,
}

/// One claimed task.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(try_from = "ClaimInput")]
pub struct ClaimView {
    /// The id of the task.
    pub id: TaskId,
    /// The fencing token of the lease. Heartbeat, complete and fail must send it.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub fencing_token: FencingToken,
    /// Deprecated: the same as `fencing_token`.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    version: FencingToken,
    /// The task.
    pub task: ClaimedTask,
}

/// A claim as read, with the fencing token under either name.
#[derive(Deserialize)]
struct ClaimInput {
    id: TaskId,
    fencing_token: Option<FencingToken>,
    version: Option<FencingToken>,
    task: ClaimedTask,
}

impl TryFrom<ClaimInput> for ClaimView {
    type Error = &'static str;

    fn try_from(claim: ClaimInput) -> Result<Self, Self::Error> {
        let token = one_token(claim.fencing_token, claim.version)?;
        Ok(Self::new(claim.id, token, claim.task))
    }
}

impl ClaimView {
    pub(super) const fn new(id: TaskId, fencing_token: FencingToken, task: ClaimedTask) -> Self {
        Self { id, fencing_token, version: fencing_token, task }
    }
}

/// The parts of a task that a worker needs.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct ClaimedTask {
    /// The kind of the task, which selects its handler.
    pub kind: String,
    /// The input of the handler.
    #[cfg_attr(feature = "openapi", schema(value_type = serde_json::Value))]
    pub payload: Box<RawValue>,
    /// The queue of the task.
    pub queue: String,
    /// The category of the task.
    pub category: Option<String>,
    /// The priority; higher runs first.
    pub priority: i16,
    /// The number of this attempt, from 1.
    pub attempt: u32,
    /// Maximum number of attempts that the policy allows.
    pub max_attempts: u32,
    /// The timeout of this attempt, in seconds.
    #[serde(with = "serde_seconds::option")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::AnyDuration>))]
    pub attempt_timeout: Option<Duration>,
    /// When the task expires.
    pub expires_at: Option<Timestamp>,
    /// A key that identifies the work to other systems: the task's own key, or its id.
    pub idempotency_key: String,
    /// The correlation id of the request that the task belongs to.
    pub correlation_id: Option<String>,
}

impl ClaimedTask {
    pub(super) fn new(claimed: &Claimed, payload: Box<RawValue>, now: Timestamp) -> Self {
        let key = claimed.idempotency_key.clone();
        Self {
            kind: claimed.kind.clone(),
            payload,
            queue: claimed.queue.clone(),
            category: claimed.category.clone(),
            priority: claimed.priority,
            attempt: claimed.progress.attempt(),
            max_attempts: claimed.policy.max_attempts(),
            attempt_timeout: claimed.attempt_limit(now),
            expires_at: claimed.expires_at,
            idempotency_key: key.unwrap_or_else(|| claimed.id.to_string()),
            correlation_id: claimed.correlation_id.clone(),
        }
    }
}

/// A heartbeat: extends the lease of a claimed task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct HeartbeatRequest {
    /// The fencing token of the claim; `version` is accepted as an alias.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub fencing_token: FencingToken,
    /// How long the lease lasts from now, unless it already lasts longer; default: 60 seconds.
    #[serde(default = "default_lease", with = "serde_seconds")]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Lease))]
    pub lease: Duration,
}

/// The completion of a claimed task.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Completion {
    /// The fencing token of the claim; `version` is accepted as an alias.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub fencing_token: FencingToken,
    /// The result of the task, stored byte for byte.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = serde_json::Value))]
    pub result: Option<Box<RawValue>>,
}

/// The failure of an attempt.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct AttemptFailure {
    /// The fencing token of the claim; `version` is accepted as an alias.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub fencing_token: FencingToken,
    /// The facts of the failure, which the task's policy classifies.
    pub fault: Fault,
    /// Whether the worker sent the idempotency key to the other system, so that a repeat is safe.
    #[serde(default)]
    pub key_in_use: bool,
    /// Whether the operation is idempotent, if the worker knows. The policy's setting takes precedence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
}

impl AttemptFailure {
    /// A failure with these facts, of an attempt of which nothing else is known.
    #[must_use]
    pub const fn new(fencing_token: FencingToken, fault: Fault) -> Self {
        Self { fencing_token, fault, key_in_use: false, idempotent: None }
    }
}

/// The decision after a failed attempt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FailResponse {
    /// The new status of the task.
    pub status: Status,
    /// The delay until the next attempt, in seconds; `null` if there is no next attempt.
    #[serde(with = "serde_seconds::option")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::AnyDuration>))]
    pub next_delay: Option<Duration>,
    /// Why there is no next attempt.
    pub reason: Option<steadfast::Reason>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D19: a result keeps its digits, and `null` is no result.
    #[test]
    fn completion_result_is_kept_byte_for_byte() {
        let read = |json: &str| {
            let completion: Completion = serde_json::from_str(json).unwrap();
            completion.result.map(|result| result.get().to_owned())
        };
        let long = r#"{"fencing_token": 1, "result": {"b": 123456789012345678901, "a": 1.50}}"#;
        assert_eq!(read(long).unwrap(), r#"{"b": 123456789012345678901, "a": 1.50}"#);
        assert_eq!(read(r#"{"fencing_token": 1, "result": null}"#), None);
        assert_eq!(read(r#"{"fencing_token": 1}"#), None);
    }

    /// D19: the former name of the fencing token is read.
    #[test]
    fn fencing_token_is_read_from_version() {
        let old: HeartbeatRequest = serde_json::from_str(r#"{"version": 7}"#).unwrap();
        let new: HeartbeatRequest = serde_json::from_str(r#"{"fencing_token": 7}"#).unwrap();
        assert_eq!((old.fencing_token, old), (FencingToken(7), new));
    }

    /// D19: both names of the fencing token are accepted if they agree.
    #[test]
    fn fencing_token_under_both_names_must_agree() {
        let both = r#"{"version": 7, "fencing_token": 7}"#;
        let read: HeartbeatRequest = serde_json::from_str(both).unwrap();
        assert_eq!(read.fencing_token, FencingToken(7));
        assert!(serde_json::from_str::<Completion>(both).is_ok());
        let differ = r#"{"version": 6, "fencing_token": 7}"#;
        let error = crate::from_json::<HeartbeatRequest>(differ, "a heartbeat").unwrap_err();
        let expected = "send either fencing_token or its former name version, not both";
        assert!(error.detail.contains(expected), "{error}");
        let missing = crate::from_json::<Completion>("{}", "a completion").unwrap_err();
        assert_eq!(missing.next.as_deref(), Some("add `fencing_token`"));
    }

    /// D19: a claim has the fencing token under both names, and is read from either.
    #[test]
    fn claim_has_fencing_token_under_both_names() {
        let task = r#"{"kind":"k","payload":{"a":1.50},"queue":"q","category":null,"priority":0,
            "attempt":1,"max_attempts":3,"attempt_timeout":null,"expires_at":null,
            "idempotency_key":"i","correlation_id":null}"#;
        let id = TaskId::fresh();
        for name in ["version", "fencing_token"] {
            let json = format!(r#"{{"id":"{id}","{name}":7,"task":{task}}}"#);
            let claim: ClaimView = serde_json::from_str(&json).unwrap();
            assert_eq!((claim.id, claim.fencing_token), (id, FencingToken(7)));
            let written = serde_json::to_value(&claim).unwrap();
            assert_eq!((&written["fencing_token"], &written["version"]), (&7.into(), &7.into()));
        }
        let without = format!(r#"{{"id":"{id}","task":{task}}}"#);
        assert!(serde_json::from_str::<ClaimView>(&without).is_err());
    }

    /// H1: the schema of a claim has the fencing token under both names.
    #[cfg(feature = "openapi")]
    #[test]
    fn claim_schema_has_both_names() {
        use utoipa::PartialSchema as _;

        let schema = serde_json::to_value(ClaimView::schema()).unwrap();
        let required = ["id", "fencing_token", "version", "task"];
        assert_eq!(schema["required"], serde_json::json!(required), "{schema}");
        assert_eq!(<ClaimView as utoipa::ToSchema>::name(), "ClaimView");
    }
}
