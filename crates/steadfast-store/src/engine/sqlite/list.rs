//! Lists of tasks, a page at a time (D15).
//!
//! A list is walked in an order that a place keeps anyway: the line of the ready, the times of
//! the waiting, or the ids. So a page costs what it shows, however long the list is. Where a
//! filter has to look at tasks for those that fit, a page looks at a bounded number of them.

use sqlx::query::Query;
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{QueryBuilder, Row, Sqlite, SqliteConnection};
use uuid::Uuid;

use super::read::{self, With};
use super::row::micros;
use super::{filter, now};
use crate::error::Result;
use crate::page::Place;
use crate::page::{Cursor, PageRequest};
use crate::task::filter::{Documents, Filter, LOOKS_AT};
use crate::task::{Status, TaskId};

const ALL: &str = include_str!("sql/list_all.sql");
const RUNNING: &str = include_str!("sql/list_running.sql");
const ENDED: &str = include_str!("sql/list_ended.sql");
const SCHEDULED: &str = include_str!("sql/list_scheduled.sql");
const QUEUES: &str = include_str!("sql/list_queues.sql");
const READY: &str = include_str!("sql/list_ready.sql");
const READY_ORDER: &str = "place.rank, place.submitted_at, place.id";
const LATE: &str = include_str!("sql/list_late.sql");
const LATE_ORDER: &str = "-task.priority, task.submitted_at, task.id";

const BY_END: &str = include_str!("sql/list_by_end.sql");
const BY_END_OF_REQUEST: &str = include_str!("sql/list_by_end_of_request.sql");

const BOUND_ALL: &str = include_str!("sql/list_bound_all.sql");
const BOUND_ENDED: &str = include_str!("sql/list_bound_ended.sql");
const BOUND_SCHEDULED: &str = include_str!("sql/list_bound_scheduled.sql");
const BOUND_READY: &str = include_str!("sql/list_bound_ready.sql");

/// The order of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// The newest id first.
    Newest,
    /// As they are due.
    Due,
    /// As they are claimed.
    Line,
}

impl Order {
    fn of(filter: &Filter) -> Self {
        match filter.status {
            _ if filter.ids.is_some() => Self::Newest,
            Some(Status::Scheduled) => Self::Due,
            Some(Status::Pending) => Self::Line,
            _ => Self::Newest,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Newest => "newest",
            Self::Due => "due",
            Self::Line => "line",
        }
    }

    /// Before everything in the list.
    fn start(self) -> Place {
        match self {
            Self::Newest => Place { first: 0, second: 0, id: Uuid::max().into() },
            _ => Place { first: i64::MIN, second: i64::MIN, id: Uuid::nil().into() },
        }
    }
}

/// The rows of a page, and where to go on.
pub(super) async fn page(
    connection: &mut SqliteConnection,
    filter: &Filter,
    page: &PageRequest,
    documents: Documents,
) -> Result<(Vec<SqliteRow>, Option<Cursor>)> {
    let order = Order::of(filter);
    let behind = match &page.after {
        Some(cursor) => Place::read(cursor, order.name())?,
        None => order.start(),
    };
    let now = now(connection).await?;
    let walk = Walk { filter, behind, limit: i64::from(page.limit) + 1, now };
    let Found { mut places, bound } = match order {
        Order::Newest => walk.newest(connection).await?,
        Order::Due => walk.due(connection).await?,
        Order::Line => walk.line(connection).await?,
    };
    let found = places.len();
    places.truncate(usize::try_from(page.limit).unwrap_or(usize::MAX));
    let mut ids: Vec<_> = places.iter().map(|place| place.id).collect();
    let with = match documents {
        Documents::Without => With::NOTHING,
        Documents::UpTo(bytes) => {
            let room = read::room(connection, ids.iter().copied(), bytes).await?;
            places.truncate(room);
            ids.truncate(room);
            With::DOCUMENTS
        }
    };
    let next = if found > places.len() { places.last() } else { bound.as_ref() };
    let next = next.map(|last| last.cursor(order.name()));
    Ok((read::rows(connection, ids, with).await?, next))
}

/// The same of tasks that have ended, the latest first.
pub(super) async fn by_end(
    connection: &mut SqliteConnection,
    request: Option<String>,
    page: &PageRequest,
) -> Result<(Vec<SqliteRow>, Option<Cursor>)> {
    let behind = match &page.after {
        Some(cursor) => Place::read(cursor, Place::ENDED)?,
        None => Place { first: i64::MAX, second: 0, id: Uuid::max().into() },
    };
    let limit = i64::from(page.limit) + 1;
    let statement = if request.is_some() { BY_END_OF_REQUEST } else { BY_END };
    let found = sqlx::query(statement).bind(behind.first).bind(behind.id.uuid()).bind(limit);
    let found = match request {
        Some(request) => found.bind(request),
        None => found,
    };
    let found = found.fetch_all(&mut *connection).await?;
    let mut places = found.iter().map(place).collect::<Result<Vec<_>>>()?;
    let is_more = places.len() > page.limit as usize;
    places.truncate(page.limit as usize);
    let next = places.last().filter(|_| is_more).map(|last| last.cursor(Place::ENDED));
    let ids = places.iter().map(|place| place.id).collect();
    Ok((read::rows(connection, ids, With::NOTHING).await?, next))
}

/// What is on a page, and where the look for it ended if there is more to look at.
struct Found {
    places: Vec<Place>,
    bound: Option<Place>,
}

/// One way along a list.
struct Walk<'f> {
    filter: &'f Filter,
    behind: Place,
    limit: i64,
    now: i64,
}

impl Walk<'_> {
    async fn newest(&self, connection: &mut SqliteConnection) -> Result<Found> {
        let bound = match self.filter.status {
            Some(ended) if ended.is_ended() => {
                self.bound(self.bound_of(BOUND_ENDED, 1).bind(ended.name()), connection).await?
            }
            None => self.bound(self.bound_of(BOUND_ALL, 1), connection).await?,
            // Those in the hands of workers are never many.
            Some(_) => None,
        };
        let (mut statement, id) = match self.filter.status {
            Some(status) if self.filter.ids.is_some() => {
                let mut statement = QueryBuilder::new(ALL);
                filter::push_status(&mut statement, status, self.now);
                (statement, "task.id")
            }
            Some(Status::Running) => (QueryBuilder::new(RUNNING), "place.id"),
            Some(ended) if ended.is_ended() => {
                let mut statement = QueryBuilder::new(ENDED);
                statement.push_bind(ended.name());
                (statement, "place.id")
            }
            _ => (QueryBuilder::new(ALL), "task.id"),
        };
        filter::push(&mut statement, self.filter)?;
        statement.push(format_args!(" AND {id} < ")).push_bind(self.behind.id.uuid());
        if let Some(bound) = bound {
            statement.push(format_args!(" AND {id} >= ")).push_bind(bound.id.uuid());
        }
        statement.push(format_args!(" ORDER BY {id} DESC"));
        Ok(Found { places: self.places(statement, connection).await?, bound })
    }

    async fn due(&self, connection: &mut SqliteConnection) -> Result<Found> {
        let latest = self.filter.due_before.map_or(i64::MAX, micros);
        let from = self.behind.first.max(self.now);
        let bound = self.bound_of(BOUND_SCHEDULED, 1).bind(from).bind(latest);
        let bound = self.bound(bound, connection).await?;
        let mut statement = QueryBuilder::new(SCHEDULED);
        statement.push_bind(self.behind.first.max(self.now + 1));
        // The place knows its queue: nobody has to look at the tasks of the others.
        filter::push_queue(&mut statement, "place", self.filter);
        filter::push(&mut statement, self.filter)?;
        statement.push(" AND place.due_at <= ").push_bind(bound.map_or(latest, |it| it.first));
        statement.push(" AND (place.due_at, place.id) > (").push_bind(self.behind.first);
        statement.push(", ").push_bind(self.behind.id.uuid()).push(")");
        statement.push(" ORDER BY place.due_at, place.id");
        let mut places = self.places(statement, connection).await?;
        places.retain(|place| bound.is_none_or(|bound| *place <= bound));
        Ok(Found { places, bound })
    }

    /// Each queue has a line of its own: their heads are merged, with those that wait although
    /// their time has come.
    async fn line(&self, connection: &mut SqliteConnection) -> Result<Found> {
        let queues: Vec<i64> =
            sqlx::query_scalar(QUEUES).bind(&self.filter.queue).fetch_all(&mut *connection).await?;
        let bound = self.bound_of_lines(&queues, connection).await?;
        let mut places = Vec::new();
        for queue in queues {
            places.extend(self.line_of(READY, READY_ORDER, queue, bound, connection).await?);
        }
        places.extend(self.line_of(LATE, LATE_ORDER, self.now, bound, connection).await?);
        places.sort_unstable();
        places.truncate(usize::try_from(self.limit).unwrap_or(usize::MAX));
        Ok(Found { places, bound })
    }

    /// The first of the bounds of all lines, each of which is looked at for its share.
    async fn bound_of_lines(
        &self,
        queues: &[i64],
        connection: &mut SqliteConnection,
    ) -> Result<Option<Place>> {
        let mut first: Option<Place> = None;
        for queue in queues {
            let bound = self.bound_of(BOUND_READY, queues.len());
            let bound = bound.bind(self.behind.first).bind(self.behind.second).bind(queue);
            let bound = self.bound(bound, connection).await?;
            first = first.into_iter().chain(bound).min();
        }
        Ok(first)
    }

    /// A statement for the bound of a list that is looked at beside others.
    fn bound_of(
        &self,
        bound: &'static str,
        lists: usize,
    ) -> Query<'static, Sqlite, SqliteArguments> {
        let places = LOOKS_AT / u32::try_from(lists).unwrap_or(u32::MAX).max(1);
        sqlx::query(bound).bind(self.behind.id.uuid()).bind(places.saturating_sub(1))
    }

    /// How far is looked, if not to the end.
    async fn bound(
        &self,
        statement: Query<'static, Sqlite, SqliteArguments>,
        connection: &mut SqliteConnection,
    ) -> Result<Option<Place>> {
        if !self.filter.sifts() {
            return Ok(None);
        }
        statement.fetch_optional(connection).await?.as_ref().map(place).transpose()
    }

    async fn line_of(
        &self,
        line: &'static str,
        order: &'static str,
        which: i64,
        bound: Option<Place>,
        connection: &mut SqliteConnection,
    ) -> Result<Vec<Place>> {
        let mut statement = QueryBuilder::new(line);
        statement.push_bind(which);
        filter::push(&mut statement, self.filter)?;
        statement.push(format_args!(" AND ({order}) > ("));
        statement.push_bind(self.behind.first).push(", ").push_bind(self.behind.second);
        statement.push(", ").push_bind(self.behind.id.uuid()).push(")");
        if let Some(bound) = bound {
            statement.push(format_args!(" AND ({order}) <= ("));
            statement.push_bind(bound.first).push(", ").push_bind(bound.second);
            statement.push(", ").push_bind(bound.id.uuid()).push(")");
        }
        statement.push(format_args!(" ORDER BY {order}"));
        self.places(statement, connection).await
    }

    async fn places(
        &self,
        mut statement: QueryBuilder<Sqlite>,
        connection: &mut SqliteConnection,
    ) -> Result<Vec<Place>> {
        statement.push(" LIMIT ").push_bind(self.limit);
        let rows = statement.build().fetch_all(connection).await?;
        rows.iter().map(place).collect()
    }
}

fn place(row: &SqliteRow) -> Result<Place> {
    let id = TaskId::from(row.try_get::<Uuid, _>(2)?);
    Ok(Place { first: row.try_get(0)?, second: row.try_get(1)?, id })
}
