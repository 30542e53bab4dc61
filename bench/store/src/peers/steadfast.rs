//! This project, as its documentation says: a store, a worker, everything by default.

use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use steadfast_bench_drive::{Peer, Settings, handled, run};
use steadfast_store::{Store, Task};
use steadfast_worker::Worker;

use crate::entry::{Entry, Program, Run};

/// On PostgreSQL.
pub const ON_POSTGRES: Entry = Entry {
    drain: &[Run::new("by default", &[]).quick()],
    submit: &[Run::new("by default", &[]).quick()],
    // It claims hundreds at a time, and a few claims are no mean.
    future: &[Run::new("by default", &[]).quick()],
    lateness: &[Run::new("by default", &[]).quick()],
    churn: &[Run::new("by default", &[]).quick()],
    ..Entry::new("steadfast", Program::Here(run::<Steadfast>), KEEPS)
};

/// On SQLite.
pub const ON_SQLITE: Entry = Entry {
    drain: SYNCHRONOUS,
    submit: SYNCHRONOUS,
    ..Entry::new("steadfast-sqlite", Program::Here(run::<Steadfast>), KEEPS)
};

const SYNCHRONOUS: &[Run] = &[
    Run::new("by default, synchronous full", &[]).quick(),
    Run::new("synchronous normal", &["synchronous=normal"]),
];
const KEEPS: &str = "the task, its history and its result";
const KIND: &str = "noop";

#[derive(Serialize, Deserialize)]
struct Noop {
    id: i64,
}

struct Steadfast {
    store: Store,
    /// To ask PostgreSQL with a statement that the report knows not to count.
    server: Option<PgPool>,
}

impl Peer for Steadfast {
    async fn setup(database: &str) -> Result<()> {
        Store::open(&url(database, &Settings::default())).await?;
        Ok(())
    }

    async fn open(database: &str, settings: &Settings) -> Result<Self> {
        settings.expect(&["synchronous"])?;
        let store = Store::open(&url(database, settings)).await?;
        let is_server = database.starts_with("postgres");
        let server = is_server.then(|| PgPool::connect_lazy(database)).transpose()?;
        Ok(Self { store, server })
    }

    async fn submit(&self, task: i64) -> Result<()> {
        self.store.submit(Task::new(KIND, &Noop { id: task })).await?;
        Ok(())
    }

    async fn submit_many(&self, tasks: Range<i64>) -> Result<()> {
        let tasks = tasks.map(|id| Task::new(KIND, &Noop { id })).collect();
        self.store.submit_all(tasks).await?;
        Ok(())
    }

    async fn submit_later(&self, due: &[i64]) -> Result<()> {
        let later = |due: &i64| {
            let time = jiff_0_2::Timestamp::from_microsecond(*due)?;
            Ok(Task::new(KIND, &Noop { id: *due }).at(time))
        };
        let tasks: Result<Vec<Task>> = due.iter().map(later).collect();
        self.store.submit_all(tasks?).await?;
        Ok(())
    }

    async fn work(&self) -> Result<()> {
        let noop = |task: Noop| async move {
            handled(task.id);
            Ok::<(), std::io::Error>(())
        };
        Worker::new(self.store.clone()).handle(KIND, noop).run().await.context("the worker ended")
    }

    async fn finished(&self, tasks: i64) -> Result<bool> {
        if let Some(server) = &self.server {
            return Ok(sqlx::query_scalar(FINISHED).bind(tasks).fetch_one(server).await?);
        }
        Ok(i64::try_from(self.store.stats().await?.completed)? >= tasks)
    }
}

const FINISHED: &str = "SELECT /* finished? */ count(*) >= $1 FROM steadfast.ended";

/// The address of a database: a file's path is one of SQLite.
fn url(database: &str, settings: &Settings) -> String {
    if !Path::new(database).is_absolute() && !database.starts_with("sqlite:") {
        return database.to_owned();
    }
    let synchronous = settings.word("synchronous").map(|how| format!("?synchronous={how}"));
    format!("sqlite:{}{}", database.trim_start_matches("sqlite:"), synchronous.unwrap_or_default())
}
