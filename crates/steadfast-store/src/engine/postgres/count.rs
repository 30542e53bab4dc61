//! Task counts of the store and its queues (D15).
//!
//! No counter is maintained, because every settlement of every instance would wait for its row.
//! So the tables are read from end to end, each once, with a statement timeout. The first due
//! times are known without that.

use sqlx::postgres::PgRow;

use super::Postgres;
use crate::engine::read;
use crate::engine::row::EngineRow;
use crate::error::{Result, StoreError};
use crate::queue::stats::{Counts, DueTimes, QueueInfo, Stats};

/// The settings of one transaction. A sequential scan is cheaper than an index for a full count.
/// A caller that has stopped waiting cannot cancel the statement, so the server does.
const COUNT_SETTINGS: &str =
    "SELECT set_config('enable_seqscan', $1, true), set_config('statement_timeout', $2, true)";

/// The SQLSTATE of a statement that the server cancelled after its timeout.
const QUERY_CANCELED: &str = "57014";

/// Whether a count reads a whole table, or a time span of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScanRange {
    Full,
    TimeSpan,
}

pub(super) async fn counts(engine: &Postgres) -> Result<Counts> {
    let DueTimes { next_due, due_since } = due_times(engine).await?;
    let rows = engine.counted(include_str!("sql/count.sql"), ScanRange::Full).await?;
    let mut stats = Stats { next_due, due_since, ..Stats::default() };
    let mut queues = Vec::with_capacity(rows.len());
    for row in &rows {
        stats.running = row.count("running")?;
        stats.completed = row.count("completed")?;
        stats.failed = row.count("failed")?;
        stats.cancelled = row.count("cancelled")?;
        if row.maybe_text("name")?.is_some() {
            stats.due_in_an_hour += row.count("due_in_an_hour")?;
            stats.due_in_24_hours += row.count("due_in_24_hours")?;
            queues.push(queue(row)?);
        }
    }
    Ok(Counts::of(stats, queues))
}

pub(super) async fn queues(engine: &Postgres) -> Result<Vec<QueueInfo>> {
    let rows = engine.counted(include_str!("sql/count_queues.sql"), ScanRange::Full).await?;
    rows.iter().map(queue).collect()
}

pub(super) async fn due_times(engine: &Postgres) -> Result<DueTimes> {
    let rows = engine.rows(sqlx::query(include_str!("sql/count_due.sql"))).await?;
    rows.first().map_or(Ok(DueTimes::default()), read::due_times)
}

impl Postgres {
    /// Runs a count with the server's own timeout.
    pub(super) async fn counted(
        &self,
        statement: &'static str,
        range: ScanRange,
    ) -> Result<Vec<PgRow>> {
        let seqscan = if range == ScanRange::Full { "on" } else { "off" };
        let timeout = self.deadline.count_timeout().as_millis().to_string();
        let mut transaction = self.pool.begin().await?;
        let settings = sqlx::query(COUNT_SETTINGS).bind(seqscan).bind(timeout);
        settings.execute(&mut *transaction).await?;
        let rows = sqlx::query(statement).fetch_all(&mut *transaction).await;
        let rows = rows.map_err(count_error)?;
        transaction.commit().await?;
        Ok(rows)
    }
}

fn queue(row: &PgRow) -> Result<QueueInfo> {
    let (name, paused) = (row.get("name")?, row.get("paused")?);
    let (pending, scheduled) = (row.count("pending")?, row.count("scheduled")?);
    Ok(QueueInfo { name, paused, pending, scheduled })
}

fn count_error(error: sqlx::Error) -> StoreError {
    let code = error.as_database_error().and_then(|error| error.code());
    match code.as_deref() {
        Some(QUERY_CANCELED) => StoreError::timed_out(),
        _ => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use sqlx::{Connection as _, PgConnection};
    use tokio::time::timeout;

    use super::super::deadline::Deadline;
    use super::super::tests::on_a_database;
    use super::*;
    use crate::engine::Read as _;

    const TEST_TIMEOUT: Duration = Duration::from_secs(20);
    const COUNTS_IN_FLIGHT: &str = "SELECT count(*) FROM pg_stat_activity
         WHERE state = 'active' AND query LIKE '%FROM steadfast.ended%'
           AND datname = current_database() AND pid <> pg_backend_pid()";

    /// An engine with a table locked by another connection, so that it cannot be counted.
    struct Locked {
        store: Arc<Postgres>,
        _other: PgConnection,
        observer: PgConnection,
    }

    impl Locked {
        async fn new(url: &str) -> Self {
            let deadline = Deadline::of(Duration::from_millis(500));
            let store = Arc::new(Postgres::open_with(url, deadline).await.unwrap());
            let mut other = PgConnection::connect(url).await.unwrap();
            let lock = "BEGIN; LOCK TABLE steadfast.ended IN ACCESS EXCLUSIVE MODE";
            sqlx::raw_sql(lock).execute(&mut other).await.unwrap();
            let observer = PgConnection::connect(url).await.unwrap();
            Self { store, _other: other, observer }
        }

        async fn until_counting(&mut self, count: i64) {
            let counting = async {
                while sqlx::query_scalar::<_, i64>(COUNTS_IN_FLIGHT)
                    .fetch_one(&mut self.observer)
                    .await
                    .unwrap()
                    != count
                {}
            };
            timeout(TEST_TIMEOUT, counting).await.unwrap();
        }
    }

    fn on_locked(case: impl AsyncFnOnce(Locked)) {
        on_a_database(async |url| case(Locked::new(url).await).await);
    }

    /// K4, O3: client and server cancel a count that takes too long, and the first due times are
    /// known without one.
    #[test]
    fn slow_count_times_out_and_due_times_do_not() {
        on_locked(async |mut locked| {
            let error = locked.store.counts().await.unwrap_err();
            assert!(error.is_transient(), "{error}");
            locked.until_counting(0).await;
            assert_eq!(locked.store.due_times().await.unwrap(), DueTimes::default());
        });
    }

    /// K4: the server cancels a count whose caller has gone away.
    #[test]
    fn abandoned_count_is_cancelled() {
        on_locked(async |mut locked| {
            let store = locked.store.clone();
            let count = tokio::spawn(async move { store.counts().await });
            locked.until_counting(1).await;
            count.abort();
            locked.until_counting(0).await;
        });
    }
}
