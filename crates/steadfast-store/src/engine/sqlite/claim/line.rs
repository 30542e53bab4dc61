//! Who goes next, of all the lines that a claim asks for.
//!
//! A line is a queue, or one category in it. Each is in claim order, so who goes next is found by
//! merging them, and a line whose head goes after all that was found is not looked into. So a claim
//! reads one head of each line, and as many rows as it may take of those that it looks into, however
//! many wait. Only kinds that are not asked for are stepped over.

use std::collections::HashMap;

use serde::Deserialize;
use sqlx::SqliteConnection;
use uuid::Uuid;

use super::super::row::{Hex, json, micros, read};
use super::rank;
use crate::error::Result;
use crate::queue::claim::{ClaimRequest, Lane, Position};

/// How the lines of a claim are found, and looked into.
struct Statements {
    heads: &'static str,
    line: &'static str,
}

const OF_QUEUES: Statements = Statements {
    heads: include_str!("../sql/claim_heads.sql"),
    line: include_str!("../sql/claim_line.sql"),
};
const OF_CATEGORIES: Statements = Statements {
    heads: include_str!("../sql/claim_heads_category.sql"),
    line: include_str!("../sql/claim_line_category.sql"),
};

/// A task in a line: its place in the line's order, and the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Standing {
    rank: i64,
    submitted_at: i64,
    pub(super) id: Hex,
    queue: i64,
}

impl Standing {
    /// The key of its row.
    pub(super) const fn place(&self) -> (i64, i64, i64, Hex) {
        (self.queue, self.rank, self.submitted_at, self.id)
    }
}

/// Before everybody: a rank, a time of submission and an id.
const START: (i64, i64, Uuid) = (i64::MIN, i64::MIN, Uuid::nil());

/// The first that the request asks for, as many as it may take.
pub(super) async fn first(
    connection: &mut SqliteConnection,
    request: &ClaimRequest,
    now: i64,
) -> Result<Vec<Standing>> {
    let asked = Asked::from(request)?;
    let mut lines = asked.lines(connection, request).await?;
    lines.sort_unstable_by_key(|line| line.head);
    let mut first = First::new(request.limit, &lines);
    for line in &lines {
        if first.all_go_before(&line.head) {
            break;
        }
        first.add(asked.look(connection, line, now).await?);
    }
    Ok(first.standing)
}

/// What the statements are told.
struct Asked {
    statements: Statements,
    /// The queues, unless it is all of them.
    queues: Option<String>,
    /// What has a line of its own in each queue.
    categories: Option<String>,
    kinds: Option<String>,
}

/// A line that has something to give.
struct Line {
    head: Standing,
    category: Option<String>,
    /// How many of the queue may be taken.
    limit: u32,
    behind: (i64, i64, Uuid),
}

/// A queue's name and number, the category in it, and who stands first.
#[derive(Deserialize)]
struct Head(String, i64, Option<String>, (i64, i64, Hex));

impl Asked {
    fn from(request: &ClaimRequest) -> Result<Self> {
        let names: Vec<_> = request.lanes.iter().map(|lane| &lane.queue).collect();
        let (statements, categories) = match &request.categories {
            Some(categories) => (OF_CATEGORIES, Some(json(categories)?)),
            None => (OF_QUEUES, None),
        };
        Ok(Self {
            statements,
            queues: (!names.is_empty()).then(|| json(&names)).transpose()?,
            categories,
            kinds: request.kinds.as_ref().map(json).transpose()?,
        })
    }

    /// The lines that have something to give.
    async fn lines(
        &self,
        connection: &mut SqliteConnection,
        request: &ClaimRequest,
    ) -> Result<Vec<Line>> {
        let heads =
            sqlx::query_scalar(self.statements.heads).bind(&self.queues).bind(&self.categories);
        let heads: String = heads.fetch_one(connection).await?;
        let lanes: HashMap<&str, &Lane> =
            request.lanes.iter().map(|lane| (lane.queue.as_str(), lane)).collect();
        let heads: Vec<Head> = read(&heads)?;
        Ok(heads
            .into_iter()
            .map(|Head(name, queue, category, (rank, submitted_at, id))| {
                let lane = lanes.get(name.as_str());
                Line {
                    head: Standing { rank, submitted_at, id, queue },
                    category,
                    limit: lane.map_or(request.limit, |lane| lane.limit.min(request.limit)),
                    behind: lane.and_then(|lane| lane.behind).map_or(START, place),
                }
            })
            .collect())
    }

    /// Who stands in a line.
    async fn look(
        &self,
        connection: &mut SqliteConnection,
        line: &Line,
        now: i64,
    ) -> Result<Vec<Standing>> {
        let queue = line.head.queue;
        let found: String = sqlx::query_scalar(self.statements.line)
            .bind(queue)
            .bind(line.behind.0)
            .bind(line.behind.1)
            .bind(line.behind.2)
            .bind(line.limit)
            .bind(now)
            .bind(&line.category)
            .bind(&self.kinds)
            .fetch_one(connection)
            .await?;
        let found = read::<Vec<(i64, i64, Hex)>>(&found)?.into_iter();
        Ok(found
            .map(|(rank, submitted_at, id)| Standing { rank, submitted_at, id, queue })
            .collect())
    }
}

fn place(position: Position) -> (i64, i64, Uuid) {
    (rank(position.priority), micros(position.submitted_at), position.id.uuid())
}

/// The first of all that were found.
struct First {
    limit: usize,
    /// How many may be taken of each queue.
    limits: HashMap<i64, u32>,
    standing: Vec<Standing>,
}

impl First {
    fn new(limit: u32, lines: &[Line]) -> Self {
        let limits = lines.iter().map(|line| (line.head.queue, line.limit)).collect();
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Self { limit, limits, standing: Vec::new() }
    }

    /// Whether there are enough, and none of them goes after this one.
    fn all_go_before(&self, head: &Standing) -> bool {
        self.standing.len() >= self.limit && self.standing.last().is_none_or(|last| last < head)
    }

    fn add(&mut self, found: Vec<Standing>) {
        self.standing.extend(found);
        self.standing.sort_unstable();
        // A category that is asked for twice is found twice.
        self.standing.dedup();
        let mut taken: HashMap<i64, u32> = HashMap::new();
        self.standing.retain(|task| {
            let taken = taken.entry(task.queue).or_default();
            *taken += 1;
            self.limits.get(&task.queue).is_none_or(|limit| *taken <= *limit)
        });
        self.standing.truncate(self.limit);
    }
}
