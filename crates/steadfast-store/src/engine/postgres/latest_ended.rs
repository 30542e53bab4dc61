//! Finished tasks by the time of their end, the latest first.
//!
//! No index has them in that order, because it would cost every task that ends. A BRIN index
//! narrows a time span, so the list goes back span by span: longer ones while few tasks are
//! found, shorter ones where many ended, so that a page costs about what it shows.

use sqlx::postgres::PgRow;
use uuid::Uuid;

use super::Postgres;
use crate::engine::row::signed;
use crate::engine::time::Time;
use crate::error::Result;
use crate::page::{Page, PageRequest, SortKey};
use crate::task::StoredTask;

/// The number of tasks in a span that are sorted for one page, if the span can be shortened.
const MAX_SORTED_TASKS: i64 = 2000;

pub(super) async fn latest_ended(
    engine: &Postgres,
    correlation_id: Option<&str>,
    page: &PageRequest,
) -> Result<Page<StoredTask>> {
    let after = match &page.after {
        Some(cursor) => SortKey::read(cursor, SortKey::ENDED)?,
        None => SortKey::ended(engine.database_time().await?, Uuid::max().into()),
    };
    let wanted = page.limit as usize + 1;
    let rows = match correlation_id {
        Some(correlation_id) => correlated(engine, correlation_id, after, wanted).await?,
        None => all(engine, after, wanted).await?,
    };
    let shown = rows.get(..page.limit as usize).unwrap_or(&rows);
    let items = engine.all_stored(shown, shown).await?;
    let last = items.last().filter(|_| rows.len() >= wanted);
    Ok(Page { next: last.and_then(StoredTask::ended_cursor), items })
}

/// The tasks of a correlation id are few, so they are sorted.
async fn correlated(
    engine: &Postgres,
    correlation_id: &str,
    after: SortKey,
    limit: usize,
) -> Result<Vec<PgRow>> {
    let found = sqlx::query(include_str!("sql/latest_ended_correlated.sql"))
        .bind(correlation_id)
        .bind(Time::from_micros(after.first))
        .bind(after.id.uuid())
        .bind(signed(limit));
    Ok(found.fetch_all(&engine.pool).await?)
}

async fn all(engine: &Postgres, after: SortKey, wanted: usize) -> Result<Vec<PgRow>> {
    let (mut rows, mut span) = (Vec::new(), Span::until(after.first));
    let mut below = after.id.uuid();
    while rows.len() < wanted && !span.is_over() {
        if span.can_shorten() && count_span(engine, span).await? > MAX_SORTED_TASKS {
            span.shorten();
            continue;
        }
        rows.extend(ended_in(engine, span, below, wanted - rows.len()).await?);
        span.go_back();
        below = Uuid::max();
    }
    Ok(rows)
}

async fn count_span(engine: &Postgres, span: Span) -> Result<i64> {
    let count = sqlx::query_scalar(include_str!("sql/latest_ended_count.sql"))
        .bind(Time::from_micros(span.from()))
        .bind(Time::from_micros(span.to))
        .bind(MAX_SORTED_TASKS + 1);
    Ok(count.fetch_one(&engine.pool).await?)
}

async fn ended_in(engine: &Postgres, span: Span, below: Uuid, limit: usize) -> Result<Vec<PgRow>> {
    let found = sqlx::query(include_str!("sql/latest_ended_span.sql"))
        .bind(Time::from_micros(span.from()))
        .bind(Time::from_micros(span.to))
        .bind(below)
        .bind(signed(limit));
    Ok(found.fetch_all(&engine.pool).await?)
}

/// A span of microseconds, both ends included. No task ended before 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    to: i64,
    /// Its length without the last microsecond.
    length: i64,
}

impl Span {
    const SECOND: i64 = 1_000_000;
    const STEP: i64 = 4;

    const fn until(to: i64) -> Self {
        Self { to, length: Self::SECOND }
    }

    fn from(self) -> i64 {
        self.to.saturating_sub(self.length).max(0)
    }

    const fn is_over(self) -> bool {
        self.to < 0
    }

    const fn can_shorten(self) -> bool {
        self.length > 0
    }

    const fn shorten(&mut self) {
        self.length /= Self::STEP;
    }

    /// Moves to the span before it, which is longer.
    fn go_back(&mut self) {
        self.to = self.from() - 1;
        self.length = self.length.saturating_mul(Self::STEP).max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H3: the spans cover all of time in a few steps, each microsecond once.
    #[test]
    fn spans_are_adjacent_back_to_1970() {
        let now = 1_800_000_000 * Span::SECOND;
        let (mut span, mut last, mut spans) = (Span::until(now), now + 1, 0);
        while !span.is_over() {
            assert_eq!(span.to + 1, last);
            last = span.from();
            spans += 1;
            span.go_back();
        }
        assert!(last == 0 && spans < 20, "{last} after {spans}");
    }

    /// H3: where many tasks ended, a span shrinks to one microsecond.
    #[test]
    fn span_shortens_to_one_microsecond() {
        let mut span = Span::until(5 * Span::SECOND);
        while span.can_shorten() {
            span.shorten();
        }
        assert_eq!(span.from(), span.to);
        span.go_back();
        assert_eq!((span.to, span.length), (5 * Span::SECOND - 1, 1));
    }
}
