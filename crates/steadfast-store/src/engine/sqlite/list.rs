//! Lists of tasks, a page at a time (D15).
//!
//! A list has the order of an existing index: claim order, due time, or id. So a page costs what
//! it shows, however long the list is. Where a filter has to scan tasks, a page scans a bounded
//! number of them.

use jiff::Timestamp;
use sqlx::query::Query;
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{QueryBuilder, Row, Sqlite, SqliteConnection};
use uuid::Uuid;

use super::read::{self, Parts};
use super::{filter, now};
use crate::error::Result;
use crate::page::{Cursor, PageRequest, SortKey};
use crate::task::Status;
use crate::task::filter::{Documents, Filter, MAX_SCANNED_ROWS};

/// A list selects the two numbers that it is ordered by, or zeroes, and the id. The conditions of
/// the filter follow, then the order.
const LIST_ALL: &str = "SELECT 0, 0, task.id FROM steadfast_tasks AS task WHERE true";
const LIST_RUNNING: &str = "SELECT 0, 0, state.id FROM steadfast_running AS state \
     CROSS JOIN steadfast_tasks AS task ON task.id = state.id WHERE true";
const LIST_ENDED: &str = "SELECT 0, 0, state.id FROM steadfast_ended AS state \
     CROSS JOIN steadfast_tasks AS task ON task.id = state.id WHERE state.status = ";
const LIST_SCHEDULED: &str = "SELECT state.due_at, 0, state.id FROM steadfast_waiting AS state \
     CROSS JOIN steadfast_tasks AS task ON task.id = state.id WHERE state.due_at >= ";
const LIST_PENDING: &str = "SELECT state.rank, state.submitted_at, state.id \
     FROM steadfast_ready AS state \
     CROSS JOIN steadfast_tasks AS task ON task.id = state.id WHERE state.queue = ";
const PENDING_ORDER: &str = "state.rank, state.submitted_at, state.id";
/// Scheduled tasks that are due and not yet promoted.
const LIST_OVERDUE: &str = "SELECT -task.priority, task.submitted_at, task.id \
     FROM steadfast_waiting AS waiting \
     CROSS JOIN steadfast_tasks AS task ON task.id = waiting.id WHERE waiting.due_at <= ";
const OVERDUE_ORDER: &str = "-task.priority, task.submitted_at, task.id";

/// The last row of a bounded scan, for each list.
const BOUND_ALL: &str = include_str!("sql/list_bound_all.sql");
const BOUND_ENDED: &str = include_str!("sql/list_bound_ended.sql");
const BOUND_SCHEDULED: &str = include_str!("sql/list_bound_scheduled.sql");
const BOUND_PENDING: &str = include_str!("sql/list_bound_pending.sql");

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

/// The keys of a page, and the end of the scan if there is more to scan.
struct Found {
    keys: Vec<SortKey>,
    bound: Option<SortKey>,
}

struct ListQuery<'f> {
    filter: &'f Filter,
    after: SortKey,
    limit: i64,
    now: i64,
}

impl ListQuery<'_> {
    async fn newest(&self, connection: &mut SqliteConnection) -> Result<Found> {
        let (mut statement, id, bound) = match self.filter.status {
            // Ids are few.
            Some(status) if self.filter.ids.is_some() => {
                let mut statement = QueryBuilder::new(LIST_ALL);
                filter::push_status(&mut statement, status, self.now);
                (statement, "task.id", None)
            }
            Some(ended) if ended.is_ended() => {
                let mut statement = QueryBuilder::new(LIST_ENDED);
                statement.push_bind(ended.name());
                (statement, "state.id", Some(self.bound_of(BOUND_ENDED, 1).bind(ended.name())))
            }
            // Running tasks are few.
            Some(_) => (QueryBuilder::new(LIST_RUNNING), "state.id", None),
            None => (QueryBuilder::new(LIST_ALL), "task.id", Some(self.bound_of(BOUND_ALL, 1))),
        };
        let bound = match bound {
            Some(bound) => self.bound(bound, connection).await?,
            None => None,
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
        let latest = self.filter.due_before.map_or(i64::MAX, Timestamp::as_microsecond);
        let from = self.after.first.max(self.now);
        let bound = self.bound_of(BOUND_SCHEDULED, 1).bind(from).bind(latest);
        let bound = self.bound(bound, connection).await?;
        let mut statement = QueryBuilder::new(LIST_SCHEDULED);
        statement.push_bind(self.after.first.max(self.now + 1));
        // The state row has the queue, so the tasks of other queues are not read.
        filter::push_queue(&mut statement, "state", self.filter);
        filter::push(&mut statement, self.filter)?;
        statement.push(" AND state.due_at <= ").push_bind(bound.map_or(latest, |it| it.first));
        statement.push(" AND (state.due_at, state.id) > (").push_bind(self.after.first);
        statement.push(", ").push_bind(self.after.id.uuid()).push(")");
        statement.push(" ORDER BY state.due_at, state.id");
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

pub(super) fn sort_key(row: &SqliteRow) -> Result<SortKey> {
    let id = row.try_get::<Uuid, _>(2)?.into();
    Ok(SortKey { first: row.try_get(0)?, second: row.try_get(1)?, id })
}
