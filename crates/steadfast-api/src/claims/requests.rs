//! Workers in any language (D19): claim, heartbeat, complete, fail.
//!
//! A worker elsewhere does the work and tells what went wrong; what follows from it is decided
//! here, by the same core as for every other worker, so a retry written in Python waits as long
//! as one written in Rust, and meets the same breakers and budgets (G4). It remembers two things of
//! a task: its id and its version.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use steadfast::duration::serde_seconds;
use steadfast::{Fault, read_from_objects, serde_integer};
use steadfast_store::{ClaimRequest, Claimed, FencingToken, Invalid, Status, TaskId};

read_from_objects!(NewClaim, HeartbeatRequest, Completion, AttemptFailure);

/// The most that one claim takes.
const LARGEST: u32 = 1000;
/// The most bytes of payloads that one answer carries, but for a single longer one.
const MOST_BYTES: u64 = 8 << 20;
/// How long a lease is that does not say.
pub(super) const LEASE: Duration = Duration::from_secs(60);

/// What a worker wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct NewClaim {
    /// Who asks; named in the fault of a task that it loses.
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Name))]
    pub worker: String,
    /// From these queues; from all unless said.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<crate::openapi::Name>>, min_items = 1))]
    pub queues: Option<Vec<String>>,
    /// Only of these categories.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<crate::openapi::Name>>, min_items = 1))]
    pub categories: Option<Vec<String>>,
    /// Only of these kinds: others are left for workers that know them.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<crate::openapi::Name>>, min_items = 1))]
    pub kinds: Option<Vec<String>>,
    /// At most so many: 1 unless said, at most 1000. Fewer come if their payloads have more than
    /// 8 MiB together; the others are not taken.
    #[serde(default = "one", deserialize_with = "serde_integer::deserialize")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 1000))]
    pub limit: u32,
    /// How long the tasks are the worker's unless it is heard of; a minute unless said.
    #[serde(default = "usual_lease", with = "serde_seconds")]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Lease))]
    pub lease: Duration,
}

const fn one() -> u32 {
    1
}

const fn usual_lease() -> Duration {
    LEASE
}

fn version<'de, D: Deserializer<'de>>(from: D) -> Result<FencingToken, D::Error> {
    serde_integer::deserialize(from).map(FencingToken)
}

impl NewClaim {
    pub(super) fn request(&self) -> Result<ClaimRequest, Invalid> {
        if !(1..=LARGEST).contains(&self.limit) {
            let problem = format!("{} cannot be claimed at once; say 1 to {LARGEST}", self.limit);
            return Err(Invalid::new("limit", problem));
        }
        for (field, named) in
            [("queues", &self.queues), ("categories", &self.categories), ("kinds", &self.kinds)]
        {
            if named.as_ref().is_some_and(Vec::is_empty) {
                // By a mistake in its own list a worker would get everybody's work, or none.
                return Err(Invalid::new(field, "names none; leave it out to ask for all"));
            }
        }
        let request = ClaimRequest::new(&self.worker, self.limit).lease(self.lease);
        let mut request = request.bytes(MOST_BYTES);
        for queue in self.queues.iter().flatten() {
            request = request.queue(queue);
        }
        request.categories.clone_from(&self.categories);
        request.kinds.clone_from(&self.kinds);
        Ok(request)
    }
}

/// What a worker got.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Claims {
    /// The tasks, in the order in which they are to be started.
    pub claims: Vec<ClaimView>,
    /// The store's time.
    pub now: Timestamp,
}

/// One task in the hands of a worker.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ClaimView {
    /// Which task.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = "uuid"))]
    pub id: TaskId,
    /// What every word about it must carry.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub version: FencingToken,
    /// What is to be done.
    pub task: ClaimedTask,
}

/// What a worker needs to know of a task.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct ClaimedTask {
    /// Who does it.
    pub kind: String,
    /// What is to be done.
    #[cfg_attr(feature = "openapi", schema(value_type = serde_json::Value))]
    pub payload: Box<RawValue>,
    /// The line it stood in.
    pub queue: String,
    /// What it is about.
    pub category: Option<String>,
    /// A higher one goes first.
    pub priority: i16,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// How many there may be.
    pub max_attempts: u32,
    /// How long the attempt may take, in seconds.
    #[serde(with = "serde_seconds::option")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Lasting>))]
    pub attempt_timeout: Option<Duration>,
    /// When it is too late.
    pub expires_at: Option<Timestamp>,
    /// Names the work to whoever must not do it twice: the task's own key, or its id.
    pub idempotency_key: String,
    /// Ties it to what else belongs to the same request.
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

/// A sign of life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct HeartbeatRequest {
    /// As claimed.
    #[serde(deserialize_with = "version")]
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub version: FencingToken,
    /// For how long from now, unless its claim has longer; a minute unless said.
    #[serde(default = "usual_lease", with = "serde_seconds")]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Lease))]
    pub lease: Duration,
}

/// That a task is done.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct Completion {
    /// As claimed.
    #[serde(deserialize_with = "version")]
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub version: FencingToken,
    /// What came of it, kept as it was written: the digits of its numbers are the worker's.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = serde_json::Value))]
    pub result: Option<Box<RawValue>>,
}

/// That an attempt failed.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, remote = "Self")]
pub struct AttemptFailure {
    /// As claimed.
    #[serde(deserialize_with = "version")]
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub version: FencingToken,
    /// What went wrong: facts, which the task's policy judges.
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Fault))]
    pub fault: Fault,
    /// Whether the key was sent along, so that repeating is safe.
    #[serde(default)]
    pub key_in_use: bool,
}

/// What follows from a failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FailResponse {
    /// Where the task is now.
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Status))]
    pub status: Status,
    /// How long until the next attempt, in seconds; nothing if there is none.
    #[serde(with = "serde_seconds::option")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Lasting>))]
    pub next_delay: Option<Duration>,
    /// Why there is none.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Reason>))]
    pub reason: Option<steadfast::Reason>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D19: a result is kept digit by digit, and null is none.
    #[test]
    fn a_result_is_read_as_it_was_written() {
        let read = |json: &str| {
            let done: Completion = serde_json::from_str(json).unwrap();
            done.result.map(|result| result.get().to_owned())
        };
        let long = r#"{"version": 1, "result": {"b": 123456789012345678901, "a": 1.50}}"#;
        assert_eq!(read(long).unwrap(), r#"{"b": 123456789012345678901, "a": 1.50}"#);
        assert_eq!(read(r#"{"version": 1, "result": null}"#), None);
        assert_eq!(read(r#"{"version": 1}"#), None);
    }
}
