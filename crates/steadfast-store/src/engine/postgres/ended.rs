//! Tasks by their ends, the latest first.
//!
//! No index has them in that order: it would cost every task that ends. There is one that leads to
//! a span of time, so it is looked back span by span: longer ones while little is found, shorter ones
//! where very many ended, so that a page costs about what it shows.

use jiff::Timestamp;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use super::Postgres;
use super::time::Time;
use crate::error::Result;
use crate::page::Place;
use crate::page::{Page, PageRequest};
use crate::task::StoredTask;

const COUNT: &str = include_str!("sql/ended_count.sql");
const OF_REQUEST: &str = include_str!("sql/ended_of_request.sql");
const SPAN: &str = include_str!("sql/ended_span.sql");

/// More than this are not sorted for one page if it can be avoided.
const MANY: i64 = 2000;

impl Postgres {
    pub(super) async fn list_ended(
        &self,
        request: Option<&str>,
        page: &PageRequest,
    ) -> Result<Page<StoredTask>> {
        let behind = match &page.after {
            Some(cursor) => Place::read(cursor, Place::ENDED)?,
            None => Place::ended(self.database_time().await?, Uuid::max().into()),
        };
        let wanted = page.limit as usize + 1;
        let rows = match request {
            Some(request) => self.ended_of(request, behind, wanted).await?,
            None => self.ended_behind(behind, wanted).await?,
        };
        let mut items = Vec::with_capacity(rows.len());
        for row in rows.iter().take(page.limit as usize) {
            items.push(self.stored(row, row).await?);
        }
        let last = items.last().filter(|_| rows.len() >= wanted);
        Ok(Page { next: last.and_then(StoredTask::ended_cursor), items })
    }

    /// The tasks of a request lead to their ends, and are few.
    async fn ended_of(&self, request: &str, behind: Place, limit: usize) -> Result<Vec<PgRow>> {
        let found = sqlx::query(OF_REQUEST).bind(request).bind(time(behind.first));
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        Ok(found.bind(behind.id.uuid()).bind(limit).fetch_all(&self.pool).await?)
    }

    async fn ended_behind(&self, behind: Place, wanted: usize) -> Result<Vec<PgRow>> {
        let (mut rows, mut span) = (Vec::new(), Span::until(behind.first));
        let mut below = behind.id.uuid();
        while rows.len() < wanted && !span.is_over() {
            if span.can_shorten() && self.count_ended(span).await? > MANY {
                span.shorten();
                continue;
            }
            let found = self.ended_in(span, below, wanted - rows.len()).await?;
            rows.extend(found);
            span.go_back();
            below = Uuid::max();
        }
        Ok(rows)
    }

    async fn count_ended(&self, span: Span) -> Result<i64> {
        let count = sqlx::query_scalar(COUNT).bind(time(span.from())).bind(time(span.to));
        Ok(count.bind(MANY + 1).fetch_one(&self.pool).await?)
    }

    async fn ended_in(&self, span: Span, below: Uuid, limit: usize) -> Result<Vec<PgRow>> {
        let found = sqlx::query(SPAN).bind(time(span.from())).bind(time(span.to)).bind(below);
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        Ok(found.bind(limit).fetch_all(&self.pool).await?)
    }
}

fn time(micros: i64) -> Time {
    Time(Timestamp::from_microsecond(micros).unwrap_or(Timestamp::MAX))
}

/// From one microsecond to another, both included. Nothing ended before 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Span {
    to: i64,
    /// How long it is beyond its last microsecond.
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

    /// The one before it, which is longer.
    fn go_back(&mut self) {
        self.to = self.from() - 1;
        self.length = self.length.saturating_mul(Self::STEP).max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H3: all of time is looked through in a few steps, and no microsecond twice or never.
    #[test]
    fn spans_lie_side_by_side_back_to_1970() {
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

    /// H3: where very many ended, it comes down to one microsecond.
    #[test]
    fn a_span_is_shortened_until_it_cannot_be() {
        let mut span = Span::until(5 * Span::SECOND);
        while span.can_shorten() {
            span.shorten();
        }
        assert_eq!(span.from(), span.to);
        span.go_back();
        assert_eq!((span.to, span.length), (5 * Span::SECOND - 1, 1));
    }
}
