//! This project, as its documentation recommends: a store and a worker with default settings.

use std::ops::Range;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sqlx::PgPool;
use steadfast_bench_drive::{Peer, Settings, handled, run};
use steadfast_store::{Store, Task};
use steadfast_worker::Worker;

use crate::entry::{Entry, Program, Run};

/// The entry on PostgreSQL.
pub const ON_POSTGRES: Entry = Entry {
    drain: &[Run::new("by default", &[]).quick()],
    submit: &[Run::new("by default", &[]).quick()],
    // A claim takes hundreds of tasks, so all tasks are needed for a mean over several claims.
    future: &[Run::new("by default", &[]).quick()],
    lateness: &[Run::new("by default", &[]).quick()],
    churn: &[Run::new("by default", &[]).quick()],
    ..Entry::new("steadfast", Program::Builtin(run::<Steadfast>), STORES)
};

/// The entry on SQLite.
pub const ON_SQLITE: Entry = Entry {
    drain: SYNCHRONOUS,
    submit: SYNCHRONOUS,
    ..Entry::new("steadfast-sqlite", Program::Builtin(run::<Steadfast>), STORES)
};

const SYNCHRONOUS: &[Run] = &[
    Run::new("by default, synchronous full", &[]).quick(),
    Run::new("synchronous normal", &["synchronous=normal"]),
];
const STORES: &str = "the task, its history and its result";
const KIND: &str = "noop";

#[derive(Serialize, Deserialize)]
struct Noop {
    id: i64,
}

struct Steadfast {
    store: Store,
    /// A connection to PostgreSQL for [`FINISHED`], which the report excludes by its comment.
    postgres: Option<PgPool>,
}

impl Peer for Steadfast {
    async fn setup(database: &str) -> Result<()> {
        Store::open(&url(database, &Settings::default())).await?;
        Ok(())
    }

    async fn open(database: &str, settings: &Settings) -> Result<Self> {
        settings.allow_only(&["synchronous"])?;
        let store = Store::open(&url(database, settings)).await?;
        let is_postgres = database.starts_with("postgres");
        let postgres = is_postgres.then(|| PgPool::connect_lazy(database)).transpose()?;
        Ok(Self { store, postgres })
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

    async fn submit_scheduled(&self, due: &[i64]) -> Result<()> {
        let scheduled = |due: &i64| {
            let time = jiff_0_2::Timestamp::from_microsecond(*due)?;
            Ok(Task::new(KIND, &Noop { id: *due }).at(time))
        };
        let tasks: Result<Vec<Task>> = due.iter().map(scheduled).collect();
        self.store.submit_all(tasks?).await?;
        Ok(())
    }

    async fn work(&self) -> Result<()> {
        let noop = |task: Noop| async move {
            handled(task.id);
            Ok::<(), std::io::Error>(())
        };
        Worker::new(self.store.clone()).handle(KIND, noop).run().await.context("the worker stopped")
    }

    async fn finished(&self, tasks: i64) -> Result<bool> {
        if let Some(postgres) = &self.postgres {
            return Ok(sqlx::query_scalar(FINISHED).bind(tasks).fetch_one(postgres).await?);
        }
        Ok(i64::try_from(self.store.stats().await?.completed)? >= tasks)
    }
}

const FINISHED: &str = "SELECT /* finished? */ count(*) >= $1 FROM steadfast.ended";

/// The store URL of a database. The path of a file becomes a SQLite URL.
fn url(database: &str, settings: &Settings) -> String {
    if !Path::new(database).is_absolute() && !database.starts_with("sqlite:") {
        return database.to_owned();
    }
    let synchronous = settings.get("synchronous").map(|mode| format!("?synchronous={mode}"));
    format!("sqlite:{}{}", database.trim_start_matches("sqlite:"), synchronous.unwrap_or_default())
}
