//! Claiming due tasks and extending leases (D4 to D7).
//!
//! A claim finds the candidates, moves them to the running tasks and returns their rows. The caller
//! decodes the rows after the commit, so that the writer can run the next job.
//!
//! The candidates are the first pending tasks of the sources: a source is a queue, or one category
//! in it. Each is in claim order, so the candidates are found by merging, and a source whose head
//! comes after all candidates is not read. So a claim reads one head per source, and from the
//! sources that it reads no more rows than it may claim, however many tasks are pending. Only
//! unwanted kinds are skipped one by one.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;
use sqlx::SqliteConnection;
use steadfast::Policy;
use steadfast::decide::Progress;
use uuid::Uuid;

use super::row::{Hex, MAX_TEXT_ROWS, after, decode, encode, fetch_json, timestamp};
use super::writer::job;
use super::{Sqlite, lease, read};
use crate::engine::{Claim, Settle as _};
use crate::error::Result;
use crate::queue::cancel_guard::Guarded;
use crate::queue::claim::{
    ClaimCursor, ClaimRequest, Claimed, Claims, FencingToken, Heartbeat, QueueLimit,
};
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
        let claim = job!(|connection, now| claim(connection, &request, now).await);
        let guard = |claimed: &_| lease::release_guard(claimed, writer, notifier);
        let Guarded { answer, guard } = self.writer.run_guarded(claim, guard).await?;
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
        let heartbeat = job!(|connection, now| {
            lease::heartbeat(connection, &leases, &running, after(now, lease)).await
        });
        self.writer.run(heartbeat).await
    }

    async fn held(&self, id: TaskId, fencing_token: FencingToken) -> Result<Option<Claimed>> {
        let held = lease::held(&mut **self.reader().await?, id, fencing_token).await?;
        match held {
            Some(claimed) => Ok(claimed.decode(self).await?.pop()),
            None => Ok(None),
        }
    }
}

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
    let mut found = find(connection, request, now).await?;
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
fn rank(priority: i16) -> i64 {
    -i64::from(priority)
}

pub(super) async fn rows(connection: &mut SqliteConnection, tasks: &[Hex]) -> Result<Vec<String>> {
    let mut rows = Vec::new();
    for chunk in tasks.chunks(MAX_TEXT_ROWS) {
        let chunk = sqlx::query_scalar(CLAIM_ROWS).bind(encode(&chunk)?);
        rows.push(chunk.fetch_one(&mut *connection).await?);
    }
    Ok(rows)
}

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

/// A pending task: its key in claim order, and the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    rank: i64,
    submitted_at: i64,
    id: Hex,
    queue: i64,
}

impl Candidate {
    const fn row_key(&self) -> (i64, i64, i64, Hex) {
        (self.queue, self.rank, self.submitted_at, self.id)
    }
}

/// The key before all others: a rank, a time of submission and an id.
const START: (i64, i64, Uuid) = (i64::MIN, i64::MIN, Uuid::nil());

/// The first tasks that the request may claim.
async fn find(
    connection: &mut SqliteConnection,
    request: &ClaimRequest,
    now: i64,
) -> Result<Vec<Candidate>> {
    let mut sources = sources(connection, request).await?;
    sources.sort_unstable_by_key(|source| source.head);
    let kinds = request.kinds.as_ref().map(encode).transpose()?;
    let mut merged = Merged::new(request.limit, &sources);
    for source in &sources {
        if merged.is_full_before(&source.head) {
            break;
        }
        merged.add(source.read(connection, kinds.as_deref(), now).await?);
    }
    Ok(merged.candidates)
}

/// A queue, or one category in it, that has pending tasks.
struct Source {
    head: Candidate,
    category: Option<String>,
    /// The limit of the queue.
    limit: u32,
    after: (i64, i64, Uuid),
}

/// A queue's name and number, the category, and the key of the first task.
type Head = (String, i64, Option<String>, (i64, i64, Hex));

async fn sources(connection: &mut SqliteConnection, request: &ClaimRequest) -> Result<Vec<Source>> {
    let queues: HashMap<&str, &QueueLimit> =
        request.queues.iter().map(|queue| (queue.queue.as_str(), queue)).collect();
    let names: Vec<_> = queues.keys().collect();
    let heads = sqlx::query(match request.categories {
        Some(_) => include_str!("sql/claim_heads_category.sql"),
        None => include_str!("sql/claim_heads.sql"),
    });
    let heads = heads
        .bind((!names.is_empty()).then(|| encode(&names)).transpose()?)
        .bind(request.categories.as_ref().map(encode).transpose()?);
    let heads: Vec<Head> = fetch_json(connection, heads).await?;
    let source = |(name, queue, category, (rank, submitted_at, id)): Head| {
        let limits = queues.get(name.as_str());
        Source {
            head: Candidate { rank, submitted_at, id, queue },
            category,
            limit: limits.map_or(request.limit, |it| it.limit.min(request.limit)),
            after: limits.and_then(|it| it.after).map_or(START, cursor_key),
        }
    };
    Ok(heads.into_iter().map(source).collect())
}

impl Source {
    /// Its first candidates.
    async fn read(
        &self,
        connection: &mut SqliteConnection,
        kinds: Option<&str>,
        now: i64,
    ) -> Result<Vec<Candidate>> {
        let queue = self.head.queue;
        let found = sqlx::query(match self.category {
            Some(_) => include_str!("sql/claim_source_category.sql"),
            None => include_str!("sql/claim_source.sql"),
        });
        let found = found
            .bind(queue)
            .bind(self.after.0)
            .bind(self.after.1)
            .bind(self.after.2)
            .bind(self.limit)
            .bind(now)
            .bind(&self.category)
            .bind(kinds);
        let found: Vec<(i64, i64, Hex)> = fetch_json(connection, found).await?;
        let candidate = |(rank, submitted_at, id)| Candidate { rank, submitted_at, id, queue };
        Ok(found.into_iter().map(candidate).collect())
    }
}

fn cursor_key(cursor: ClaimCursor) -> (i64, i64, Uuid) {
    (rank(cursor.priority), cursor.submitted_at.as_microsecond(), cursor.id.uuid())
}

/// The first candidates of all sources.
struct Merged {
    limit: usize,
    /// The limit of each queue.
    limits: HashMap<i64, u32>,
    candidates: Vec<Candidate>,
}

impl Merged {
    fn new(limit: u32, sources: &[Source]) -> Self {
        let limits = sources.iter().map(|source| (source.head.queue, source.limit)).collect();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Self { limit, limits, candidates: Vec::new() }
    }

    /// Whether there are enough, all of them before this one.
    fn is_full_before(&self, head: &Candidate) -> bool {
        self.candidates.len() >= self.limit && self.candidates.last().is_none_or(|last| last < head)
    }

    fn add(&mut self, found: Vec<Candidate>) {
        self.candidates.extend(found);
        self.candidates.sort_unstable();
        // A category that is requested twice is found twice.
        self.candidates.dedup();
        let mut taken: HashMap<i64, u32> = HashMap::new();
        self.candidates.retain(|task| {
            let taken = taken.entry(task.queue).or_default();
            *taken += 1;
            self.limits.get(&task.queue).is_none_or(|limit| *taken <= *limit)
        });
        self.candidates.truncate(self.limit);
    }
}
