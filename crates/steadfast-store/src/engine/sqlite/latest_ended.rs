//! Finished tasks by the time of their end, the latest first.

use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;
use uuid::Uuid;

use super::list::sort_key;
use super::read::{self, Parts};
use crate::error::Result;
use crate::page::{Cursor, PageRequest, SortKey};

pub(super) async fn latest_ended(
    connection: &mut SqliteConnection,
    correlation_id: Option<&str>,
    page: &PageRequest,
) -> Result<(Vec<SqliteRow>, Option<Cursor>)> {
    let after = match &page.after {
        Some(cursor) => SortKey::read(cursor, SortKey::ENDED)?,
        None => SortKey { first: i64::MAX, second: 0, id: Uuid::max().into() },
    };
    let statement = match correlation_id {
        Some(_) => include_str!("sql/latest_ended_correlated.sql"),
        None => include_str!("sql/latest_ended.sql"),
    };
    let mut found = sqlx::query(statement).bind(after.first).bind(after.id.uuid());
    found = found.bind(i64::from(page.limit) + 1);
    if let Some(correlation_id) = correlation_id {
        found = found.bind(correlation_id);
    }
    let found = found.fetch_all(&mut *connection).await?;
    let keys = found.iter().map(sort_key).collect::<Result<_>>()?;
    let keys = page.of(keys, |last: &SortKey| Some(last.cursor(SortKey::ENDED).0));
    let ids = keys.items.iter().map(|key| key.id).collect();
    Ok((read::rows(connection, ids, Parts::NONE).await?, keys.next))
}
