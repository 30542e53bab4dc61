//! The stores that every scenario runs on.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use steadfast_store::{Engine, Postgres, Sqlite, Status, Store, StoredTask, TaskId};
use steadfast_testing::postgres::Database;
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

/// Nothing in these tests takes this long, unless it never ends.
const FOREVER: Duration = Duration::from_secs(60);

/// A store of a test's own, and what must outlive it.
pub(crate) struct Home {
    pub(crate) engine: Arc<dyn Engine>,
    _keep: Box<dyn Send>,
}

async fn on_postgres() -> Home {
    let database = tokio::task::spawn_blocking(Database::fresh).await.unwrap().unwrap();
    let engine = Arc::new(Postgres::open(database.url()).await.unwrap());
    Home { engine, _keep: Box::new(database) }
}

async fn on_sqlite() -> Home {
    let directory = tempfile::tempdir().unwrap();
    let engine = Arc::new(Sqlite::open(&sqlite_url(&directory)).await.unwrap());
    Home { engine, _keep: Box::new(directory) }
}

/// A file that another connection may hold for a moment only.
pub(crate) fn sqlite_url(directory: &TempDir) -> String {
    format!("sqlite:{}?busy_timeout=200ms", directory.path().join("tasks.db").display())
}

/// Runs a scenario on an empty store of each kind.
pub(crate) async fn on_each<Fut: Future<Output = ()>>(scenario: impl Fn(Store) -> Fut) {
    on_each_engine(|engine| scenario(Store::on(engine))).await;
}

/// The same, for scenarios that come between a store and its engine.
pub(crate) async fn on_each_engine<Fut: Future<Output = ()>>(
    scenario: impl Fn(Arc<dyn Engine>) -> Fut,
) {
    for (name, home) in [("sqlite", on_sqlite().await), ("postgres", on_postgres().await)] {
        println!("on {name}");
        timeout(FOREVER, scenario(home.engine.clone())).await.expect("it takes forever");
    }
}

/// Waits until a task is where it should be. For what nobody can signal.
pub(crate) async fn until(store: &Store, id: TaskId, status: Status) -> StoredTask {
    eventually(async || store.task(id).await.unwrap().status == status).await;
    store.task(id).await.unwrap()
}

/// Looks until it is so; the scenario's own limit ends it.
pub(crate) async fn eventually(mut is_so: impl AsyncFnMut() -> bool) {
    while !is_so().await {
        sleep(Duration::from_millis(5)).await;
    }
}
