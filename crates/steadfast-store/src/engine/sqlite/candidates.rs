//! The candidates of a claim: the first pending tasks of its queues.
//!
//! A source is a queue, or one category in it. Each is in claim order, so the candidates are found
//! by merging, and a source whose head comes after all candidates is not read. So a claim reads
//! one head per source, and from the sources that it reads no more rows than it may claim, however
//! many tasks are pending. Only unwanted kinds are skipped one by one.

use std::collections::HashMap;

use serde::Deserialize;
use sqlx::SqliteConnection;
use uuid::Uuid;

use super::claim::rank;
use super::row::{Hex, decode, encode, micros};
use crate::error::Result;
use crate::queue::claim::{ClaimCursor, ClaimRequest, QueueLimit};

/// The statements that find the sources of a claim, and read one.
struct Statements {
    heads: &'static str,
    source: &'static str,
}

const OF_QUEUES: Statements = Statements {
    heads: include_str!("sql/claim_heads.sql"),
    source: include_str!("sql/claim_source.sql"),
};
const OF_CATEGORIES: Statements = Statements {
    heads: include_str!("sql/claim_heads_category.sql"),
    source: include_str!("sql/claim_source_category.sql"),
};

/// A pending task: its key in claim order, and the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    rank: i64,
    submitted_at: i64,
    pub(super) id: Hex,
    queue: i64,
}

impl Candidate {
    /// The key of its row.
    pub(super) const fn row_key(&self) -> (i64, i64, i64, Hex) {
        (self.queue, self.rank, self.submitted_at, self.id)
    }
}

/// The key before all others: a rank, a time of submission and an id.
const START: (i64, i64, Uuid) = (i64::MIN, i64::MIN, Uuid::nil());

/// The first tasks that the request may claim.
pub(super) async fn find(
    connection: &mut SqliteConnection,
    request: &ClaimRequest,
    now: i64,
) -> Result<Vec<Candidate>> {
    let query = ClaimQuery::new(request)?;
    let mut sources = query.sources(connection, request).await?;
    sources.sort_unstable_by_key(|source| source.head);
    let mut merged = Merged::new(request.limit, &sources);
    for source in &sources {
        if merged.is_full_before(&source.head) {
            break;
        }
        merged.add(query.read(connection, source, now).await?);
    }
    Ok(merged.candidates)
}

/// The parameters of the statements.
struct ClaimQuery {
    statements: Statements,
    /// The names of the queues; `None` for all.
    queues: Option<String>,
    /// The categories, each a source in every queue.
    categories: Option<String>,
    kinds: Option<String>,
}

/// A source with pending tasks.
struct Source {
    head: Candidate,
    category: Option<String>,
    /// The limit of the queue.
    limit: u32,
    after: (i64, i64, Uuid),
}

/// A queue's name and number, the category, and the key of the first task.
#[derive(Deserialize)]
struct Head(String, i64, Option<String>, (i64, i64, Hex));

impl ClaimQuery {
    fn new(request: &ClaimRequest) -> Result<Self> {
        let names: Vec<_> = request.queues.iter().map(|queue| &queue.queue).collect();
        let (statements, categories) = match &request.categories {
            Some(categories) => (OF_CATEGORIES, Some(encode(categories)?)),
            None => (OF_QUEUES, None),
        };
        Ok(Self {
            statements,
            queues: (!names.is_empty()).then(|| encode(&names)).transpose()?,
            categories,
            kinds: request.kinds.as_ref().map(encode).transpose()?,
        })
    }

    /// The sources with pending tasks.
    async fn sources(
        &self,
        connection: &mut SqliteConnection,
        request: &ClaimRequest,
    ) -> Result<Vec<Source>> {
        let heads =
            sqlx::query_scalar(self.statements.heads).bind(&self.queues).bind(&self.categories);
        let heads: String = heads.fetch_one(connection).await?;
        let queues: HashMap<&str, &QueueLimit> =
            request.queues.iter().map(|queue| (queue.queue.as_str(), queue)).collect();
        let heads: Vec<Head> = decode(&heads)?;
        Ok(heads
            .into_iter()
            .map(|Head(name, queue, category, (rank, submitted_at, id))| {
                let limits = queues.get(name.as_str());
                Source {
                    head: Candidate { rank, submitted_at, id, queue },
                    category,
                    limit: limits.map_or(request.limit, |it| it.limit.min(request.limit)),
                    after: limits.and_then(|it| it.after).map_or(START, cursor_key),
                }
            })
            .collect())
    }

    /// The first candidates of a source.
    async fn read(
        &self,
        connection: &mut SqliteConnection,
        source: &Source,
        now: i64,
    ) -> Result<Vec<Candidate>> {
        let queue = source.head.queue;
        let found: String = sqlx::query_scalar(self.statements.source)
            .bind(queue)
            .bind(source.after.0)
            .bind(source.after.1)
            .bind(source.after.2)
            .bind(source.limit)
            .bind(now)
            .bind(&source.category)
            .bind(&self.kinds)
            .fetch_one(connection)
            .await?;
        let found = decode::<Vec<(i64, i64, Hex)>>(&found)?.into_iter();
        Ok(found
            .map(|(rank, submitted_at, id)| Candidate { rank, submitted_at, id, queue })
            .collect())
    }
}

fn cursor_key(cursor: ClaimCursor) -> (i64, i64, Uuid) {
    (rank(cursor.priority), micros(cursor.submitted_at), cursor.id.uuid())
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
