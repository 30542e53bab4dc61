//! The baseline on SQLite: a loop with one table, one claim and one delete.

use std::ops::Range;
use std::time::Duration;

use anyhow::Result;
use sqlx::{Row, SqlitePool};
use steadfast_bench_drive::{Peer, Settings, handled, run};

use super::sqlite_pool;
use crate::entry::{Entry, Program, Run};

/// The entry of the raw loop.
pub const ENTRY: Entry = Entry {
    submit: &[Run::new("one row", &[]).quick()],
    drain: &[
        Run::new("100 at a time, delete", &["batch=100"]).quick(),
        Run::new("1 000 at a time, delete", &["batch=1000"]),
        Run::new("one at a time, delete", &["batch=1"]),
    ],
    ..Entry::new("raw-sqlite", Program::Builtin(run::<Raw>), "nothing")
};

const TABLES: &str = "
    CREATE TABLE jobs (
        id INTEGER PRIMARY KEY,
        state INTEGER NOT NULL DEFAULT 0,
        run_at REAL NOT NULL DEFAULT (unixepoch('subsec')),
        attempts INTEGER NOT NULL DEFAULT 0,
        locked_by TEXT,
        locked_at REAL,
        payload TEXT NOT NULL
    ) STRICT;
    CREATE INDEX jobs_due ON jobs (run_at, id) WHERE state = 0;
";

const SUBMIT: &str = "INSERT INTO jobs (payload) VALUES (json_object('id', ?))";

const SUBMIT_MANY: &str =
    "INSERT INTO jobs (payload) SELECT json_object('id', value) FROM json_each(?)";

const CLAIM: &str = "
    UPDATE jobs
    SET state = 1, attempts = attempts + 1, locked_by = ?, locked_at = unixepoch('subsec')
    WHERE id IN (
        SELECT id FROM jobs WHERE state = 0 AND run_at <= unixepoch('subsec')
        ORDER BY run_at, id LIMIT ?
    )
    RETURNING id, payload ->> 'id'
";

const DELETE: &str = "DELETE FROM jobs WHERE id IN (SELECT value FROM json_each(?))";

const FINISHED: &str = "SELECT NOT EXISTS (SELECT 1 FROM jobs)";

struct Raw {
    pool: SqlitePool,
    batch: i64,
    poll: Duration,
}

impl Peer for Raw {
    async fn setup(database: &str) -> Result<()> {
        sqlx::raw_sql(TABLES).execute(&sqlite_pool::open(database, 1).await?).await?;
        Ok(())
    }

    async fn open(database: &str, settings: &Settings) -> Result<Self> {
        settings.allow_only(&["batch", "poll"])?;
        Ok(Raw {
            pool: sqlite_pool::open(database, 1).await?,
            batch: settings.number("batch")?.unwrap_or(100),
            poll: Duration::from_millis(settings.number("poll")?.unwrap_or(10)),
        })
    }

    async fn submit(&self, task: i64) -> Result<()> {
        sqlx::query(SUBMIT).bind(task).execute(&self.pool).await?;
        Ok(())
    }

    async fn submit_many(&self, tasks: Range<i64>) -> Result<()> {
        sqlx::query(SUBMIT_MANY)
            .bind(json(&tasks.collect::<Vec<_>>())?)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    async fn work(&self) -> Result<()> {
        loop {
            let claim = sqlx::query(CLAIM).bind("worker").bind(self.batch);
            let claimed = claim.fetch_all(&self.pool).await?;
            if claimed.is_empty() {
                tokio::time::sleep(self.poll).await;
                continue;
            }
            let mut ids: Vec<i64> = Vec::new();
            for row in claimed {
                handled(row.try_get(1)?);
                ids.push(row.try_get(0)?);
            }
            sqlx::query(DELETE).bind(json(&ids)?).execute(&self.pool).await?;
        }
    }

    async fn finished(&self, _: i64) -> Result<bool> {
        Ok(sqlx::query_scalar(FINISHED).fetch_one(&self.pool).await?)
    }
}

fn json(numbers: &[i64]) -> Result<String> {
    Ok(serde_json::to_string(numbers)?)
}
