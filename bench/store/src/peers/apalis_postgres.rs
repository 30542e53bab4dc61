//! apalis-postgres: fetches tasks in batches and runs them one by one unless configured to spawn.

use std::ops::Range;
use std::time::Duration;

use anyhow::{Result, anyhow};
use apalis::prelude::*;
use apalis_postgres::{Config, PostgresStorage};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use steadfast_bench_drive::{Peer, Settings, handled, run};

use crate::entry::{Entry, Program, Run};

/// The entry of apalis-postgres.
pub const ENTRY: Entry = Entry {
    drain: &[
        Run::new("1 000 at a time, woken, spawned", &["batch=1000", "poll=100"]),
        Run::new("100 at a time, woken, spawned", &["batch=100", "poll=100"]),
        Run::new("default", &[]),
    ],
    ..Entry::new("apalis-postgres", Program::Builtin(run::<Apalis>), "the row")
};

const QUEUE: &str = "noop";

async fn noop(task: i64) -> Result<(), BoxDynError> {
    handled(task);
    Ok(())
}

struct Apalis {
    pool: PgPool,
    batch: Option<usize>,
    poll: Option<u64>,
}

impl Apalis {
    fn storage(&self, config: Config) -> PostgresStorage<i64> {
        PostgresStorage::new(&self.pool).with_config(config.queue(QUEUE))
    }
}

impl Peer for Apalis {
    async fn setup(database: &str) -> Result<()> {
        Ok(PostgresStorage::setup(&PgPool::connect(database).await?).await?)
    }

    async fn open(database: &str, settings: &Settings) -> Result<Self> {
        settings.allow_only(&["batch", "poll"])?;
        let pool = PgPoolOptions::new().max_connections(10).connect(database).await?;
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
            // As in the first example of its documentation.
            return Ok(worker.backend(self.storage(Config::default())).build(noop).run().await?);
        };
        let config = Config::default().batch_size(batch).lock_tasks(false);
        let storage =
            self.storage(config).with_pubsub().poll_with_interval(Duration::from_millis(poll));
        Ok(worker.backend(storage).parallelize(tokio::spawn).build(noop).run().await?)
    }

    async fn finished(&self, _: i64) -> Result<bool> {
        Ok(sqlx::query_scalar(FINISHED).fetch_one(&self.pool).await?)
    }
}

const FINISHED: &str = "SELECT /* finished? */ NOT EXISTS (SELECT FROM apalis.jobs WHERE status <> 'Done' AND run_at <= now())";
