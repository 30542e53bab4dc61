//! A store that goes away and comes back (K4): nothing is lost, nothing needs a restart.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Executor};
use steadfast::Fault;
use steadfast_store::{Sqlite, Status, Store, Task};

use crate::claiming::blocks;
use crate::stores::{on_each_engine, sqlite_url, until};
use crate::workers::{quick, signals, start};
use crate::wrapped::Wrapped;

/// K4: a worker that starts while its store is away works when it is there.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_waits_for_a_store_that_is_away() {
    on_each_engine(async |engine| {
        let (wrapped, store) = Wrapped::around(engine.clone()).store();
        wrapped.is_away(true);
        let (told, mut heard) = signals();
        let handler = move |(): ()| {
            told.send(()).unwrap();
            async { Ok::<_, Fault>(()) }
        };
        let worker = start(quick(&store).handle("any", handler));
        while wrapped.refused.load(Ordering::SeqCst) < 5 {
            wrapped.was_refused.notified().await;
        }
        wrapped.is_away(false);
        Store::on(engine).submit(Task::new("any", &())).await.unwrap();
        heard.next().await;
        worker.stop().await;
    })
    .await;
}

/// K4, D4: what was done while the store was away is written when it is back, once.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_done_during_an_outage_is_written_after_it() {
    on_each_engine(async |engine| {
        let (wrapped, store) = Wrapped::around(engine.clone()).store();
        let (handler, mut heard, gate) = blocks();
        let worker = start(quick(&store).handle("any", handler));
        let tasks: Vec<_> = (0..50).map(|number| Task::new("any", &number.to_string())).collect();
        let ids: Vec<_> = tasks.iter().map(Task::id).collect();
        store.submit_all(tasks).await.unwrap();
        heard.some(50).await;

        wrapped.is_away(true);
        gate.add_permits(50);
        let refused = wrapped.refused.load(Ordering::SeqCst);
        while wrapped.refused.load(Ordering::SeqCst) < refused + 5 {
            wrapped.was_refused.notified().await;
        }
        let direct = Store::on(engine);
        assert_eq!(direct.stats().await.unwrap().completed, 0);
        wrapped.is_away(false);
        for id in ids {
            let task = until(&direct, id, Status::Completed).await;
            assert_eq!((task.attempts, task.faults.len()), (1, 0));
        }
        worker.stop().await;
        assert!(heard.rest().is_empty(), "nothing was done twice");
    })
    .await;
}

/// K4: a file that another process holds is waited for, and nothing that was done is lost.
#[tokio::test(flavor = "multi_thread")]
async fn a_locked_file_is_waited_for() {
    let directory = tempfile::tempdir().unwrap();
    let url = sqlite_url(&directory);
    let (wrapped, store) = Wrapped::around(Arc::new(Sqlite::open(&url).await.unwrap())).store();
    let (handler, mut heard, gate) = blocks();
    let worker = start(quick(&store).poll(Duration::from_millis(20)).handle("any", handler));
    let id = store.submit(Task::new("any", "x")).await.unwrap().id;
    heard.next().await;

    let path = directory.path().join("tasks.db");
    let options = SqliteConnectOptions::new().filename(path);
    let mut other = options.connect().await.unwrap();
    other.execute("BEGIN IMMEDIATE").await.unwrap();
    gate.add_permits(1);
    wrapped.failed.subscribe().wait_for(|failed| *failed >= 3).await.unwrap();
    assert_eq!(store.task(id).await.unwrap().status, Status::Running);
    other.execute("ROLLBACK").await.unwrap();
    until(&store, id, Status::Completed).await;
    worker.stop().await;
}

/// D13: a worker whose store is away ends all the same, and its tasks come back as lost.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_cannot_reach_its_store_can_be_stopped() {
    on_each_engine(async |engine| {
        let (wrapped, store) = Wrapped::around(engine.clone()).store();
        let (handler, mut heard, gate) = blocks();
        let worker = start(quick(&store).handle("any", handler));
        let id = store.submit(Task::new("any", "x")).await.unwrap().id;
        heard.next().await;
        wrapped.is_away(true);
        gate.add_permits(1);
        worker.stop().await;
        assert_eq!(Store::on(engine).task(id).await.unwrap().status, Status::Running);
    })
    .await;
}
