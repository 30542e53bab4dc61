//! Claiming due tasks and extending leases (D4 to D7).
//!
//! A claim finds the [candidates](super::candidates), moves them to the running tasks and returns
//! their rows. The caller decodes the rows after the commit, so that the writer can run the next
//! job.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;
use sqlx::SqliteConnection;
use steadfast::Policy;
use steadfast::decide::Progress;

use super::candidates::{self, Candidate};
use super::row::{Hex, MAX_TEXT_ROWS, after, decode, encode, timestamp};
use super::{Sqlite, lease, read};
use crate::engine::{Claim, Settle as _};
use crate::error::Result;
use crate::queue::cancel_guard::Guarded;
use crate::queue::claim::{ClaimRequest, Claimed, Claims, FencingToken, Heartbeat};
use crate::queue::quarantine::DecodedBatch;
use crate::task::TaskId;

const CLAIM_ROWS: &str = include_str!("sql/claim_rows.sql");
/// Moves tasks and returns their rows, in one round trip.
const CLAIM: &str = concat!(
    include_str!("sql/claim_remove.sql"),
    ";",
    "INSERT INTO steadfast_running (id, version) SELECT unhex(value), ?2 FROM json_each(?1)",
    ";",
    include_str!("sql/claim_rows.sql")
);

#[async_trait]
impl Claim for Sqlite {
    async fn claim(&self, request: &ClaimRequest) -> Result<Claims> {
        let request = request.clone();
        let (writer, notifier) = (self.writer.clone(), self.notifier.clone());
        let claimed = self.writer.run_guarded(
            move |connection, now| Box::pin(async move { claim(connection, &request, now).await }),
            |claimed| lease::release_guard(claimed, writer, notifier),
        );
        let Guarded { answer, guard } = claimed.await?;
        let claims = Claims { now: timestamp(answer.now), tasks: answer.decode(self).await? };
        guard.disarm();
        Ok(claims)
    }

    async fn heartbeat(
        &self,
        leases: &[FencingToken],
        running: &[TaskId],
        lease: Duration,
    ) -> Result<Heartbeat> {
        let (leases, running) = (leases.to_vec(), running.to_vec());
        let heartbeat = self.writer.run(move |connection, now| {
            let until = after(now, lease);
            Box::pin(async move { lease::heartbeat(connection, &leases, &running, until).await })
        });
        heartbeat.await
    }

    async fn held(&self, id: TaskId, fencing_token: FencingToken) -> Result<Option<Claimed>> {
        let held =
            self.read(move |connection| Box::pin(lease::held(connection, id, fencing_token)));
        match held.await? {
            Some(claimed) => Ok(claimed.decode(self).await?.pop()),
            None => Ok(None),
        }
    }
}

/// The rows of claimed tasks.
#[derive(Debug)]
pub(super) struct ClaimedRows {
    pub(super) now: i64,
    /// The lease, unless no task was claimed.
    pub(super) fencing_token: Option<i64>,
    pub(super) rows: Vec<String>,
}

async fn claim(
    connection: &mut SqliteConnection,
    request: &ClaimRequest,
    now: i64,
) -> Result<ClaimedRows> {
    let mut found = candidates::find(connection, request, now).await?;
    if let Some(bytes) = request.bytes {
        let ids = found.iter().map(|candidate| candidate.id.0);
        found.truncate(read::count_within(connection, ids, bytes).await?);
    }
    if found.is_empty() {
        return Ok(ClaimedRows { now, fencing_token: None, rows: Vec::new() });
    }
    let until = after(now, request.lease);
    let fencing_token = lease::insert(connection, &request.worker, until, found.len()).await?;
    let mut rows = Vec::new();
    for chunk in found.chunks(MAX_TEXT_ROWS) {
        let ids: Vec<_> = chunk.iter().map(|candidate| candidate.id).collect();
        let keys: Vec<_> = chunk.iter().map(Candidate::row_key).collect();
        let claim =
            sqlx::query_scalar(CLAIM).bind(encode(&ids)?).bind(fencing_token).bind(encode(&keys)?);
        rows.push(claim.fetch_one(&mut *connection).await?);
    }
    Ok(ClaimedRows { now, fencing_token: Some(fencing_token), rows })
}

/// The rank of a priority: claim order is ascending, so a high priority is a low rank.
pub(super) fn rank(priority: i16) -> i64 {
    -i64::from(priority)
}

/// The rows of running tasks.
pub(super) async fn rows(connection: &mut SqliteConnection, tasks: &[Hex]) -> Result<Vec<String>> {
    let mut rows = Vec::new();
    for chunk in tasks.chunks(MAX_TEXT_ROWS) {
        let chunk = sqlx::query_scalar(CLAIM_ROWS).bind(encode(&chunk)?);
        rows.push(chunk.fetch_one(&mut *connection).await?);
    }
    Ok(rows)
}

/// A claimed task, in the order of the columns.
#[derive(Deserialize)]
struct Row {
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

impl ClaimedRows {
    /// Decodes the tasks, in claim order.
    pub(super) async fn decode(&self, engine: &Sqlite) -> Result<Vec<Claimed>> {
        let Some(fencing_token) = self.fencing_token.map(FencingToken) else {
            return Ok(Vec::new());
        };
        let mut batch = DecodedBatch::with_capacity(0);
        for rows in &self.rows {
            for row in decode::<Vec<Row>>(rows)? {
                let id = row.id.0;
                let policy = engine.policy(row.policy, id).await;
                let claimed = policy.map(|policy| row.claimed(fencing_token, policy));
                batch.push(id, fencing_token, claimed)?;
            }
        }
        if !batch.quarantined.is_empty() {
            engine.settle(batch.quarantined).await?;
        }
        let mut claimed = batch.tasks;
        claimed.sort_unstable_by_key(|task| (rank(task.priority), task.submitted_at, task.id));
        Ok(claimed)
    }
}

impl Row {
    fn claimed(self, fencing_token: FencingToken, policy: Arc<Policy>) -> Claimed {
        Claimed {
            id: self.id.0,
            fencing_token,
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
            scheduled_at: timestamp(self.due_at),
            expires_at: self.expires_at.map(timestamp),
            idempotency_key: self.key,
            correlation_id: self.correlation_id,
            hold_category: self.hold_category != 0,
        }
    }
}
