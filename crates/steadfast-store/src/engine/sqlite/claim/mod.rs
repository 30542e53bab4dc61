//! Taking due tasks, and holding them (D4 to D7).
//!
//! A claim finds who goes [next](line), moves their places and answers with their bodies. Turning
//! rows into tasks is left to whoever asked, after the commit, so that the writer goes on with the
//! next job meanwhile.

mod line;

use std::sync::Arc;

use serde::Deserialize;
use sqlx::SqliteConnection;
use steadfast::Policy;
use steadfast::decide::Progress;

use super::row::{Hex, ROWS, after, json, read, timestamp};
use super::{Sqlite, read};
use crate::engine::Engine as _;
use crate::error::Result;
use crate::queue::claim::{ClaimRequest, Claimed, FencingToken};
use crate::queue::quarantine::Readable;
use line::Standing;

const BODIES: &str = include_str!("../sql/claim_bodies.sql");
/// Moves tasks, and answers with their bodies, in one go.
const TAKE: &str = concat!(
    include_str!("../sql/claim_leave.sql"),
    ";",
    include_str!("../sql/enter_running.sql"),
    ";",
    include_str!("../sql/claim_bodies.sql")
);
const ADD_LEASE: &str = include_str!("../sql/lease_add.sql");

/// What was taken, not yet turned into tasks.
#[derive(Debug)]
pub(super) struct Taken {
    pub(super) now: i64,
    /// The lease, if there is anything under it.
    pub(super) version: Option<i64>,
    pub(super) bodies: Vec<String>,
}

/// Takes what the request asks for, as far as there is any.
pub(super) async fn take(
    connection: &mut SqliteConnection,
    request: &ClaimRequest,
    now: i64,
) -> Result<Taken> {
    let mut found = line::first(connection, request, now).await?;
    if let Some(bytes) = request.bytes {
        found.truncate(read::room(connection, found.iter().map(|task| task.id.0), bytes).await?);
    }
    if found.is_empty() {
        return Ok(Taken { now, version: None, bodies: Vec::new() });
    }
    let until = after(now, request.lease);
    let version = add_lease(connection, &request.worker, until, found.len()).await?;
    let mut bodies = Vec::new();
    for some in found.chunks(ROWS) {
        let ids: Vec<_> = some.iter().map(|task| task.id).collect();
        let places: Vec<_> = some.iter().map(Standing::place).collect();
        let taken = sqlx::query_scalar(TAKE).bind(json(&ids)?).bind(version).bind(json(&places)?);
        bodies.push(taken.fetch_one(&mut *connection).await?);
    }
    Ok(Taken { now, version: Some(version), bodies })
}

/// In a line everything ascends, so a high priority comes as a low rank.
pub(super) fn rank(priority: i16) -> i64 {
    -i64::from(priority)
}

pub(super) async fn add_lease(
    connection: &mut SqliteConnection,
    worker: &str,
    until: i64,
    tasks: usize,
) -> Result<i64> {
    let tasks = i64::try_from(tasks).unwrap_or(i64::MAX);
    let lease = sqlx::query_scalar(ADD_LEASE).bind(worker).bind(until).bind(tasks);
    Ok(lease.fetch_one(connection).await?)
}

/// All that a worker needs of tasks.
pub(super) async fn bodies(
    connection: &mut SqliteConnection,
    tasks: &[Hex],
) -> Result<Vec<String>> {
    let mut bodies = Vec::new();
    for some in tasks.chunks(ROWS) {
        bodies
            .push(sqlx::query_scalar(BODIES).bind(json(&some)?).fetch_one(&mut *connection).await?);
    }
    Ok(bodies)
}

/// A task as a worker needs it, in the order of the columns.
#[derive(Deserialize)]
struct Body {
    id: Hex,
    kind: String,
    payload: String,
    queue: String,
    category: Option<String>,
    priority: i16,
    policy: i64,
    submitted_at: i64,
    expires_at: Option<i64>,
    key: Option<String>,
    correlation_id: Option<String>,
    hold_category: u8,
    attempts: Option<u32>,
    rate_limit_waits: Option<u32>,
    previous: Option<u64>,
    counted_from: i64,
    due_at: i64,
}

impl Taken {
    /// The tasks, in claim order.
    pub(super) async fn claimed(&self, engine: &Sqlite) -> Result<Vec<Claimed>> {
        let Some(version) = self.version.map(FencingToken) else {
            return Ok(Vec::new());
        };
        let mut readable = Readable::with_capacity(0);
        for bodies in &self.bodies {
            for body in read::<Vec<Body>>(bodies)? {
                let id = body.id.0;
                let policy = engine.policy(body.policy, id).await;
                let claimed = policy.map(|policy| body.claimed(version, policy));
                readable.push(id, version, claimed)?;
            }
        }
        if !readable.set_aside.is_empty() {
            engine.settle(readable.set_aside).await?;
        }
        let mut claimed = readable.tasks;
        claimed.sort_unstable_by_key(|task| (rank(task.priority), task.submitted_at, task.id));
        Ok(claimed)
    }
}

impl Body {
    fn claimed(self, version: FencingToken, policy: Arc<Policy>) -> Claimed {
        Claimed {
            id: self.id.0,
            version,
            kind: self.kind,
            payload: self.payload,
            queue: self.queue,
            category: self.category,
            priority: self.priority,
            policy,
            progress: Progress {
                attempts: self.attempts.unwrap_or_default(),
                rate_limit_waits: self.rate_limit_waits.unwrap_or_default(),
                previous: self.previous.unwrap_or_default(),
            },
            submitted_at: timestamp(self.submitted_at),
            counted_from: timestamp(self.counted_from),
            due_at: timestamp(self.due_at),
            expires_at: self.expires_at.map(timestamp),
            idempotency_key: self.key,
            correlation_id: self.correlation_id,
            hold_category: self.hold_category != 0,
        }
    }
}
