//! Promotion of scheduled tasks that are due.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use sqlx::Row;

use super::Postgres;
use super::row::int;
use crate::engine::row::unsigned;
use crate::engine::time::Time;
use crate::error::Result;
use crate::events::notifier::Wake;
use crate::maintenance::Promoted;

/// How far back an ordinary scan for due tasks goes, and how often all of them are scanned.
///
/// Tasks leave the schedule at its head. While an old transaction is open, the database keeps the
/// deleted rows, and each scan from the head steps over all of them. A task appears before the
/// head only if its transaction committed that much later than the task was due.
const RECENT: Duration = Duration::from_secs(60);

/// The time of the last full scan.
#[derive(Debug, Default)]
pub(super) struct PromoteScan(Mutex<Option<(Instant, Timestamp)>>);

impl PromoteScan {
    /// The due time from which to scan now.
    fn start(&self) -> Timestamp {
        match *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            Some((at, now)) if at.elapsed() < RECENT => {
                now.checked_sub(RECENT).unwrap_or(Timestamp::MIN)
            }
            _ => Timestamp::MIN,
        }
    }

    /// Records that a scan from `start` on promoted every due task.
    fn finished(&self, start: Timestamp, now: Timestamp) {
        if start == Timestamp::MIN {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), now));
        }
    }
}

pub(super) async fn promote(engine: &Postgres, limit: u32) -> Result<Promoted> {
    let start = engine.promote_scan.start();
    let mut connection = engine.pool.acquire().await?;
    let row = sqlx::query(include_str!("sql/promote.sql"))
        .bind(int(limit))
        .bind(Time(start))
        .fetch_one(&mut *connection)
        .await?;
    let number = |column| row.try_get::<i64, usize>(column).map(unsigned);
    let (count, scanned) = (number(0)?, number(2)?);
    let now = row.try_get::<Time, _>(1)?.0;
    let is_all = scanned < u64::from(limit);
    if is_all {
        engine.promote_scan.finished(start, now);
    }
    let next = "SELECT run_at FROM steadfast.waiting WHERE run_at > $1 ORDER BY run_at LIMIT 1";
    let after = if is_all { now } else { start };
    let next: Option<Time> =
        sqlx::query_scalar(next).bind(Time(after)).fetch_optional(&mut *connection).await?;
    if count > 0 {
        engine.notifier.notify(Wake::Ready);
    }
    Ok(Promoted { count, next: next.map(|time| time.0), now })
}
