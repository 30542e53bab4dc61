//! awa: append-only storage with completion receipts, heartbeat leases and history.

use std::ops::Range;
use std::time::Duration;

use anyhow::{Result, bail};
use awa::model::insert::params_with;
use awa::{Client, InsertOpts, InsertParams, JobArgs, JobResult, QueueConfig};
use awa::{QueueStorage, QueueStorageConfig, migrations};
use chrono::DateTime;
use serde::{Deserialize, Serialize};
use sqlx_0_8::PgPool;
use sqlx_0_8::postgres::PgPoolOptions;
use steadfast_bench_drive::{Peer, Settings, handled, run};

use crate::entry::{Entry, Program, Run};

/// The entry of awa.
pub const ENTRY: Entry = Entry {
    drain: &[
        Run::new("1 024 workers", &["workers=1024"]).quick(),
        Run::new("1 024 workers, no deadlines", &["workers=1024", "deadline=0"]),
        Run::new("default", &[]),
    ],
    future: &[Run::new("default", &[]).tasks(1000).max_scheduled(1_000_000)],
    lateness: &[Run::new("default", &[])],
    churn: &[Run::new("1 024 workers", &["workers=1024"])],
    ..Entry::new("awa", Program::Builtin(run::<Awa>), "history, fencing")
};

const QUEUE: &str = "noop";

#[derive(Debug, Serialize, Deserialize)]
struct Noop {
    id: i64,
}

impl JobArgs for Noop {
    fn kind() -> &'static str {
        "noop"
    }
}

struct Awa {
    pool: PgPool,
    storage: QueueStorage,
    client: Client,
}

impl Peer for Awa {
    /// Switches a fresh database to the newest storage, as its first worker would do.
    async fn setup(database: &str) -> Result<()> {
        let pool = PgPool::connect(database).await?;
        migrations::run(&pool).await?;
        let finalize = sqlx_0_8::query_scalar("SELECT awa.storage_auto_finalize_if_fresh('awa')");
        if !finalize.fetch_one(&pool).await? {
            bail!("awa did not switch to its newest storage");
        }
        Ok(())
    }

    async fn open(database: &str, settings: &Settings) -> Result<Self> {
        settings.allow_only(&["connections", "workers", "deadline"])?;
        // Ten connections, as in its getting-started guide.
        let connections = settings.number("connections")?.unwrap_or(10);
        let pool = PgPoolOptions::new().max_connections(connections).connect(database).await?;
        let storage = QueueStorage::new(QueueStorageConfig::default())?;
        let mut queue = QueueConfig::default();
        if let Some(workers) = settings.number("workers")? {
            queue.max_workers = workers;
        }
        if let Some(deadline) = settings.number("deadline")? {
            queue.deadline_duration = Duration::from_secs(deadline);
        }
        let client = Client::builder(pool.clone())
            .queue(QUEUE, queue)
            .register::<Noop, _, _>(|task: Noop, _| async move {
                handled(task.id);
                Ok(JobResult::Completed)
            })
            .build()?;
        Ok(Awa { pool, storage, client })
    }

    async fn submit(&self, task: i64) -> Result<()> {
        awa::insert_with(&self.pool, &Noop { id: task }, options(None)).await?;
        Ok(())
    }

    async fn submit_many(&self, tasks: Range<i64>) -> Result<()> {
        let tasks = tasks.map(|task| params_with(&Noop { id: task }, options(None)));
        self.copy(&tasks.collect::<Result<Vec<_>, _>>()?).await
    }

    async fn submit_scheduled(&self, due: &[i64]) -> Result<()> {
        let tasks = due.iter().map(|due| params_with(&Noop { id: *due }, options(Some(*due))));
        self.copy(&tasks.collect::<Result<Vec<_>, _>>()?).await
    }

    async fn work(&self) -> Result<()> {
        self.client.start().await?;
        std::future::pending().await
    }

    async fn finished(&self, tasks: i64) -> Result<bool> {
        let finished: i64 = sqlx_0_8::query_scalar(FINISHED).fetch_one(&self.pool).await?;
        Ok(finished >= tasks)
    }
}

/// A query instead of awa's `queue_counts`, which takes most of a second.
const FINISHED: &str = "
    SELECT /* finished? */
           (SELECT coalesce(sum(completed_count), 0) FROM awa.receipt_completion_batches)::bigint
         + (SELECT count(*) FROM awa.done_entries WHERE state = 'completed')
         + (SELECT coalesce(sum(pruned_completed_count), 0)
            FROM awa.queue_terminal_rollups)::bigint
";

impl Awa {
    async fn copy(&self, tasks: &[InsertParams]) -> Result<()> {
        self.storage.enqueue_params_copy(&self.pool, tasks).await?;
        Ok(())
    }
}

fn options(due: Option<i64>) -> InsertOpts {
    InsertOpts {
        queue: QUEUE.to_owned(),
        run_at: due.and_then(DateTime::from_timestamp_micros),
        ..InsertOpts::default()
    }
}
