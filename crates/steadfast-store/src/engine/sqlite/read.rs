//! Looking at tasks one by one (D2).

use std::sync::Arc;

use serde_json::Value;
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};
use steadfast::{Class, Policy, Reason};
use uuid::Uuid;

use super::Sqlite;
use super::history;
use super::row::{ids, timestamp};
use crate::error::{Result, StoreError};
use crate::queue::claim::FencingToken;
use crate::task::decode_error::Damage;
use crate::task::{HeldLease, LastError, Status, StoredTask, TaskId};

const BY_KEY: &str = include_str!("sql/look_by_key.sql");
const LOOK: &str = include_str!("sql/look.sql");
const ROOM: &str = include_str!("sql/room.sql");

/// What a task comes with that may be long.
#[derive(Clone, Copy, Debug)]
pub(super) struct With {
    faults: bool,
    documents: bool,
}

impl With {
    pub(super) const NOTHING: Self = Self { faults: false, documents: false };
    pub(super) const FAULTS: Self = Self { faults: true, documents: false };
    pub(super) const DOCUMENTS: Self = Self { faults: false, documents: true };
    pub(super) const EVERYTHING: Self = Self { faults: true, documents: true };
}

/// All else about these tasks, in their order, as far as they are there.
pub(super) async fn rows(
    connection: &mut SqliteConnection,
    tasks: Vec<TaskId>,
    with: With,
) -> Result<Vec<SqliteRow>> {
    let look = sqlx::query(LOOK).bind(ids(tasks)?).bind(with.faults).bind(with.documents);
    Ok(look.fetch_all(connection).await?)
}

/// How many of these, from the first on, have so many bytes of documents: one at least.
pub(super) async fn room(
    connection: &mut SqliteConnection,
    tasks: impl IntoIterator<Item = TaskId>,
    bytes: u64,
) -> Result<usize> {
    let bytes = i64::try_from(bytes).unwrap_or(i64::MAX).max(1);
    let room = sqlx::query_scalar::<_, i64>(ROOM).bind(ids(tasks)?).bind(bytes);
    Ok(usize::try_from(room.fetch_one(connection).await?).unwrap_or_default())
}

/// The task that an idempotency key belongs to.
pub(super) async fn by_key(
    connection: &mut SqliteConnection,
    key: String,
) -> Result<Option<TaskId>> {
    let id = sqlx::query_scalar::<_, Uuid>(BY_KEY).bind(key).fetch_optional(connection).await?;
    Ok(id.map(TaskId::from))
}

impl Sqlite {
    /// Tasks out of their rows.
    pub(super) async fn all_stored(&self, rows: &[SqliteRow]) -> Result<Vec<StoredTask>> {
        let mut tasks = Vec::with_capacity(rows.len());
        for row in rows {
            tasks.push(self.stored(row).await?);
        }
        Ok(tasks)
    }

    /// A task out of its row.
    pub(super) async fn stored(&self, row: &SqliteRow) -> Result<StoredTask> {
        let id = TaskId::from(row.try_get::<Uuid, _>("id")?);
        let policy = self.policy(row.try_get("policy")?, id).await;
        let mut damage = Damage::default();
        let policy = damage.unless(policy)?;
        let mut task = Columns { row, id }.task(policy, &mut damage)?;
        task.problem = damage.told();
        Ok(task)
    }
}

/// A task's row, being read.
struct Columns<'r> {
    row: &'r SqliteRow,
    id: TaskId,
}

impl Columns<'_> {
    fn task(&self, policy: Option<Arc<Policy>>, damage: &mut Damage) -> Result<StoredTask> {
        let row = self.row;
        let status = self.status()?;
        let ended_at = self.time("ended_at")?;
        // A success is an attempt like any other; it is counted here, so that nothing but the
        // ending has to be written for it.
        let is_completed = status == Status::Completed;
        let last_attempt_at = self.time("last_attempt_at")?;
        Ok(StoredTask {
            id: self.id,
            kind: row.try_get("kind")?,
            payload: self.document("payload", damage)?.unwrap_or_default(),
            queue: row.try_get("queue")?,
            category: row.try_get("category")?,
            priority: row.try_get("priority")?,
            max_attempts: policy.as_ref().map_or(0, |policy| policy.max_attempts()),
            policy,
            status,
            reason: self.named::<Reason>("reason")?,
            attempts: row.try_get::<u32, _>("attempts")? + u32::from(is_completed),
            rate_limit_waits: row.try_get("rate_limit_waits")?,
            submitted_at: timestamp(row.try_get("submitted_at")?),
            counted_from: timestamp(row.try_get("counted_from")?),
            scheduled_at: timestamp(row.try_get("due_at")?),
            last_attempt_at: if is_completed { ended_at } else { last_attempt_at },
            ended_at,
            expires_at: self.time("expires_at")?,
            lease: self.lease()?,
            last_error: self.last_error()?,
            faults: history::faults(row, self.id, damage)?,
            result: self.document("result", damage)?,
            idempotency_key: row.try_get("key")?,
            correlation_id: row.try_get("correlation_id")?,
            hold_category: row.try_get("hold_category")?,
            problem: None,
        })
    }

    /// Where it is. What waits although its time has come is about to be made ready.
    fn status(&self) -> Result<Status> {
        if let Some(ended) = self.row.try_get::<Option<&str>, _>("status")? {
            return ended.parse().map_err(|problem| self.damaged(problem));
        }
        if self.row.try_get::<Option<i64>, _>("version")?.is_some() {
            return Ok(Status::Running);
        }
        let (due_at, now): (i64, i64) = (self.row.try_get("due_at")?, self.row.try_get("now")?);
        Ok(if due_at > now { Status::Scheduled } else { Status::Pending })
    }

    fn lease(&self) -> Result<Option<HeldLease>> {
        let Some(version) = self.row.try_get("version")? else {
            return Ok(None);
        };
        let (owner, until) = (self.row.try_get("owner")?, self.row.try_get("until")?);
        Ok(Some(HeldLease { owner, until: timestamp(until), version: FencingToken(version) }))
    }

    fn last_error(&self) -> Result<Option<LastError>> {
        let Some(class) = self.named::<Class>("class")? else {
            return Ok(None);
        };
        Ok(Some(LastError { class, message: self.row.try_get("message")? }))
    }

    fn time(&self, column: &str) -> Result<Option<jiff::Timestamp>> {
        Ok(self.row.try_get::<Option<i64>, _>(column)?.map(timestamp))
    }

    /// One of a few names.
    fn named<T: serde::de::DeserializeOwned>(&self, column: &str) -> Result<Option<T>> {
        let Some(name) = self.row.try_get::<Option<String>, _>(column)? else {
            return Ok(None);
        };
        serde_json::from_value(Value::String(name)).map(Some).map_err(|e| self.damaged(e))
    }

    fn document(&self, column: &str, damage: &mut Damage) -> Result<Option<Value>> {
        let Some(text) = self.row.try_get::<Option<&str>, _>(column)? else {
            return Ok(None);
        };
        let read = serde_json::from_str(text);
        damage.unless(read.map_err(|e| self.damaged(format!("its {column} cannot be read: {e}"))))
    }

    fn damaged(&self, problem: impl ToString) -> StoreError {
        StoreError::Damaged { id: self.id, problem: problem.to_string() }
    }
}
