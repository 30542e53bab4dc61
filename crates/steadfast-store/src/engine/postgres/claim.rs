//! Taking tasks, and keeping them.

use std::collections::HashSet;
use std::sync::LazyLock;
use std::time::Duration;

use sqlx::postgres::{PgPool, PgRow};
use sqlx::{AssertSqlSafe, Row};
use uuid::Uuid;

use super::Postgres;
use super::row::{claimed, column};
use super::time::{Time, micros};
use crate::error::Result;
use crate::queue::cancel_guard::Delivery;
use crate::queue::claim::{ClaimRequest, Claimed, Claims, FencingToken, Heartbeat, Lane};
use crate::task::TaskId;

const CLAIM: &str = include_str!("sql/claim.sql");
static OF_ANY: LazyLock<String> = LazyLock::new(|| of_lines("", include_str!("sql/claim_any.sql")));
static OF_CATEGORIES: LazyLock<String> =
    LazyLock::new(|| of_lines("r.category,", include_str!("sql/claim_category.sql")));
const ROOM: &str = include_str!("sql/claim_room.sql");
/// What a claim takes from, where it says how much.
const FOUND: &str = "found /* with room */";
const HELD: &str = include_str!("sql/held.sql");
const HEARTBEAT: &str = include_str!("sql/heartbeat.sql");
const STILL_HELD: &str = include_str!("sql/still_held.sql");

impl Postgres {
    pub(super) async fn claim_tasks(&self, request: &ClaimRequest) -> Result<Claims> {
        let taking = take(self.pool.clone(), request.clone());
        let Delivery { answer: rows, unheard } = self.delivered(taking).await?;
        let tasks = self.readable(&rows, |task, _| Ok(task)).await?;
        let now = match rows.first() {
            Some(row) => row.try_get::<Time, _>(17)?.0,
            None => self.database_time().await?,
        };
        unheard.heard();
        Ok(Claims { now, tasks })
    }

    pub(super) async fn find_held(
        &self,
        id: TaskId,
        version: FencingToken,
    ) -> Result<Option<Claimed>> {
        let row = sqlx::query(HELD).bind(id.uuid()).bind(version.0);
        match row.fetch_optional(&self.pool).await? {
            Some(row) => claimed(&self.names, &self.pool, &row).await.map(Some),
            None => Ok(None),
        }
    }

    pub(super) async fn keep_alive(
        &self,
        leases: &[FencingToken],
        running: &[TaskId],
        lease: Duration,
    ) -> Result<Heartbeat> {
        let versions: Vec<i64> = leases.iter().map(|version| version.0).collect();
        let mut connection = self.pool.acquire().await?;
        let alive: Vec<i64> = sqlx::query_scalar(HEARTBEAT)
            .bind(&versions)
            .bind(micros(lease))
            .fetch_all(&mut *connection)
            .await?;
        let held: Vec<Uuid> =
            sqlx::query_scalar(STILL_HELD).bind(&alive).fetch_all(&mut *connection).await?;
        let held: HashSet<Uuid> = held.into_iter().collect();
        let gone = |id: &&TaskId| !held.contains(&id.uuid());
        Ok(Heartbeat {
            lost: leases.iter().filter(|lease| !alive.contains(&lease.0)).copied().collect(),
            ended: running.iter().filter(gone).copied().collect(),
        })
    }
}

async fn take(pool: PgPool, request: ClaimRequest) -> Result<Vec<PgRow>> {
    let statement = match &request.categories {
        None => OF_ANY.as_str(),
        Some(_) => OF_CATEGORIES.as_str(),
    };
    let statement = match request.bytes {
        None => sqlx::query(statement),
        Some(bytes) => sqlx::query(AssertSqlSafe(with_room(statement, bytes))),
    };
    let lanes = Lanes::from(request.lanes.as_slice());
    let statement = statement
        .bind(lanes.names)
        .bind(lanes.limits)
        .bind(lanes.ranks)
        .bind(lanes.times)
        .bind(lanes.ids)
        .bind(column(request.limit))
        .bind(&request.worker)
        .bind(micros(request.lease))
        .bind(&request.categories)
        .bind(&request.kinds);
    Ok(statement.fetch_all(&pool).await?)
}

/// The statement for lines in which this stands.
fn of_lines(category: &str, standing: &str) -> String {
    CLAIM.replace("/* its category, */", category).replace("/* in line */", standing)
}

/// The same statement for so many bytes of payloads. To know them it looks at each task, which
/// a claim without a bound need not.
fn with_room(statement: &str, bytes: u64) -> String {
    let bytes = i64::try_from(bytes).unwrap_or(i64::MAX).max(1).to_string();
    let room = ROOM.replace("/* bytes */", &bytes);
    statement.replace(FOUND, &format!("({room}) AS found"))
}

/// The lanes of a request, column by column.
#[derive(Default)]
struct Lanes {
    names: Vec<String>,
    limits: Vec<i32>,
    ranks: Vec<Option<i16>>,
    times: Vec<Option<Time>>,
    ids: Vec<Option<Uuid>>,
}

impl From<&[Lane]> for Lanes {
    fn from(lanes: &[Lane]) -> Self {
        let mut columns = Self::default();
        for lane in lanes {
            columns.names.push(lane.queue.clone());
            columns.limits.push(column(lane.limit));
            columns.ranks.push(lane.behind.map(|position| !position.priority));
            columns.times.push(lane.behind.map(|position| Time(position.submitted_at)));
            columns.ids.push(lane.behind.map(|position| position.id.uuid()));
        }
        columns
    }
}
