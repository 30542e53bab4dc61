//! Outages of the store (K4): nothing is lost, nothing needs a restart.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Executor};
use steadfast::Fault;
use steadfast_store::{Sqlite, Status, Store, Task};

use crate::claiming::blocking_handler;
use crate::faulty_engine::FaultyEngine;
use crate::stores::{on_each_engine, sqlite_url, until};
use crate::workers::{quick, signal_channel, start};

/// K4: a worker that starts during an outage runs tasks after it.
#[tokio::test(flavor = "multi_thread")]
async fn worker_started_during_an_outage_runs_tasks_after_it() {
    on_each_engine(async |engine| {
        let (faulty, store) = FaultyEngine::new(engine.clone()).store();
        faulty.set_unreachable(true);
        let (signal, mut signals) = signal_channel();
        let handler = move |(): ()| {
            signal.send(()).unwrap();
            async { Ok::<_, Fault>(()) }
        };
        let worker = start(quick(&store).handle("any", handler));
        while faulty.rejected_calls.load(Ordering::SeqCst) < 5 {
            faulty.call_rejected.notified().await;
        }
        faulty.set_unreachable(false);
        Store::with_engine(engine).submit(Task::new("any", &())).await.unwrap();
        signals.next().await;
        worker.stop().await;
    })
    .await;
}

/// K4, D4: results of an outage are settled after it, once.
#[tokio::test(flavor = "multi_thread")]
async fn tasks_completed_during_an_outage_are_settled_after_it() {
    on_each_engine(async |engine| {
        let (faulty, store) = FaultyEngine::new(engine.clone()).store();
        let (handler, mut signals, gate) = blocking_handler();
        let worker = start(quick(&store).handle("any", handler));
        let tasks: Vec<_> = (0..50).map(|number| Task::new("any", &number.to_string())).collect();
        let ids: Vec<_> = tasks.iter().map(Task::id).collect();
        store.submit_all(tasks).await.unwrap();
        signals.some(50).await;

        faulty.set_unreachable(true);
        gate.add_permits(50);
        let refused = faulty.rejected_calls.load(Ordering::SeqCst);
        while faulty.rejected_calls.load(Ordering::SeqCst) < refused + 5 {
            faulty.call_rejected.notified().await;
        }
        let direct = Store::with_engine(engine);
        assert_eq!(direct.stats().await.unwrap().completed, 0);
        faulty.set_unreachable(false);
        for id in ids {
            let task = until(&direct, id, Status::Completed).await;
            assert_eq!((task.attempts, task.faults.len()), (1, 0));
        }
        worker.stop().await;
        assert!(signals.rest().is_empty(), "no task ran twice");
    })
    .await;
}

/// K4: a worker waits for a locked database file, and loses no result.
#[tokio::test(flavor = "multi_thread")]
async fn result_is_settled_after_the_file_is_unlocked() {
    let directory = tempfile::tempdir().unwrap();
    let url = sqlite_url(&directory);
    let (faulty, store) = FaultyEngine::new(Arc::new(Sqlite::open(&url).await.unwrap())).store();
    let (handler, mut signals, gate) = blocking_handler();
    let worker = start(quick(&store).poll(Duration::from_millis(20)).handle("any", handler));
    let id = store.submit(Task::new("any", "x")).await.unwrap().id;
    signals.next().await;

    let path = directory.path().join("tasks.db");
    let options = SqliteConnectOptions::new().filename(path);
    let mut other = options.connect().await.unwrap();
    other.execute("BEGIN IMMEDIATE").await.unwrap();
    gate.add_permits(1);
    faulty.failed.subscribe().wait_for(|failed| *failed >= 3).await.unwrap();
    assert_eq!(store.task(id).await.unwrap().status, Status::Running);
    other.execute("ROLLBACK").await.unwrap();
    until(&store, id, Status::Completed).await;
    worker.stop().await;
}

/// D13: a worker stops during an outage, and its tasks are reclaimed later.
#[tokio::test(flavor = "multi_thread")]
async fn worker_stops_while_the_store_is_unreachable() {
    on_each_engine(async |engine| {
        let (faulty, store) = FaultyEngine::new(engine.clone()).store();
        let (handler, mut signals, gate) = blocking_handler();
        let worker = start(quick(&store).handle("any", handler));
        let id = store.submit(Task::new("any", "x")).await.unwrap().id;
        signals.next().await;
        faulty.set_unreachable(true);
        gate.add_permits(1);
        worker.stop().await;
        assert_eq!(Store::with_engine(engine).task(id).await.unwrap().status, Status::Running);
    })
    .await;
}
