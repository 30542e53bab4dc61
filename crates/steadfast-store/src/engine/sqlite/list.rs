//! Lists of tasks, a page at a time (D15).
//!
//! A list has the order of an existing index: claim order, due time, or id. So a page costs what
//! it shows, however long the list is. Where a filter has to scan tasks, a page scans a bounded
//! number of them.

use sqlx::query::Query;
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{QueryBuilder, Row, Sqlite, SqliteConnection};
use uuid::Uuid;

use super::read::{self, Parts};
use super::row::micros;
use super::{filter, now};
use crate::error::Result;
use crate::page::{Cursor, PageRequest, SortKey};
use crate::task::filter::{Documents, Filter, MAX_SCANNED_ROWS};
use crate::task::{Status, TaskId};

/// A list selects the two numbers that it is ordered by, or zeroes, and the id. The conditions of
/// the filter follow, then the order.
const LIST_ALL: &str = "SELECT 0, 0, task.id FROM steadfast_tasks AS task WHERE true";
const LIST_RUNNING: &str = "SELECT 0, 0, place.id FROM steadfast_running AS place \
     CROSS JOIN steadfast_tasks AS task ON task.id = place.id WHERE true";
const LIST_ENDED: &str = "SELECT 0, 0, place.id FROM steadfast_ended AS place \
     CROSS JOIN steadfast_tasks AS task ON task.id = place.id WHERE place.status = ";
const LIST_SCHEDULED: &str = "SELECT place.due_at, 0, place.id FROM steadfast_waiting AS place \
     CROSS JOIN steadfast_tasks AS task ON task.id = place.id WHERE place.due_at >= ";
const LIST_PENDING: &str = "SELECT place.rank, place.submitted_at, place.id \
     FROM steadfast_ready AS place \
     CROSS JOIN steadfast_tasks AS task ON task.id = place.id WHERE place.queue = ";
const PENDING_ORDER: &str = "place.rank, place.submitted_at, place.id";
/// Scheduled tasks that are due and not yet promoted.
const LIST_OVERDUE: &str = "SELECT -task.priority, task.submitted_at, task.id \
     FROM steadfast_waiting AS late \
     CROSS JOIN steadfast_tasks AS task ON task.id = late.id WHERE late.due_at <= ";
const OVERDUE_ORDER: &str = "-task.priority, task.submitted_at, task.id";

const LATEST_ENDED: &str = include_str!("sql/latest_ended.sql");
const LATEST_ENDED_CORRELATED: &str = include_str!("sql/latest_ended_correlated.sql");

/// The last row of a bounded scan, for each list.
const BOUND_ALL: &str = include_str!("sql/list_bound_all.sql");
const BOUND_ENDED: &str = include_str!("sql/list_bound_ended.sql");
const BOUND_SCHEDULED: &str = include_str!("sql/list_bound_scheduled.sql");
const BOUND_PENDING: &str = include_str!("sql/list_bound_pending.sql");

/// The order of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// By id, the newest first.
    Newest,
    /// By due time.
    Due,
    /// In claim order.
    Claim,
}

impl Order {
    fn of(filter: &Filter) -> Self {
        match filter.status {
            _ if filter.ids.is_some() => Self::Newest,
            Some(Status::Scheduled) => Self::Due,
            Some(Status::Pending) => Self::Claim,
            _ => Self::Newest,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Newest => "newest",
            Self::Due => "due",
            Self::Claim => "line",
        }
    }

    /// The key before all others.
    fn start(self) -> SortKey {
        match self {
            Self::Newest => SortKey { first: 0, second: 0, id: Uuid::max().into() },
            _ => SortKey { first: i64::MIN, second: i64::MIN, id: Uuid::nil().into() },
        }
    }
}

/// The rows of a page, and its cursor.
pub(super) async fn tasks(
    connection: &mut SqliteConnection,
    filter: &Filter,
    page: &PageRequest,
    documents: Documents,
) -> Result<(Vec<SqliteRow>, Option<Cursor>)> {
    let order = Order::of(filter);
    let after = match &page.after {
        Some(cursor) => SortKey::read(cursor, order.name())?,
        None => order.start(),
    };
    let now = now(connection).await?;
    let query = ListQuery { filter, after, limit: i64::from(page.limit) + 1, now };
    let Found { mut keys, bound } = match order {
        Order::Newest => query.newest(connection).await?,
        Order::Due => query.due(connection).await?,
        Order::Claim => query.claim_order(connection).await?,
    };
    let found = keys.len();
    keys.truncate(usize::try_from(page.limit).unwrap_or(usize::MAX));
    let mut ids: Vec<_> = keys.iter().map(|key| key.id).collect();
    let parts = match documents {
        Documents::Without => Parts::NONE,
        Documents::UpTo(bytes) => {
            let count = read::count_within(connection, ids.iter().copied(), bytes).await?;
            keys.truncate(count);
            ids.truncate(count);
            Parts::DOCUMENTS
        }
    };
    let next = if found > keys.len() { keys.last() } else { bound.as_ref() };
    let next = next.map(|last| last.cursor(order.name()));
    Ok((read::rows(connection, ids, parts).await?, next))
}

/// The same for ended tasks, the latest first.
pub(super) async fn latest_ended(
    connection: &mut SqliteConnection,
    correlation_id: Option<String>,
    page: &PageRequest,
) -> Result<(Vec<SqliteRow>, Option<Cursor>)> {
    let after = match &page.after {
        Some(cursor) => SortKey::read(cursor, SortKey::ENDED)?,
        None => SortKey { first: i64::MAX, second: 0, id: Uuid::max().into() },
    };
    let limit = i64::from(page.limit) + 1;
    let statement = if correlation_id.is_some() { LATEST_ENDED_CORRELATED } else { LATEST_ENDED };
    let found = sqlx::query(statement).bind(after.first).bind(after.id.uuid()).bind(limit);
    let found = match correlation_id {
        Some(correlation_id) => found.bind(correlation_id),
        None => found,
    };
    let found = found.fetch_all(&mut *connection).await?;
    let mut keys = found.iter().map(sort_key).collect::<Result<Vec<_>>>()?;
    let is_more = keys.len() > page.limit as usize;
    keys.truncate(page.limit as usize);
    let next = keys.last().filter(|_| is_more).map(|last| last.cursor(SortKey::ENDED));
    let ids = keys.iter().map(|key| key.id).collect();
    Ok((read::rows(connection, ids, Parts::NONE).await?, next))
}

/// The keys of a page, and the end of the scan if there is more to scan.
struct Found {
    keys: Vec<SortKey>,
    bound: Option<SortKey>,
}

/// The query of a page.
struct ListQuery<'f> {
    filter: &'f Filter,
    after: SortKey,
    limit: i64,
    now: i64,
}

impl ListQuery<'_> {
    async fn newest(&self, connection: &mut SqliteConnection) -> Result<Found> {
        let bound = match self.filter.status {
            Some(ended) if ended.is_ended() => {
                self.bound(self.bound_of(BOUND_ENDED, 1).bind(ended.name()), connection).await?
            }
            None => self.bound(self.bound_of(BOUND_ALL, 1), connection).await?,
            // Running tasks are few.
            Some(_) => None,
        };
        let (mut statement, id) = match self.filter.status {
            Some(status) if self.filter.ids.is_some() => {
                let mut statement = QueryBuilder::new(LIST_ALL);
                filter::push_status(&mut statement, status, self.now);
                (statement, "task.id")
            }
            Some(Status::Running) => (QueryBuilder::new(LIST_RUNNING), "place.id"),
            Some(ended) if ended.is_ended() => {
                let mut statement = QueryBuilder::new(LIST_ENDED);
                statement.push_bind(ended.name());
                (statement, "place.id")
            }
            _ => (QueryBuilder::new(LIST_ALL), "task.id"),
        };
        filter::push(&mut statement, self.filter)?;
        statement.push(format_args!(" AND {id} < ")).push_bind(self.after.id.uuid());
        if let Some(bound) = bound {
            statement.push(format_args!(" AND {id} >= ")).push_bind(bound.id.uuid());
        }
        statement.push(format_args!(" ORDER BY {id} DESC"));
        Ok(Found { keys: self.keys(statement, connection).await?, bound })
    }

    async fn due(&self, connection: &mut SqliteConnection) -> Result<Found> {
        let latest = self.filter.due_before.map_or(i64::MAX, micros);
        let from = self.after.first.max(self.now);
        let bound = self.bound_of(BOUND_SCHEDULED, 1).bind(from).bind(latest);
        let bound = self.bound(bound, connection).await?;
        let mut statement = QueryBuilder::new(LIST_SCHEDULED);
        statement.push_bind(self.after.first.max(self.now + 1));
        // The state row has the queue, so the tasks of other queues are not read.
        filter::push_queue(&mut statement, "place", self.filter);
        filter::push(&mut statement, self.filter)?;
        statement.push(" AND place.due_at <= ").push_bind(bound.map_or(latest, |it| it.first));
        statement.push(" AND (place.due_at, place.id) > (").push_bind(self.after.first);
        statement.push(", ").push_bind(self.after.id.uuid()).push(")");
        statement.push(" ORDER BY place.due_at, place.id");
        let mut keys = self.keys(statement, connection).await?;
        keys.retain(|key| bound.is_none_or(|bound| *key <= bound));
        Ok(Found { keys, bound })
    }

    /// Merges the pending tasks of all queues with the scheduled ones that are due.
    async fn claim_order(&self, connection: &mut SqliteConnection) -> Result<Found> {
        let queues = "SELECT number FROM steadfast_queues WHERE ?1 IS NULL OR name = ?1";
        let queues = sqlx::query_scalar(queues).bind(&self.filter.queue);
        let queues: Vec<i64> = queues.fetch_all(&mut *connection).await?;
        let bound = self.bound_of_queues(&queues, connection).await?;
        let mut keys = Vec::new();
        for queue in queues {
            let pending = self.ordered(LIST_PENDING, PENDING_ORDER, queue, bound, connection);
            keys.extend(pending.await?);
        }
        let overdue = self.ordered(LIST_OVERDUE, OVERDUE_ORDER, self.now, bound, connection);
        keys.extend(overdue.await?);
        keys.sort_unstable();
        keys.truncate(usize::try_from(self.limit).unwrap_or(usize::MAX));
        Ok(Found { keys, bound })
    }

    /// The first of the bounds of all queues, which share the maximum scan.
    async fn bound_of_queues(
        &self,
        queues: &[i64],
        connection: &mut SqliteConnection,
    ) -> Result<Option<SortKey>> {
        let mut first: Option<SortKey> = None;
        for queue in queues {
            let bound = self.bound_of(BOUND_PENDING, queues.len());
            let bound = bound.bind(self.after.first).bind(self.after.second).bind(queue);
            let bound = self.bound(bound, connection).await?;
            first = first.into_iter().chain(bound).min();
        }
        Ok(first)
    }

    /// A statement for the bound of a list that shares the maximum scan with others.
    fn bound_of(
        &self,
        bound: &'static str,
        lists: usize,
    ) -> Query<'static, Sqlite, SqliteArguments> {
        let rows = MAX_SCANNED_ROWS / u32::try_from(lists).unwrap_or(u32::MAX).max(1);
        sqlx::query(bound).bind(self.after.id.uuid()).bind(rows.saturating_sub(1))
    }

    /// The end of the scan; `None` if it reaches the end of the list.
    async fn bound(
        &self,
        statement: Query<'static, Sqlite, SqliteArguments>,
        connection: &mut SqliteConnection,
    ) -> Result<Option<SortKey>> {
        if !self.filter.needs_scan() {
            return Ok(None);
        }
        statement.fetch_optional(connection).await?.as_ref().map(sort_key).transpose()
    }

    /// The keys of a list that is ordered by three columns.
    async fn ordered(
        &self,
        list: &'static str,
        order: &'static str,
        which: i64,
        bound: Option<SortKey>,
        connection: &mut SqliteConnection,
    ) -> Result<Vec<SortKey>> {
        let mut statement = QueryBuilder::new(list);
        statement.push_bind(which);
        filter::push(&mut statement, self.filter)?;
        statement.push(format_args!(" AND ({order}) > ("));
        statement.push_bind(self.after.first).push(", ").push_bind(self.after.second);
        statement.push(", ").push_bind(self.after.id.uuid()).push(")");
        if let Some(bound) = bound {
            statement.push(format_args!(" AND ({order}) <= ("));
            statement.push_bind(bound.first).push(", ").push_bind(bound.second);
            statement.push(", ").push_bind(bound.id.uuid()).push(")");
        }
        statement.push(format_args!(" ORDER BY {order}"));
        self.keys(statement, connection).await
    }

    async fn keys(
        &self,
        mut statement: QueryBuilder<Sqlite>,
        connection: &mut SqliteConnection,
    ) -> Result<Vec<SortKey>> {
        statement.push(" LIMIT ").push_bind(self.limit);
        let rows = statement.build().fetch_all(connection).await?;
        rows.iter().map(sort_key).collect()
    }
}

fn sort_key(row: &SqliteRow) -> Result<SortKey> {
    let id = TaskId::from(row.try_get::<Uuid, _>(2)?);
    Ok(SortKey { first: row.try_get(0)?, second: row.try_get(1)?, id })
}
