//! Looking at tasks.

use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Value;
use sqlx::postgres::{PgArguments, PgConnection, PgRow};
use sqlx::{AssertSqlSafe, Row};
use steadfast::{Class, Policy, Reason};
use uuid::Uuid;

use super::Postgres;
use super::row::count;
use super::time::Time;
use crate::error::{Invalid, Result, StoreError};
use crate::page::Place;
use crate::page::{Page, PageRequest};
use crate::queue::claim::FencingToken;
use crate::task::decode_error::Damage;
use crate::task::faults::faults;
use crate::task::filter::{Documents, Filter, LOOKS_AT};
use crate::task::{HeldLease, LastError, Status, StoredTask, TaskId};

const FIND: &str = include_str!("sql/find.sql");
const HISTORIES: &str = include_str!("sql/histories.sql");
const LEASE: &str = include_str!("sql/lease.sql");
const LIST: &str = include_str!("sql/list.sql");
const DOCUMENTS: &str = include_str!("sql/documents.sql");
const SIFTED: &str = include_str!("sql/list_sifted.sql");
const BOUND: &str = include_str!("sql/list_bound.sql");
const BOUND_PENDING: &str = include_str!("sql/list_bound_pending.sql");

/// Where each list begins, its order, and the order's name in cursors. The states are literal,
/// because a bound one would hide the index that is made for it.
const fn driven_by(status: Option<Status>) -> (&'static str, &'static str, &'static str) {
    let driver = match status {
        Some(Status::Pending) => {
            return (include_str!("sql/list_pending.sql"), "d.rank, d.sort, d.id", "line");
        }
        Some(Status::Scheduled) => {
            return (include_str!("sql/list_scheduled.sql"), "d.sort, d.id", "due");
        }
        None => include_str!("sql/list_all.sql"),
        Some(Status::Running) => include_str!("sql/list_running.sql"),
        Some(Status::Completed) => include_str!("sql/list_completed.sql"),
        Some(Status::Failed) => include_str!("sql/list_failed.sql"),
        Some(Status::Cancelled) => include_str!("sql/list_cancelled.sql"),
    };
    (driver, "d.id DESC", "newest")
}

impl Postgres {
    pub(super) async fn find(&self, id: TaskId) -> Result<Option<StoredTask>> {
        self.find_on(&mut *self.pool.acquire().await?, id).await
    }

    pub(super) async fn find_on(
        &self,
        connection: &mut PgConnection,
        id: TaskId,
    ) -> Result<Option<StoredTask>> {
        let found = sqlx::query(FIND).bind(id.uuid()).fetch_optional(&mut *connection).await?;
        let Some(row) = found else {
            return Ok(None);
        };
        let mut task = self.with_history(&row).await?;
        if task.status == Status::Running {
            let lease = sqlx::query(LEASE).bind(id.uuid()).fetch_optional(connection).await?;
            task.lease = lease.as_ref().map(held).transpose()?;
        }
        Ok(Some(task))
    }

    pub(super) async fn find_histories(&self, ids: &[TaskId]) -> Result<Vec<StoredTask>> {
        let ids: Vec<Uuid> = ids.iter().map(|id| id.uuid()).collect();
        let rows = sqlx::query(HISTORIES).bind(ids).fetch_all(&self.pool).await?;
        let mut tasks = Vec::with_capacity(rows.len());
        for row in &rows {
            tasks.push(self.with_history(row).await?);
        }
        Ok(tasks)
    }

    /// A task with its faults, out of its row.
    async fn with_history(&self, row: &PgRow) -> Result<StoredTask> {
        let mut task = self.stored(row, row).await?;
        let mut damage = Damage::beside(task.problem.take());
        let (records, times): (Vec<String>, Vec<Time>) =
            (row.try_get("loose_faults")?, row.try_get("loose_times")?);
        let rows = times.into_iter().map(|time| time.0).zip(records);
        task.faults = faults(task.id, row.try_get("packed_faults")?, rows, &mut damage)?;
        task.problem = damage.told();
        Ok(task)
    }

    pub(super) async fn find_by_key(&self, key: &str) -> Result<Option<TaskId>> {
        let found: Option<Uuid> =
            sqlx::query_scalar("SELECT id FROM steadfast.tasks WHERE idempotency_key = $1")
                .bind(key)
                .fetch_optional(&self.pool)
                .await?;
        Ok(found.map(TaskId::from))
    }

    pub(super) async fn list(
        &self,
        filter: &Filter,
        page: &PageRequest,
        documents: Documents,
    ) -> Result<Page<StoredTask>> {
        let (driver, order, name) = driven_by(filter.status);
        let after = page.after.as_ref().map(|cursor| Place::read(cursor, name)).transpose()?;
        let mut walk = Walk::behind(after, filter)?;
        let mut list = LIST;
        if filter.sifts() {
            list = SIFTED;
            let bound = match filter.status {
                Some(Status::Pending) => BOUND_PENDING.to_owned(),
                _ => BOUND.replace("/* driver */", driver).replace("/* order */", order),
            };
            let bound = walk.bound(&bound, i64::from(LOOKS_AT) - 1);
            let bound = bound.fetch_optional(&self.pool).await?;
            walk.stop_at(bound.as_ref().map(place).transpose()?)?;
        }
        let statement = list.replace("/* driver */", driver).replace("/* order */", order);
        let rows = walk.bound(&statement, i64::from(page.limit) + 1).fetch_all(&self.pool).await?;
        let shown = rows.get(..page.limit as usize).unwrap_or(&rows);
        let mut items = Vec::with_capacity(shown.len());
        match documents {
            Documents::Without => {
                for row in shown {
                    items.push(self.stored(row, row).await?);
                }
            }
            Documents::UpTo(bytes) => {
                let documents = self.documents(shown, bytes).await?;
                for (row, documents) in shown.iter().zip(&documents) {
                    items.push(self.stored(row, documents).await?);
                }
            }
        }
        let shown = items.len();
        let last = match shown.checked_sub(1).and_then(|last| rows.get(last)) {
            Some(last) if rows.len() > shown => Some(place(last)?),
            _ => walk.end,
        };
        Ok(Page { items, next: last.map(|place| place.cursor(name)) })
    }

    /// The documents of the first of these rows, as far as there is room for them.
    async fn documents(&self, rows: &[PgRow], bytes: u64) -> Result<Vec<PgRow>> {
        let ids = rows.iter().map(|row| row.try_get::<Uuid, _>("id"));
        let ids = ids.collect::<Result<Vec<_>, _>>()?;
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX).max(1);
        Ok(sqlx::query(DOCUMENTS).bind(ids).bind(bytes).fetch_all(&self.pool).await?)
    }

    /// A task out of its row, and the row that has its documents.
    pub(super) async fn stored(&self, row: &PgRow, documents: &PgRow) -> Result<StoredTask> {
        let id = TaskId::from(row.try_get::<Uuid, _>("id")?);
        let mut damage = Damage::default();
        let policy = self.names.policy_value(&self.pool, row.try_get("policy")?, id).await;
        let mut task = stored(id, damage.unless(policy)?, row)?;
        task.payload = document(id, documents, "payload", &mut damage)?.unwrap_or_default();
        task.result = document(id, documents, "result", &mut damage)?;
        task.problem = damage.told();
        Ok(task)
    }
}

/// A way along a list: the place it begins behind, and the one that it does not go beyond.
struct Walk<'f> {
    filter: &'f Filter,
    behind: Option<Place>,
    end: Option<Place>,
    /// Both places as the statements take them: a rank, if the list is ordered by it, and a time.
    from: (Option<i16>, Option<Time>),
    to: (Option<i16>, Option<Time>),
}

impl<'f> Walk<'f> {
    fn behind(behind: Option<Place>, filter: &'f Filter) -> Result<Self, Invalid> {
        let from = bounds(behind.as_ref(), filter.status)?;
        Ok(Self { filter, behind, end: None, from, to: (None, None) })
    }

    fn stop_at(&mut self, end: Option<Place>) -> Result<(), Invalid> {
        self.to = bounds(end.as_ref(), self.filter.status)?;
        self.end = end;
        Ok(())
    }

    /// A statement that is told the way, and how many: to find, or to step over.
    fn bound(
        &self,
        statement: &str,
        count: i64,
    ) -> sqlx::query::Query<'f, sqlx::Postgres, PgArguments> {
        let filter = self.filter;
        let ids: Option<Vec<Uuid>> =
            filter.ids.as_ref().map(|ids| ids.iter().map(|id| id.uuid()).collect());
        sqlx::query(AssertSqlSafe(statement.to_owned()))
            .bind(self.from.0)
            .bind(self.behind.map(|place| place.id.uuid()))
            .bind(count)
            .bind(ids)
            .bind(&filter.queue)
            .bind(&filter.category)
            .bind(&filter.kind)
            .bind(filter.class.map(Class::name))
            .bind(&filter.correlation_id)
            .bind(filter.due_before.map(Time))
            .bind(filter.submitted_after.map(Time))
            .bind(filter.ended_after.map(Time))
            .bind(filter.status.map(Status::name))
            .bind(filter.is_by_status_alone().then_some(count))
            .bind(self.from.1)
            .bind(self.end.map(|place| place.id.uuid()))
            .bind(self.to.1)
            .bind(self.to.0)
    }
}

pub(super) fn json(text: &str) -> Result<Value> {
    serde_json::from_str(text).map_err(|error| sqlx::Error::Decode(Box::new(error)).into())
}

fn held(row: &PgRow) -> Result<HeldLease> {
    Ok(HeldLease {
        owner: row.try_get("worker")?,
        until: row.try_get::<Time, _>("until")?.0,
        version: FencingToken(row.try_get("version")?),
    })
}

fn document(id: TaskId, row: &PgRow, column: &str, damage: &mut Damage) -> Result<Option<Value>> {
    let Some(text) = row.try_get::<Option<&str>, _>(column)? else {
        return Ok(None);
    };
    let damaged = |error| StoreError::Damaged {
        id,
        problem: format!("its {column} cannot be read: {error}"),
    };
    damage.unless(serde_json::from_str(text).map_err(damaged))
}

/// A task without its documents.
fn stored(id: TaskId, policy: Option<Arc<Policy>>, row: &PgRow) -> Result<StoredTask> {
    let time = |name| row.try_get::<Time, &str>(name).map(|time| time.0);
    let maybe = |name| row.try_get::<Option<Time>, &str>(name).map(|time| time.map(|time| time.0));
    let damaged = |problem: String| StoreError::Damaged { id, problem };
    let status: Status =
        row.try_get::<&str, _>("status")?.parse().map_err(|e: Invalid| damaged(e.to_string()))?;
    let class: Option<&str> = row.try_get("last_class")?;
    let reason: Option<&str> = row.try_get("reason")?;
    let message: Option<String> = row.try_get("last_message")?;
    Ok(StoredTask {
        id,
        kind: row.try_get("kind")?,
        payload: Value::Null,
        queue: row.try_get("queue")?,
        category: row.try_get("category")?,
        priority: row.try_get("priority")?,
        max_attempts: policy.as_ref().map_or(0, |policy| policy.max_attempts()),
        policy,
        status,
        reason: reason.and_then(named::<Reason>),
        attempts: count(row.try_get("attempts")?),
        rate_limit_waits: count(row.try_get("rate_limit_waits")?),
        submitted_at: time("submitted_at")?,
        counted_from: time("counted_from")?,
        scheduled_at: time("scheduled_at")?,
        last_attempt_at: maybe("last_attempt_at")?,
        ended_at: maybe("ended_at")?,
        expires_at: maybe("expires_at")?,
        lease: None,
        last_error: class
            .and_then(named::<Class>)
            .map(|class| LastError { class, message: message.unwrap_or_default() }),
        faults: Vec::new(),
        result: None,
        idempotency_key: row.try_get("idempotency_key")?,
        correlation_id: row.try_get("correlation_id")?,
        hold_category: row.try_get("hold_category")?,
        problem: None,
    })
}

/// A class or a reason by its name in rows; nothing if a newer version named it.
fn named<T: serde::de::DeserializeOwned>(name: &str) -> Option<T> {
    serde_json::from_value(Value::String(name.to_owned())).ok()
}

/// A place as the statements take it: the rank, if the list is ordered by it, and the time.
fn bounds(
    place: Option<&Place>,
    status: Option<Status>,
) -> Result<(Option<i16>, Option<Time>), Invalid> {
    let Some(place) = place else {
        return Ok((None, None));
    };
    let foreign = || Invalid::new("after", "no place in this list; begin without one");
    let time = |micros| Timestamp::from_microsecond(micros).map(Time).map_err(|_| foreign());
    let rank = |rank| i16::try_from(rank).map_err(|_| foreign());
    match status {
        Some(Status::Pending) => Ok((Some(rank(place.first)?), Some(time(place.second)?))),
        Some(Status::Scheduled) => Ok((None, Some(time(place.first)?))),
        _ => Ok((None, None)),
    }
}

fn place(row: &PgRow) -> Result<Place> {
    let id = row.try_get::<Uuid, _>("id")?.into();
    Ok(Place { first: row.try_get("first")?, second: row.try_get("second")?, id })
}
