//! The program of the peer effectum: `effectum-peer ACTION [NUMBER…] [SETTING=VALUE…]`.
//!
//! The package `steadfast-bench-drive` defines the protocol.

use std::ops::Range;
use std::path::Path;

use anyhow::{Result, ensure};
use effectum::{Job, JobRunner, Queue, RunningJob, Worker};
use rusqlite::Connection;
use steadfast_bench_drive::{Peer, Request, Settings, handled, run};

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    run::<Effectum>(Request::parse(&arguments)?)
}

const KIND: &str = "noop";

async fn noop(job: RunningJob, (): ()) -> Result<(), effectum::Error> {
    handled(job.json_payload()?);
    Ok(())
}

struct Effectum {
    queue: Queue,
    reader: Connection,
    concurrency: u16,
}

impl Peer for Effectum {
    /// Creates the file in WAL mode, which is stored in the file: effectum intends to set WAL, but
    /// misspells the pragma.
    async fn setup(database: &str) -> Result<()> {
        let file = Connection::open(database)?;
        let journal: String =
            file.pragma_update_and_check(None, "journal_mode", "wal", |row| row.get(0))?;
        ensure!(journal == "wal", "journal_mode: expected wal, got {journal}");
        Queue::new(Path::new(database)).await?;
        Ok(())
    }

    async fn open(database: &str, settings: &Settings) -> Result<Self> {
        settings.allow_only(&["concurrency"])?;
        Ok(Effectum {
            queue: Queue::new(Path::new(database)).await?,
            reader: Connection::open(database)?,
            concurrency: settings.number("concurrency")?.unwrap_or(10),
        })
    }

    async fn submit(&self, task: i64) -> Result<()> {
        Job::builder(KIND).json_payload(&task)?.add_to(&self.queue).await?;
        Ok(())
    }

    async fn submit_many(&self, tasks: Range<i64>) -> Result<()> {
        let jobs = tasks.map(|task| Ok(Job::builder(KIND).json_payload(&task)?.build()));
        self.queue.add_jobs(jobs.collect::<Result<_>>()?).await?;
        Ok(())
    }

    async fn work(&self) -> Result<()> {
        let _worker = Worker::builder(&self.queue, ())
            .max_concurrency(self.concurrency)
            .jobs([JobRunner::builder(KIND, noop).build()])
            .build()
            .await?;
        std::future::pending().await
    }

    async fn finished(&self, _: i64) -> Result<bool> {
        let finished = "SELECT NOT EXISTS (SELECT 1 FROM active_jobs)";
        Ok(self.reader.query_row(finished, [], |row| row.get(0))?)
    }
}
