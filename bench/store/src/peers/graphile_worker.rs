//! graphile_worker: the Rust port of graphile-worker, also fastest with a local queue and batched
//! completions.

use std::ops::Range;
use std::time::Duration;

use anyhow::Result;
use chrono::DateTime;
use graphile_worker::worker_utils::WorkerUtils;
use graphile_worker::{
    IntoTaskHandlerResult, JobSpec, LocalQueueConfig, RawJobSpec, TaskHandler, Worker,
    WorkerContext, WorkerOptions,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::PgPool;
use steadfast_bench_drive::{Peer, Settings, handled, run};

use crate::entry::{Entry, Program, Run};

/// The entry of graphile_worker.
pub const ENTRY: Entry = Entry {
    drain: &[
        TUNED.quick(),
        Run::new(
            "as in its own benchmark",
            &["connections=90", "concurrency=500", "poll=5", "batch-delay=5", "queue=5000"],
        ),
        Run::new("default", &["once=1"]),
    ],
    future: &[TUNED.tasks(1000).max_scheduled(1_000_000)],
    ..Entry::new("graphile_worker", Program::Builtin(run::<Graphile>), "nothing")
};

const TUNED: Run =
    Run::new("local queue 500, 24 at once", &["concurrency=24", "queue=500", "batch-delay=1"]);

#[derive(Serialize, Deserialize)]
struct Noop {
    id: i64,
}

impl TaskHandler for Noop {
    const IDENTIFIER: &'static str = "noop";

    async fn run(self, _: WorkerContext) -> impl IntoTaskHandlerResult {
        handled(self.id);
        Ok::<(), String>(())
    }
}

struct Graphile {
    worker: Worker,
    utils: WorkerUtils,
    pool: PgPool,
    once: bool,
}

impl Peer for Graphile {
    async fn setup(database: &str) -> Result<()> {
        WorkerOptions::default().database_url(database).define_job::<Noop>().init().await?;
        Ok(())
    }

    async fn open(database: &str, settings: &Settings) -> Result<Self> {
        settings.allow_only(&[
            "connections",
            "concurrency",
            "poll",
            "batch-delay",
            "queue",
            "once",
        ])?;
        let mut options = WorkerOptions::default()
            .database_url(database)
            .max_pg_conn(settings.number("connections")?.unwrap_or(20))
            .define_job::<Noop>();
        if let Some(concurrency) = settings.number("concurrency")? {
            options = options.concurrency(concurrency);
        }
        if let Some(poll) = settings.number("poll")? {
            options = options.poll_interval(Duration::from_millis(poll));
        }
        if let Some(delay) = settings.number("batch-delay")? {
            options = options.complete_job_batch_delay(Duration::from_millis(delay));
        }
        if let Some(size) = settings.number("queue")? {
            options = options.local_queue(LocalQueueConfig::default().with_size(size));
        }
        let worker = options.init().await?;
        let utils = worker.create_utils();
        let pool = PgPool::connect_lazy(database)?;
        Ok(Graphile { worker, utils, pool, once: settings.get("once").is_some() })
    }

    async fn submit(&self, task: i64) -> Result<()> {
        self.utils.add_job(Noop { id: task }, JobSpec::default()).await?;
        Ok(())
    }

    async fn submit_many(&self, tasks: Range<i64>) -> Result<()> {
        let jobs: Vec<_> = tasks.map(|task| job(task, JobSpec::default())).collect();
        self.utils.add_raw_jobs(&jobs).await?;
        Ok(())
    }

    async fn submit_scheduled(&self, due: &[i64]) -> Result<()> {
        let at =
            |due| JobSpec { run_at: DateTime::from_timestamp_micros(due), ..JobSpec::default() };
        let jobs: Vec<_> = due.iter().map(|due| job(*due, at(*due))).collect();
        self.utils.add_raw_jobs(&jobs).await?;
        Ok(())
    }

    async fn work(&self) -> Result<()> {
        if self.once {
            self.worker.run_once().await?;
            // All jobs are done. Returning would be taken for a worker that stopped early.
            std::future::pending::<()>().await;
        }
        Ok(self.worker.run().await?)
    }

    async fn finished(&self, _: i64) -> Result<bool> {
        Ok(sqlx::query_scalar(FINISHED).fetch_one(&self.pool).await?)
    }
}

const FINISHED: &str = "SELECT /* finished? */ NOT EXISTS (SELECT FROM graphile_worker._private_jobs WHERE run_at <= now())";

fn job(task: i64, spec: JobSpec) -> RawJobSpec {
    RawJobSpec { identifier: Noop::IDENTIFIER.to_owned(), payload: json!({ "id": task }), spec }
}
