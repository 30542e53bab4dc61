//! Tests of the SQLite engine alone. Both engines pass the conformance suite.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod caller_transaction;
mod commit;
mod file;
mod health;
mod lifecycle;
mod locked;
mod migrate;
mod plan;
mod quarantine;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, SqliteConnection};
use steadfast_store::{ClaimRequest, Claimed, Settlement, Sqlite, Store, Task, Verdict};
use tempfile::TempDir;

/// A store in a file of its own.
struct Fixture {
    store: Store,
    path: PathBuf,
    _directory: TempDir,
}

impl Fixture {
    async fn new() -> Self {
        Self::with("").await
    }

    /// With settings in its URL.
    async fn with(settings: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("tasks.db");
        let url = format!("sqlite:{}{settings}", path.display());
        let store = Store::with_engine(Arc::new(Sqlite::open(&url).await.unwrap()));
        Self { store, path, _directory: directory }
    }

    /// Another program's connection to the same file.
    async fn connection(&self) -> SqliteConnection {
        let options = SqliteConnectOptions::new().filename(&self.path);
        options.busy_timeout(Duration::ZERO).connect().await.unwrap()
    }

    async fn claim(&self, limit: u32) -> Vec<Claimed> {
        self.store.claim(&ClaimRequest::new("worker", limit)).await.unwrap().tasks
    }
}

/// The settlement of a completed task.
fn done(task: &Claimed) -> Settlement {
    let verdict = Verdict::Completed { result: None };
    Settlement { id: task.id, fencing_token: task.fencing_token, verdict }
}

fn task(number: u32) -> Task {
    Task::new("count", &number)
}
