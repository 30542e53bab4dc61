//! Lists of tasks, a page at a time (D15).
//!
//! A list is walked in an order that a place keeps anyway: the line of the ready, the times of
//! the waiting, or the ids. So a page costs what it shows, however long the list is.

use sqlx::sqlite::SqliteRow;
use sqlx::{QueryBuilder, Row, Sqlite, SqliteConnection};
use uuid::Uuid;

use super::look::{self, With};
use super::{filter, now};
use crate::cursor::Place;
use crate::error::Result;
use crate::query::{Cursor, Documents, Filter, PageRequest};
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
    let mut places = match order {
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
            let room = look::room(connection, ids.iter().copied(), bytes).await?;
            places.truncate(room);
            ids.truncate(room);
            With::DOCUMENTS
        }
    };
    let last = places.last().filter(|_| found > places.len());
    let next = last.map(|last| last.cursor(order.name()));
    Ok((look::rows(connection, ids, with).await?, next))
}

/// One way along a list.
struct Walk<'f> {
    filter: &'f Filter,
    behind: Place,
    limit: i64,
    now: i64,
}

impl Walk<'_> {
    async fn newest(&self, connection: &mut SqliteConnection) -> Result<Vec<Place>> {
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
        statement.push(format_args!(" ORDER BY {id} DESC"));
        self.places(statement, connection).await
    }

    async fn due(&self, connection: &mut SqliteConnection) -> Result<Vec<Place>> {
        let mut statement = QueryBuilder::new(SCHEDULED);
        statement.push_bind(self.behind.first.max(self.now + 1));
        filter::push(&mut statement, self.filter)?;
        statement.push(" AND (place.due_at, place.id) > (").push_bind(self.behind.first);
        statement.push(", ").push_bind(self.behind.id.uuid()).push(")");
        statement.push(" ORDER BY place.due_at, place.id");
        self.places(statement, connection).await
    }

    /// Each queue has a line of its own: their heads are merged, with those that wait although
    /// their time has come.
    async fn line(&self, connection: &mut SqliteConnection) -> Result<Vec<Place>> {
        let queues: Vec<i64> =
            sqlx::query_scalar(QUEUES).bind(&self.filter.queue).fetch_all(&mut *connection).await?;
        let mut places = Vec::new();
        for queue in queues {
            places.extend(self.line_of(READY, READY_ORDER, queue, connection).await?);
        }
        places.extend(self.line_of(LATE, LATE_ORDER, self.now, connection).await?);
        places.sort_unstable();
        places.truncate(usize::try_from(self.limit).unwrap_or(usize::MAX));
        Ok(places)
    }

    async fn line_of(
        &self,
        line: &'static str,
        order: &'static str,
        which: i64,
        connection: &mut SqliteConnection,
    ) -> Result<Vec<Place>> {
        let mut statement = QueryBuilder::new(line);
        statement.push_bind(which);
        filter::push(&mut statement, self.filter)?;
        statement.push(format_args!(" AND ({order}) > ("));
        statement.push_bind(self.behind.first).push(", ").push_bind(self.behind.second);
        statement.push(", ").push_bind(self.behind.id.uuid()).push(")");
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
        let places = rows.iter().map(|row| {
            let id = TaskId::from(row.try_get::<Uuid, _>(2)?);
            Ok(Place { first: row.try_get(0)?, second: row.try_get(1)?, id })
        });
        places.collect()
    }
}
