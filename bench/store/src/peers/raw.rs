//! The baseline on PostgreSQL: a loop with one table, one claim and one delete.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicI64;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use steadfast_bench_drive::{Peer, Settings, handled, run};
use tokio::task::JoinSet;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Row, Statement};

use crate::entry::{Entry, Program, Run};

/// The entry of the raw loop.
pub const ENTRY: Entry = Entry {
    submit: &[Run::new("one row", &[]).quick()],
    drain: &[
        Run::new("100 at a time, delete", &["batch=100"]).quick(),
        Run::new("100 at a time, update", &["batch=100", "finish=update"]),
        Run::new("100 at a time, delete with the next claim", &["batch=100", "finish=fused"]),
        Run::new("100 at a time, delete, 4 connections", &["batch=100", "connections=4"]),
        Run::new("1 000 at a time, delete", &["batch=1000"]),
        Run::new("one at a time, delete", &["batch=1"]).tasks(2000),
    ],
    future: &[
        Run::new("one at a time", &["batch=1"]).tasks(1000).quick(),
        Run::new("100 at a time", &["batch=100"]).tasks(1000),
    ],
    lateness: &[Run::new("polls every 10 ms", &["batch=100", "poll=10"]).quick()],
    churn: &[Run::new("100 at a time, delete", &["batch=100"]).quick()],
    ..Entry::new("raw", Program::Builtin(run::<Raw>), "nothing; by update, the row")
};

const TABLES: &str = "
    CREATE TABLE jobs (
        id bigserial PRIMARY KEY,
        state smallint NOT NULL DEFAULT 0,
        run_at timestamptz NOT NULL DEFAULT now(),
        attempts int NOT NULL DEFAULT 0,
        locked_by text,
        locked_at timestamptz,
        payload jsonb NOT NULL
    );
    CREATE INDEX jobs_due ON jobs (run_at, id) WHERE state = 0;
";

const SUBMIT: &str = "INSERT INTO jobs (payload) VALUES ($1)";

const SUBMIT_MANY: &str = "INSERT INTO jobs (payload) SELECT unnest($1::jsonb[])";

const SUBMIT_LATER: &str = "
    INSERT INTO jobs (payload, run_at)
    SELECT jsonb_build_object('id', due), to_timestamp(due / 1e6) FROM unnest($1::bigint[]) due
";

const CLAIM: &str = "
    UPDATE jobs SET state = 1, attempts = attempts + 1, locked_by = $1, locked_at = now()
    WHERE id IN (
        SELECT id FROM jobs WHERE state = 0 AND run_at <= now()
        ORDER BY run_at, id LIMIT $2 FOR UPDATE SKIP LOCKED
    )
    RETURNING id, payload
";

const DELETE: &str = "DELETE FROM jobs WHERE id = ANY($1)";

const UPDATE: &str = "UPDATE jobs SET state = 2, locked_by = NULL WHERE id = ANY($1)";

const DELETE_AND_CLAIM: &str = "
    WITH done AS (DELETE FROM jobs WHERE id = ANY($3))
    UPDATE jobs SET state = 1, attempts = attempts + 1, locked_by = $1, locked_at = now()
    WHERE id IN (
        SELECT id FROM jobs WHERE state = 0 AND run_at <= now()
        ORDER BY run_at, id LIMIT $2 FOR UPDATE SKIP LOCKED
    )
    RETURNING id, payload
";

struct Raw {
    client: Client,
    submit: Statement,
    submit_many: Statement,
    workers: Vec<Arc<Worker>>,
}

impl Peer for Raw {
    async fn setup(database: &str) -> Result<()> {
        Ok(connect(database).await?.batch_execute(TABLES).await?)
    }

    async fn open(database: &str, settings: &Settings) -> Result<Self> {
        settings.allow_only(&["batch", "connections", "finish", "poll"])?;
        let client = connect(database).await?;
        let (submit, submit_many) =
            (client.prepare(SUBMIT).await?, client.prepare(SUBMIT_MANY).await?);
        let mut workers = Vec::new();
        for number in 0..settings.number("connections")?.unwrap_or(1) {
            workers.push(Arc::new(Worker::open(database, settings, number).await?));
        }
        Ok(Raw { client, submit, submit_many, workers })
    }

    async fn submit(&self, task: i64) -> Result<()> {
        self.client.execute(&self.submit, &[&payload(task)]).await?;
        Ok(())
    }

    async fn submit_many(&self, tasks: Range<i64>) -> Result<()> {
        let payloads: Vec<Value> = tasks.map(payload).collect();
        self.client.execute(&self.submit_many, &[&payloads]).await?;
        Ok(())
    }

    async fn submit_scheduled(&self, due: &[i64]) -> Result<()> {
        self.client.execute(SUBMIT_LATER, &[&due]).await?;
        Ok(())
    }

    async fn work(&self) -> Result<()> {
        let workers = self.workers.iter().map(|worker| Arc::clone(worker).work());
        let mut workers: JoinSet<_> = workers.collect();
        workers.join_next().await.context("connections: must be greater than 0")??
    }

    /// The workers count their commits, so no query is needed.
    async fn finished(&self, tasks: i64) -> Result<bool> {
        let finished = self.workers.iter().map(|worker| worker.finished.load(Relaxed));
        Ok(finished.sum::<i64>() >= tasks)
    }
}

/// A connection that claims, handles and finishes tasks.
struct Worker {
    client: Client,
    name: String,
    batch: i64,
    poll: Duration,
    finish: Finish,
    claim: Statement,
    done: Statement,
    finished: AtomicI64,
}

#[derive(Clone, Copy, PartialEq)]
enum Finish {
    Delete,
    Update,
    Fused,
}

impl Worker {
    async fn open(database: &str, settings: &Settings, number: u64) -> Result<Self> {
        let (finish, claim, done) = match settings.get("finish") {
            None | Some("delete") => (Finish::Delete, CLAIM, DELETE),
            Some("update") => (Finish::Update, CLAIM, UPDATE),
            Some("fused") => (Finish::Fused, DELETE_AND_CLAIM, DELETE),
            Some(other) => bail!("finish={other}: expected delete, update or fused"),
        };
        let client = connect(database).await?;
        let (claim, done) = (client.prepare(claim).await?, client.prepare(done).await?);
        Ok(Worker {
            client,
            name: format!("worker {number}"),
            batch: settings.number("batch")?.unwrap_or(100),
            poll: Duration::from_millis(settings.number("poll")?.unwrap_or(10)),
            finish,
            claim,
            done,
            finished: AtomicI64::new(0),
        })
    }

    async fn work(self: Arc<Self>) -> Result<()> {
        let mut claimed = Vec::new();
        loop {
            claimed = match self.finish {
                Finish::Fused => self.finish_and_claim(&claimed).await?,
                _ => self.claim().await?,
            };
            if claimed.is_empty() {
                tokio::time::sleep(self.poll).await;
            } else if self.finish != Finish::Fused {
                self.client.execute(&self.done, &[&claimed]).await?;
                self.add_finished(&claimed);
            }
        }
    }

    async fn claim(&self) -> Result<Vec<i64>> {
        let rows = self.client.query(&self.claim, &[&self.name, &self.batch]).await?;
        rows.iter().map(handle).collect()
    }

    async fn finish_and_claim(&self, previous: &[i64]) -> Result<Vec<i64>> {
        let parameters: [&(dyn ToSql + Sync); 3] = [&self.name, &self.batch, &previous];
        let rows = self.client.query(&self.claim, &parameters).await?;
        self.add_finished(previous);
        rows.iter().map(handle).collect()
    }

    fn add_finished(&self, finished: &[i64]) {
        self.finished.fetch_add(finished.len().cast_signed() as i64, Relaxed);
    }
}

fn handle(row: &Row) -> Result<i64> {
    let payload: Value = row.try_get(1)?;
    handled(payload.get("id").and_then(Value::as_i64).context("no `id` in the payload")?);
    Ok(row.try_get(0)?)
}

fn payload(task: i64) -> Value {
    json!({ "id": task })
}

async fn connect(database: &str) -> Result<Client> {
    let (client, connection) = tokio_postgres::connect(database, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}
