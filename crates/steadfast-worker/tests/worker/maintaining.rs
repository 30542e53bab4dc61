//! What a worker does for its store (D14).

use std::time::Duration;

use steadfast::{Fault, Policy};
use steadfast_store::{ClaimRequest, Status, Store, StoreError, Task};
use steadfast_testing::postgres::Database;
use steadfast_worker::{Context, Maintenance, Retention, Worker};
use tokio::sync::oneshot;

use crate::stores::{eventually, on_each, on_each_engine, until};
use crate::workers::{quick, signals, start};
use crate::wrapped::Wrapped;

const SOON: Duration = Duration::from_millis(20);

/// D14: what is past its retention is forgotten.
#[tokio::test(flavor = "multi_thread")]
async fn old_tasks_are_forgotten() {
    on_each(async |store| {
        let handler = async |(): ()| Ok::<_, Fault>(());
        let mut retention = Retention::default();
        retention.completed_for = Some(Duration::ZERO);
        let maintenance = Maintenance::default().prune_every(SOON).retention(retention);
        let worker = start(quick(&store).maintenance(maintenance).handle("any", handler));
        let id = store.submit(Task::new("any", &())).await.unwrap().id;
        eventually(async || matches!(store.task(id).await, Err(StoreError::NotFound(_)))).await;
        worker.stop().await;
    })
    .await;
}

/// D14: histories are packed, and read as if they were not.
#[tokio::test(flavor = "multi_thread")]
async fn histories_are_packed() {
    on_each_engine(async |engine| {
        let (wrapped, store) = Wrapped::around(engine).store();
        let handler = async |(): (), context: Context| match context.attempt() {
            3 => Ok(()),
            _ => Err(Fault::http(503)),
        };
        let maintenance = Maintenance::default().compress_every(SOON).compress_after(SOON);
        let worker = start(quick(&store).maintenance(maintenance).handle("any", handler));
        let policy = Policy::immediate().build().unwrap();
        let id = store.submit(Task::new("any", &()).under(policy)).await.unwrap().id;
        wrapped.packed.subscribe().wait_for(|packed| *packed == 1).await.unwrap();
        worker.stop().await;
        let task = store.task(id).await.unwrap();
        assert_eq!((task.status, task.faults.len()), (Status::Completed, 2));
    })
    .await;
}

/// A worker that was told not to leaves everything to others.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_without_maintenance_promotes_nothing() {
    on_each(async |store| {
        let (told, mut heard) = signals();
        let handler = move |name: String| {
            told.send(name).unwrap();
            async { Ok::<_, Fault>(()) }
        };
        let worker = quick(&store).maintenance(Maintenance::off()).poll(SOON);
        let worker = start(worker.handle("any", handler));
        let later = Task::new("any", "later").after(Duration::from_millis(1));
        let later = store.submit(later).await.unwrap().id;
        until(&store, later, Status::Pending).await;
        store.submit(Task::new("any", "now")).await.unwrap();
        assert_eq!(heard.next().await, "now");
        assert_eq!(store.promote(10).await.unwrap().count, 1);
        assert_eq!(heard.next().await, "later");
        worker.stop().await;
    })
    .await;
}

/// D7, D11: a store whose tasks are done elsewhere is maintained without taking any of them.
#[tokio::test(flavor = "multi_thread")]
async fn a_store_is_maintained_without_a_handler() {
    on_each(async |store| {
        let (stop, stopped) = oneshot::channel::<()>();
        let upkeep = quick(&store).maintain_until(async { drop(stopped.await) });
        let upkeep = tokio::spawn(upkeep);
        let claim = ClaimRequest::new("lost", 1).lease(Duration::from_secs(1));
        let lost = store.submit(Task::new("any", &())).await.unwrap().id;
        assert_eq!(store.claim(&claim).await.unwrap().tasks[0].id, lost);
        let later = Task::new("any", &()).after(SOON);
        let later = store.submit(later).await.unwrap().id;
        eventually(async || {
            store.claim(&claim).await.unwrap().tasks.iter().any(|it| it.id == later)
        })
        .await;
        eventually(async || !store.task(lost).await.unwrap().faults.is_empty()).await;
        stop.send(()).unwrap();
        upkeep.await.unwrap().unwrap();
    })
    .await;
}

/// D7: who was lost with many leases is missed in one round, not lease by lease.
#[tokio::test(flavor = "multi_thread")]
async fn every_lease_of_a_lost_worker_is_found_in_one_round() {
    on_each(async |store| {
        let tasks = (0..100).map(|_| Task::new("any", &()));
        store.submit_all(tasks.collect()).await.unwrap();
        let claim = ClaimRequest::new("lost", 1).lease(Duration::from_secs(1));
        for _ in 0..100 {
            assert_eq!(store.claim(&claim).await.unwrap().tasks.len(), 1);
        }
        let (stop, stopped) = oneshot::channel::<()>();
        let maintenance = Maintenance::default().reclaim_every(Duration::from_secs(1));
        let upkeep = quick(&store).maintenance(maintenance);
        let upkeep = tokio::spawn(upkeep.maintain_until(async { drop(stopped.await) }));
        eventually(async || store.stats().await.unwrap().running == 0).await;
        stop.send(()).unwrap();
        upkeep.await.unwrap().unwrap();
    })
    .await;
}

/// A standby takes no writes: it is no error, and nobody is kept from ending.
#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_takes_no_writes_is_left_alone() {
    let database = tokio::task::spawn_blocking(Database::fresh).await.unwrap().unwrap();
    drop(Store::open(database.url()).await.unwrap());
    let url = format!("{}?options[default_transaction_read_only]=on", database.url());
    let standby = Store::open(&url).await.unwrap();
    assert!(standby.promote(1).await.unwrap_err().is_read_only());
    let (stop, stopped) = oneshot::channel::<()>();
    let upkeep = Worker::new(standby).maintain_until(async { drop(stopped.await) });
    let upkeep = tokio::spawn(upkeep);
    stop.send(()).unwrap();
    upkeep.await.unwrap().unwrap();
}
