//! How many there are of what (D15).
//!
//! No count is kept: a row that every settlement of every instance writes is one that all of them
//! wait for. So the places are read from end to end, each of them once, and for no longer than
//! anybody waits. What is due first is known without that.

use sqlx::Row;
use sqlx::postgres::PgRow;

use super::Postgres;
use super::row::unsigned;
use super::time::Time;
use crate::error::{Result, StoreError};
use crate::queue::stats::{Counts, Due, QueueInfo, Stats};

const COUNTING: &str = include_str!("sql/counting.sql");
const COUNTS: &str = include_str!("sql/counts.sql");
const QUEUES: &str = include_str!("sql/queues.sql");
const DUE: &str = include_str!("sql/due.sql");

/// The server ended a statement that took too long.
const CANCELLED: &str = "57014";

/// How much a statement counts of a place.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reads {
    /// All of it.
    Everything,
    /// From one time to another.
    ASpan,
}

impl Postgres {
    pub(super) async fn count(&self) -> Result<Counts> {
        let Due { next_due, due_since } = self.look_at_due().await?;
        let rows = self.counted(COUNTS, Reads::Everything).await?;
        let mut stats = Stats { next_due, due_since, ..Stats::default() };
        let mut queues = Vec::with_capacity(rows.len());
        for row in &rows {
            let count = |name| row.try_get::<i64, &str>(name).map(unsigned);
            stats.running = count("running")?;
            stats.completed = count("completed")?;
            stats.failed = count("failed")?;
            stats.cancelled = count("cancelled")?;
            if row.try_get::<Option<&str>, _>("name")?.is_some() {
                stats.due_in_an_hour += count("due_in_an_hour")?;
                stats.due_in_24_hours += count("due_in_24_hours")?;
                queues.push(queue(row)?);
            }
        }
        Ok(Counts::of(stats, queues))
    }

    pub(super) async fn count_queues(&self) -> Result<Vec<QueueInfo>> {
        self.counted(QUEUES, Reads::Everything).await?.iter().map(queue).collect()
    }

    pub(super) async fn look_at_due(&self) -> Result<Due> {
        let row = sqlx::query(DUE).fetch_one(&self.pool).await?;
        let time =
            |name| row.try_get::<Option<Time>, &str>(name).map(|time| time.map(|time| time.0));
        Ok(Due { next_due: time("next_due")?, due_since: time("due_since")? })
    }

    /// What a statement counts, if it does so in time.
    pub(super) async fn counted(
        &self,
        statement: &'static str,
        reads: Reads,
    ) -> Result<Vec<PgRow>> {
        let from_end_to_end = match reads {
            Reads::Everything => "on",
            Reads::ASpan => "off",
        };
        let longest = self.deadline.for_counting().as_millis().to_string();
        let mut transaction = self.pool.begin().await?;
        let counting = sqlx::query(COUNTING).bind(from_end_to_end).bind(longest);
        counting.execute(&mut *transaction).await?;
        let rows = sqlx::query(statement).fetch_all(&mut *transaction).await.map_err(given_up)?;
        transaction.commit().await?;
        Ok(rows)
    }
}

fn queue(row: &PgRow) -> Result<QueueInfo> {
    Ok(QueueInfo {
        name: row.try_get("name")?,
        paused: row.try_get("paused")?,
        pending: unsigned(row.try_get("pending")?),
        scheduled: unsigned(row.try_get("scheduled")?),
    })
}

fn given_up(error: sqlx::Error) -> StoreError {
    let code = error.as_database_error().and_then(|error| error.code());
    match code.as_deref() {
        Some(CANCELLED) => StoreError::no_answer(),
        _ => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use sqlx::{Connection as _, PgConnection};
    use steadfast_testing::postgres::Database;
    use tokio::time::timeout;

    use super::super::deadline::Deadline;
    use super::*;
    use crate::engine::Engine;

    const PATIENCE: Duration = Duration::from_secs(20);
    const UNDER_WAY: &str = "SELECT count(*) FROM pg_stat_activity
         WHERE state = 'active' AND query LIKE '%FROM steadfast.ended%'
           AND datname = current_database() AND pid <> pg_backend_pid()";

    /// A store, and somebody who has a table of it for themselves: it cannot be counted.
    struct Locked {
        store: Arc<Postgres>,
        _other: PgConnection,
        witness: PgConnection,
    }

    impl Locked {
        async fn new(url: &str) -> Self {
            let deadline = Deadline::of(Duration::from_millis(500));
            let store = Arc::new(Postgres::open_with(url, deadline).await.unwrap());
            let mut other = PgConnection::connect(url).await.unwrap();
            let lock = "BEGIN; LOCK TABLE steadfast.ended IN ACCESS EXCLUSIVE MODE";
            sqlx::raw_sql(lock).execute(&mut other).await.unwrap();
            let witness = PgConnection::connect(url).await.unwrap();
            Self { store, _other: other, witness }
        }

        /// Waits until so many are counting.
        async fn until_counting(&mut self, count: i64) {
            let counting = async {
                while sqlx::query_scalar::<_, i64>(UNDER_WAY)
                    .fetch_one(&mut self.witness)
                    .await
                    .unwrap()
                    != count
                {}
            };
            timeout(PATIENCE, counting).await.unwrap();
        }
    }

    fn on_locked(case: impl AsyncFnOnce(Locked)) {
        let database = Database::fresh().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { case(Locked::new(database.url()).await).await });
    }

    /// K4, O3: a count that takes too long is given up by both, and what is due first is known
    /// without one.
    #[test]
    fn a_count_that_takes_too_long_is_given_up() {
        on_locked(async |mut locked| {
            let error = locked.store.counts().await.unwrap_err();
            assert!(error.is_passing(), "{error}");
            locked.until_counting(0).await;
            assert_eq!(locked.store.due().await.unwrap(), Due::default());
        });
    }

    /// K4: nor does the server go on for somebody who has left.
    #[test]
    fn a_count_that_nobody_waits_for_ends() {
        on_locked(async |mut locked| {
            let store = locked.store.clone();
            let count = tokio::spawn(async move { store.counts().await });
            locked.until_counting(1).await;
            count.abort();
            locked.until_counting(0).await;
        });
    }
}
