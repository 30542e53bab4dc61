//! underway: step functions, with a transaction around each handler.

use std::ops::Range;
use std::sync::Arc;

use anyhow::Result;
use jiff::Span;
use sqlx_0_8::postgres::PgPoolOptions;
use sqlx_0_8::{PgPool, Postgres, Transaction};
use steadfast_bench_drive::{Peer, Settings, handled, run};
use underway::{Queue, Task, Worker};

use crate::entry::{Entry, Program, Run};

/// The entry of underway.
pub const ENTRY: Entry = Entry {
    drain: &[
        Run::new("32 at once, polls every 10 ms", &["concurrency=32", "poll=10"]).tasks(1000),
        Run::new("default", &[]).tasks(300),
    ],
    ..Entry::new("underway", Program::Builtin(run::<Underway>), "the row")
};

#[derive(Clone)]
struct Noop;

impl Task for Noop {
    type Input = i64;
    type Output = ();

    async fn execute(&self, _: Transaction<'_, Postgres>, task: i64) -> underway::task::Result<()> {
        handled(task);
        Ok(())
    }
}

struct Underway {
    pool: PgPool,
    queue: Arc<Queue<Noop>>,
    concurrency: Option<usize>,
    poll: Option<i64>,
}

impl Peer for Underway {
    async fn setup(database: &str) -> Result<()> {
        Ok(underway::run_migrations(&PgPool::connect(database).await?).await?)
    }

    async fn open(database: &str, settings: &Settings) -> Result<Self> {
        settings.allow_only(&["concurrency", "poll"])?;
        let pool = PgPoolOptions::new().max_connections(40).connect(database).await?;
        let queue = Queue::builder().name("noop").pool(pool.clone()).build().await?;
        Ok(Underway {
            pool,
            queue: Arc::new(queue),
            concurrency: settings.number("concurrency")?,
            poll: settings.number("poll")?,
        })
    }

    async fn submit(&self, task: i64) -> Result<()> {
        self.queue.enqueue(&self.pool, &Noop, &task).await?;
        Ok(())
    }

    async fn submit_many(&self, tasks: Range<i64>) -> Result<()> {
        self.queue.enqueue_multi(&self.pool, &Noop, &tasks.collect::<Vec<_>>()).await?;
        Ok(())
    }

    async fn work(&self) -> Result<()> {
        let mut worker = Worker::new(Arc::clone(&self.queue), Noop);
        if let Some(concurrency) = self.concurrency {
            worker.set_concurrency_limit(concurrency);
        }
        match self.poll {
            None => worker.run().await?,
            Some(poll) => worker.run_every(Span::new().milliseconds(poll)).await?,
        }
        Ok(())
    }

    async fn finished(&self, _: i64) -> Result<bool> {
        Ok(sqlx_0_8::query_scalar(FINISHED).fetch_one(&self.pool).await?)
    }
}

const FINISHED: &str = "
    SELECT /* finished? */ NOT EXISTS (
        SELECT FROM underway.task
        WHERE state IN ('pending', 'in_progress') AND created_at + delay <= now()
    )
";
