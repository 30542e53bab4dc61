//! The stores that every scenario runs on.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use steadfast_store::{Engine, Postgres, Sqlite, Status, Store, StoredTask, TaskId};
use steadfast_testing::poll;
use steadfast_testing::postgres::Database;
use tempfile::TempDir;
use tokio::time::timeout;

/// No scenario takes this long; a hanging one fails.
const SCENARIO_TIMEOUT: Duration = Duration::from_secs(60);

/// A store for one test, and the resources that must outlive it.
pub(crate) struct TestStore {
    pub(crate) engine: Arc<dyn Engine>,
    _resources: Box<dyn Send>,
}

async fn on_postgres() -> TestStore {
    let database = tokio::task::spawn_blocking(Database::fresh).await.unwrap().unwrap();
    let engine = Arc::new(Postgres::open(database.url()).await.unwrap());
    TestStore { engine, _resources: Box::new(database) }
}

async fn on_sqlite() -> TestStore {
    let directory = tempfile::tempdir().unwrap();
    let engine = Arc::new(Sqlite::open(&sqlite_url(&directory)).await.unwrap());
    TestStore { engine, _resources: Box::new(directory) }
}

/// A database file with a short busy timeout.
pub(crate) fn sqlite_url(directory: &TempDir) -> String {
    format!("sqlite:{}?busy_timeout=200ms", directory.path().join("tasks.db").display())
}

/// Runs a scenario on an empty store of each kind.
pub(crate) async fn on_each<Fut: Future<Output = ()>>(scenario: impl Fn(Store) -> Fut) {
    on_each_engine(|engine| scenario(Store::with_engine(engine))).await;
}

/// The same, for scenarios that wrap the engine.
pub(crate) async fn on_each_engine<Fut: Future<Output = ()>>(
    scenario: impl Fn(Arc<dyn Engine>) -> Fut,
) {
    for (name, home) in [("sqlite", on_sqlite().await), ("postgres", on_postgres().await)] {
        println!("on {name}");
        timeout(SCENARIO_TIMEOUT, scenario(home.engine.clone()))
            .await
            .expect("the scenario timed out");
    }
}

/// Polls until a task has this status.
pub(crate) async fn until(store: &Store, id: TaskId, status: Status) -> StoredTask {
    eventually(async || store.task(id).await.unwrap().status == status).await;
    store.task(id).await.unwrap()
}

/// Polls until the condition of the scenario holds.
pub(crate) async fn eventually(condition: impl AsyncFnMut() -> bool) {
    poll::eventually("the condition of the scenario holds", condition).await;
}
