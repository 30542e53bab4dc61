//! Workers in any language (D19): claim, heartbeat, complete, fail.
//!
//! A worker elsewhere does the work and tells what went wrong; what follows from it is decided
//! here, by the same core as for every other worker, so a retry written in Python waits as long
//! as one written in Rust. It remembers two things of a task: its id and its version.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use steadfast::duration::serde_seconds;
use steadfast::{Fault, guard};
use steadfast_store::{
    Asked, Circumstances, ClaimRequest, Claimed, Invalid, Record, Settled, Settlement, Status,
    Store, TaskId, Verdict, Version,
};

use crate::error::{ApiError, ErrorKind};

/// The most that one claim takes.
const LARGEST: u32 = 1000;
/// How long a lease is that does not say.
const LEASE: Duration = Duration::from_secs(60);

/// What a worker wants.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewClaim {
    /// Who asks; named in the fault of a task that it loses.
    #[cfg_attr(feature = "openapi", schema(value_type = crate::schemas::Name))]
    pub worker: String,
    /// From these queues; from all unless said.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<crate::schemas::Name>>))]
    pub queues: Option<Vec<String>>,
    /// Only of these categories.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<crate::schemas::Name>>))]
    pub categories: Option<Vec<String>>,
    /// Only of these kinds: others are left for workers that know them.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<crate::schemas::Name>>))]
    pub kinds: Option<Vec<String>>,
    /// At most so many: 1 unless said, at most 1000.
    #[serde(default = "one")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 1000))]
    pub limit: u32,
    /// How long the tasks are the worker's unless it is heard of; a minute unless said.
    #[serde(default = "usual_lease", with = "serde_seconds")]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::schemas::Lease))]
    pub lease: Duration,
}

const fn one() -> u32 {
    1
}

const fn usual_lease() -> Duration {
    LEASE
}

impl NewClaim {
    fn request(&self) -> Result<ClaimRequest, Invalid> {
        if !(1..=LARGEST).contains(&self.limit) {
            let problem = format!("{} cannot be claimed at once; say 1 to {LARGEST}", self.limit);
            return Err(Invalid::new("limit", problem));
        }
        let mut request = ClaimRequest::new(&self.worker, self.limit).lease(self.lease);
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
    pub version: Version,
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
    #[cfg_attr(feature = "openapi", schema(value_type = Value))]
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
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::schemas::Lasting>))]
    pub attempt_timeout: Option<Duration>,
    /// When it is too late.
    pub expires_at: Option<Timestamp>,
    /// Names the work to whoever must not do it twice: the task's own key, or its id.
    pub idempotency_key: String,
    /// Ties it to what else belongs to the same request.
    pub correlation_id: Option<String>,
}

impl ClaimedTask {
    fn new(claimed: Claimed, now: Timestamp) -> Result<Self, serde_json::Error> {
        let attempt_timeout = claimed.attempt_limit(now);
        let key = claimed.idempotency_key;
        Ok(Self {
            payload: RawValue::from_string(claimed.payload)?,
            kind: claimed.kind,
            queue: claimed.queue,
            category: claimed.category,
            priority: claimed.priority,
            attempt: claimed.progress.attempt(),
            max_attempts: claimed.policy.max_attempts(),
            attempt_timeout,
            expires_at: claimed.expires_at,
            idempotency_key: key.unwrap_or_else(|| claimed.id.to_string()),
            correlation_id: claimed.correlation_id,
        })
    }
}

/// A sign of life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct SignOfLife {
    /// As claimed.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub version: Version,
    /// For how long from now; a minute unless said.
    #[serde(default = "usual_lease", with = "serde_seconds")]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::schemas::Lease))]
    pub lease: Duration,
}

/// That a task is done.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct Completion {
    /// As claimed.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub version: Version,
    /// What came of it.
    #[serde(default)]
    pub result: Value,
}

/// That an attempt failed.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct AttemptFailure {
    /// As claimed.
    #[cfg_attr(feature = "openapi", schema(value_type = i64))]
    pub version: Version,
    /// What went wrong: facts, which the task's policy judges.
    #[cfg_attr(feature = "openapi", schema(value_type = crate::schemas::Fault))]
    pub fault: Fault,
    /// Whether the key was sent along, so that repeating is safe (J9).
    #[serde(default)]
    pub key_in_use: bool,
}

/// What follows from a failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct WhatFollows {
    /// Where the task is now.
    #[cfg_attr(feature = "openapi", schema(value_type = crate::schemas::Status))]
    pub status: Status,
    /// How long until the next attempt, in seconds; nothing if there is none.
    #[serde(with = "serde_seconds::option")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::schemas::Lasting>))]
    pub next_delay: Option<Duration>,
    /// Why there is none.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::schemas::Reason>))]
    pub reason: Option<steadfast::Reason>,
}

pub(crate) async fn claim(store: &Store, wanted: &NewClaim) -> Result<Claims, ApiError> {
    let steadfast_store::Claims { now, tasks, .. } = store.claim(&wanted.request()?).await?;
    let mut claims = Vec::with_capacity(tasks.len());
    for claimed in tasks {
        if claimed.is_too_late(now) {
            settle(store, &claimed, claimed.too_late(), now).await?;
            continue;
        }
        let (id, version) = (claimed.id, claimed.version);
        let task = ClaimedTask::new(claimed, now).map_err(|error| unreadable(id, &error))?;
        claims.push(ClaimView { id, version, task });
    }
    Ok(Claims { claims, now })
}

pub(crate) async fn heartbeat(store: &Store, id: TaskId, sign: SignOfLife) -> Result<(), ApiError> {
    let SignOfLife { version, lease } = sign;
    let beat = store.heartbeat(&[version], &[id], lease).await?;
    match beat.lost.is_empty() && beat.ended.is_empty() {
        true => Ok(()),
        false => Err(stale(id, version)),
    }
}

pub(crate) async fn complete(store: &Store, id: TaskId, done: Completion) -> Result<(), ApiError> {
    let claimed = held(store, id, done.version).await?;
    let result = (!done.result.is_null()).then(|| done.result.to_string());
    let now = store.now().await?;
    settle(store, &claimed, Verdict::Completed { result }, now).await
}

pub(crate) async fn fail(
    store: &Store,
    id: TaskId,
    failure: AttemptFailure,
) -> Result<WhatFollows, ApiError> {
    let AttemptFailure { version, fault, key_in_use } = failure;
    let claimed = held(store, id, version).await?;
    let now = store.now().await?;
    let mut guards = guard::of(&claimed.policy);
    let circumstances = Circumstances { now, key_in_use };
    let verdict = claimed.failed(fault, circumstances, &mut Asked(&mut guards));
    let follows = what_follows(&verdict);
    settle(store, &claimed, verdict, now).await?;
    Ok(follows)
}

fn what_follows(verdict: &Verdict) -> WhatFollows {
    let (status, next_delay, reason) = match verdict {
        Verdict::Failed { reason, .. } => (Status::Failed, None, Some(*reason)),
        Verdict::Retry { delay, .. } if delay.is_zero() => (Status::Pending, Some(*delay), None),
        Verdict::Retry { delay, .. } => (Status::Scheduled, Some(*delay), None),
        _ => (Status::Pending, None, None),
    };
    WhatFollows { status, next_delay, reason }
}

async fn held(store: &Store, id: TaskId, version: Version) -> Result<Claimed, ApiError> {
    store.held(id, version).await?.ok_or_else(|| stale(id, version))
}

async fn settle(
    store: &Store,
    claimed: &Claimed,
    verdict: Verdict,
    now: Timestamp,
) -> Result<(), ApiError> {
    let (id, version) = (claimed.id, claimed.version);
    let event = claimed.event(&verdict, || now);
    let settlement = Settlement { id, version, verdict: verdict.clone() };
    let settled = store.settle(vec![settlement]).await?;
    if settled != [Settled::Accepted] {
        return Err(stale(id, version));
    }
    claimed.measure(&verdict, now);
    if let Some(record) = event.and_then(|event| Record::try_from(&event).ok()) {
        // The task is settled; that nobody is told of it must not have it done again.
        let _ = store.record(&[record]).await;
    }
    Ok(())
}

fn stale(id: TaskId, version: Version) -> ApiError {
    let detail = format!("task {id} is not held under version {version} any more");
    ApiError::new(ErrorKind::StaleLease, detail).field("version").next(
        "stop working on it: it was cancelled or settled, or its lease ran out and it is somebody \
         else's; send heartbeats in time",
    )
}

fn unreadable(id: TaskId, error: &serde_json::Error) -> ApiError {
    ApiError::new(ErrorKind::Failed, format!("the payload of task {id} cannot be read: {error}"))
}
