//! apalis-sqlite: like apalis-postgres, but polls instead of waiting for notifications.

use std::ops::Range;
use std::time::Duration;

use anyhow::{Result, anyhow};
use apalis::prelude::*;
use apalis_sqlite::{Config, SqliteStorage};
use sqlx::SqlitePool;
use steadfast_bench_drive::{Peer, Settings, handled, run};

use super::sqlite_pool;
use crate::entry::{Entry, Program, Run};

/// The entry of apalis-sqlite.
pub const ENTRY: Entry = Entry {
    drain: &[
        Run::new("1 000 at a time, polls every 50 ms, spawned", &["batch=1000", "poll=50"])
            .tasks(2000),
        Run::new("default", &[]).tasks(2000),
    ],
    ..Entry::new("apalis-sqlite", Program::Builtin(run::<Apalis>), "the row")
};

const QUEUE: &str = "noop";

async fn noop(task: i64) -> Result<(), BoxDynError> {
    handled(task);
    Ok(())
}

struct Apalis {
    pool: SqlitePool,
    batch: Option<usize>,
    poll: Option<u64>,
}

impl Apalis {
    fn storage(&self, config: Config) -> SqliteStorage<i64> {
        SqliteStorage::new(&self.pool).with_config(config.queue(QUEUE))
    }
}

impl Peer for Apalis {
    /// apalis sets WAL, which is stored in the file, and `synchronous = OFF`, which applies only to
    /// this connection.
    async fn setup(database: &str) -> Result<()> {
        Ok(SqliteStorage::setup(&sqlite_pool::open(database, 10).await?).await?)
    }

    async fn open(database: &str, settings: &Settings) -> Result<Self> {
        settings.allow_only(&["batch", "poll"])?;
        let pool = sqlite_pool::open(database, 10).await?;
        Ok(Apalis { pool, batch: settings.number("batch")?, poll: settings.number("poll")? })
    }

    async fn submit(&self, task: i64) -> Result<()> {
        self.storage(Config::default()).push(task).await.map_err(|error| anyhow!("{error}"))
    }

    async fn submit_many(&self, tasks: Range<i64>) -> Result<()> {
        let tasks: Vec<i64> = tasks.collect();
        let mut storage = self.storage(Config::default().batch_size(tasks.len()));
        storage.push_bulk(tasks).await.map_err(|error| anyhow!("{error}"))
    }

    async fn work(&self) -> Result<()> {
        let worker = WorkerBuilder::new("worker");
        let (Some(batch), Some(poll)) = (self.batch, self.poll) else {
            return Ok(worker.backend(self.storage(Config::default())).build(noop).run().await?);
        };
        let config = Config::default().batch_size(batch).lock_tasks(false);
        let storage = self.storage(config).poll_with_interval(Duration::from_millis(poll));
        Ok(worker.backend(storage).parallelize(tokio::spawn).build(noop).run().await?)
    }

    async fn finished(&self, _: i64) -> Result<bool> {
        Ok(sqlx::query_scalar(FINISHED).fetch_one(&self.pool).await?)
    }
}

const FINISHED: &str = "SELECT NOT EXISTS (SELECT 1 FROM Jobs WHERE status <> 'Done')";
