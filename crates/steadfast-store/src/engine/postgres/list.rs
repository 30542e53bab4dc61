//! Lists of tasks by filter, a page at a time (D15).

use jiff::Timestamp;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, Row};
use uuid::Uuid;

use super::{Postgres, filter};
use crate::engine::row::{EngineRow, signed};
use crate::engine::time::Time;
use crate::error::{InputError, Result};
use crate::page::{Page, PageRequest, SortKey, not_a_cursor};
use crate::task::filter::{Documents, Filter, MAX_SCANNED_ROWS};
use crate::task::{Status, StoredTask};

const LIST_PENDING: &str = include_str!("sql/list_pending.sql");
const LIST_SCHEDULED: &str = include_str!("sql/list_scheduled.sql");
/// The last row of a bounded scan.
const LIST_BOUND: &str = "SELECT d.id, d.first, d.second FROM (/* source */) AS d \
     ORDER BY /* order */ OFFSET $13 LIMIT 1";

const LIST_ALL: &str = "SELECT t.id, 0::bigint AS first, 0::bigint AS second \
     FROM steadfast.tasks t \
     WHERE t.id < coalesce($12::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff') \
       AND t.id >= coalesce($16::uuid, '00000000-0000-0000-0000-000000000000')";
const LIST_RUNNING: &str = "SELECT g.id, 0::bigint AS first, 0::bigint AS second \
     FROM steadfast.leases l CROSS JOIN LATERAL unnest(l.tasks) WITH ORDINALITY AS g (id, slot) \
     WHERE get_bit(l.done, g.slot::int - 1) = 0 \
       AND g.id < coalesce($12::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')";

/// The source of finished tasks in one state.
macro_rules! list_ended {
    ($outcome:literal) => {
        concat!(
            "SELECT e.id, 0::bigint AS first, 0::bigint AS second FROM steadfast.ended e \
             WHERE e.outcome = '",
            $outcome,
            "' AND e.id < coalesce($12::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff') \
               AND e.id >= coalesce($16::uuid, '00000000-0000-0000-0000-000000000000')"
        )
    };
}

/// The source of a list, its order, and the order's name in cursors. The states are literal,
/// because a bound parameter would hide the partial index.
const fn source_of(status: Option<Status>) -> (&'static str, &'static str, &'static str) {
    let source = match status {
        Some(Status::Pending) => return (LIST_PENDING, "d.rank, d.sort, d.id", "line"),
        Some(Status::Scheduled) => return (LIST_SCHEDULED, "d.sort, d.id", "due"),
        None => LIST_ALL,
        Some(Status::Running) => LIST_RUNNING,
        Some(Status::Completed) => list_ended!("completed"),
        Some(Status::Failed) => list_ended!("failed"),
        Some(Status::Cancelled) => list_ended!("cancelled"),
    };
    (source, "d.id DESC", "newest")
}

pub(super) async fn tasks(
    engine: &Postgres,
    filter: &Filter,
    page: &PageRequest,
    documents: Documents,
) -> Result<Page<StoredTask>> {
    let (source, order, name) = source_of(filter.status);
    let after = page.after.as_ref().map(|cursor| SortKey::read(cursor, name)).transpose()?;
    let mut range = Range::after(after, filter)?;
    let mut list = include_str!("sql/list.sql");
    if filter.needs_scan() {
        list = include_str!("sql/list_scanned.sql");
        let bound = match filter.status {
            Some(Status::Pending) => include_str!("sql/list_bound_pending.sql").to_owned(),
            _ => with_source(LIST_BOUND, source, order),
        };
        let bound = range.bind(&bound, i64::from(MAX_SCANNED_ROWS) - 1);
        let bound = bound.fetch_optional(&engine.pool).await?;
        range.end_at(bound.as_ref().map(sort_key).transpose()?)?;
    }
    let statement = with_source(list, source, order);
    let rows = range.bind(&statement, i64::from(page.limit) + 1).fetch_all(&engine.pool).await?;
    let shown = rows.get(..page.limit as usize).unwrap_or(&rows);
    let documents = match documents {
        Documents::Without => None,
        Documents::UpTo(bytes) => Some(read_documents(engine, shown, bytes).await?),
    };
    let items = engine.all_stored(shown, documents.as_deref().unwrap_or(shown)).await?;
    let shown = items.len();
    let last = match shown.checked_sub(1).and_then(|last| rows.get(last)) {
        Some(last) if rows.len() > shown => Some(sort_key(last)?),
        _ => range.end,
    };
    Ok(Page { items, next: last.map(|key| key.cursor(name)) })
}

fn with_source(statement: &str, source: &str, order: &str) -> String {
    statement.replace("/* source */", source).replace("/* order */", order)
}

async fn read_documents(engine: &Postgres, rows: &[PgRow], bytes: u64) -> Result<Vec<PgRow>> {
    let ids: Vec<Uuid> = rows.iter().map(|row| row.try_get("id")).collect::<Result<_, _>>()?;
    let documents = sqlx::query(include_str!("sql/list_documents.sql")).bind(ids);
    Ok(documents.bind(signed(bytes).max(1)).fetch_all(&engine.pool).await?)
}

/// A range of a list: after one key, up to another.
struct Range<'f> {
    filter: &'f Filter,
    start: Option<SortKey>,
    end: Option<SortKey>,
    /// The keys as the statements take them: a rank, if the list is ordered by it, and a time.
    from: (Option<i16>, Option<Time>),
    to: (Option<i16>, Option<Time>),
}

impl<'f> Range<'f> {
    fn after(start: Option<SortKey>, filter: &'f Filter) -> Result<Self, InputError> {
        let from = key_columns(start.as_ref(), filter.status)?;
        Ok(Self { filter, start, end: None, from, to: (None, None) })
    }

    fn end_at(&mut self, end: Option<SortKey>) -> Result<(), InputError> {
        self.to = key_columns(end.as_ref(), self.filter.status)?;
        self.end = end;
        Ok(())
    }

    /// A statement with the range, and a number of rows to return or to skip.
    fn bind(&self, statement: &str, count: i64) -> Query<'f, sqlx::Postgres, PgArguments> {
        filter::bind(sqlx::query(AssertSqlSafe(statement.to_owned())), self.filter)
            .bind(self.from.0)
            .bind(self.start.map(|key| key.id.uuid()))
            .bind(count)
            .bind(self.filter.is_by_status_alone().then_some(count))
            .bind(self.from.1)
            .bind(self.end.map(|key| key.id.uuid()))
            .bind(self.to.1)
            .bind(self.to.0)
    }
}

/// A key as the statements take it: the rank, if the list is ordered by it, and the time.
fn key_columns(
    key: Option<&SortKey>,
    status: Option<Status>,
) -> Result<(Option<i16>, Option<Time>), InputError> {
    let Some(key) = key else {
        return Ok((None, None));
    };
    let time = |micros| Timestamp::from_microsecond(micros).map(Time).map_err(|_| not_a_cursor());
    let rank = |rank| i16::try_from(rank).map_err(|_| not_a_cursor());
    match status {
        Some(Status::Pending) => Ok((Some(rank(key.first)?), Some(time(key.second)?))),
        Some(Status::Scheduled) => Ok((None, Some(time(key.first)?))),
        _ => Ok((None, None)),
    }
}

fn sort_key(row: &PgRow) -> Result<SortKey> {
    Ok(SortKey { first: row.try_get("first")?, second: row.try_get("second")?, id: row.id("id")? })
}
