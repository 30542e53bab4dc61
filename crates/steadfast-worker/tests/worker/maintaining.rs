//! Maintenance of the store (D14).

use std::time::Duration;

use steadfast::{Fault, Policy};
use steadfast_store::{ClaimRequest, Status, Store, StoreError, Task};
use steadfast_testing::postgres::Database;
use steadfast_worker::{Context, Maintenance, Retention, Worker};
use tokio::sync::oneshot;

use crate::faulty_engine::FaultyEngine;
use crate::stores::{eventually, on_each, on_each_engine, until};
use crate::workers::{quick, signal_channel, start};

const SOON: Duration = Duration::from_millis(20);

/// D14: tasks past their retention are pruned.
#[tokio::test(flavor = "multi_thread")]
async fn old_task_is_pruned() {
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

/// D14: histories are compressed, and read as before.
#[tokio::test(flavor = "multi_thread")]
async fn history_of_an_ended_task_is_compressed() {
    on_each_engine(async |engine| {
        let (faulty, store) = FaultyEngine::new(engine).store();
        let handler = async |(): (), context: Context| match context.attempt() {
            3 => Ok(()),
            _ => Err(Fault::http(503)),
        };
        let maintenance = Maintenance::default().compress_every(SOON).compress_after(SOON);
        let worker = start(quick(&store).maintenance(maintenance).handle("any", handler));
        let policy = Policy::immediate().build().unwrap();
        let id = store.submit(Task::new("any", &()).under(policy)).await.unwrap().id;
        faulty.compressed.subscribe().wait_for(|compressed| *compressed == 1).await.unwrap();
        worker.stop().await;
        let task = store.task(id).await.unwrap();
        assert_eq!((task.status, task.faults.len()), (Status::Completed, 2));
    })
    .await;
}

/// A worker without maintenance promotes nothing.
#[tokio::test(flavor = "multi_thread")]
async fn worker_without_maintenance_promotes_nothing() {
    on_each(async |store| {
        let (signal, mut signals) = signal_channel();
        let handler = move |name: String| {
            signal.send(name).unwrap();
            async { Ok::<_, Fault>(()) }
        };
        let worker = quick(&store).maintenance(Maintenance::off()).poll(SOON);
        let worker = start(worker.handle("any", handler));
        let later = Task::new("any", "later").after(Duration::from_millis(1));
        let later = store.submit(later).await.unwrap().id;
        until(&store, later, Status::Pending).await;
        store.submit(Task::new("any", "now")).await.unwrap();
        assert_eq!(signals.next().await, "now");
        assert_eq!(store.promote(10).await.unwrap().count, 1);
        assert_eq!(signals.next().await, "later");
        worker.stop().await;
    })
    .await;
}

/// D7, D11: maintenance runs without claiming tasks.
#[tokio::test(flavor = "multi_thread")]
async fn maintenance_without_handlers_promotes_and_reclaims() {
    on_each(async |store| {
        let (stop, stopped) = oneshot::channel::<()>();
        let maintenance_run = quick(&store).maintain_until(async { drop(stopped.await) });
        let maintenance_run = tokio::spawn(maintenance_run);
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
        maintenance_run.await.unwrap().unwrap();
    })
    .await;
}

/// D7: all leases of a lost worker are reclaimed in one round.
#[tokio::test(flavor = "multi_thread")]
async fn all_leases_of_a_lost_worker_are_reclaimed_in_one_round() {
    on_each(async |store| {
        let tasks = (0..100).map(|_| Task::new("any", &()));
        store.submit_all(tasks.collect()).await.unwrap();
        let claim = ClaimRequest::new("lost", 1).lease(Duration::from_secs(1));
        for _ in 0..100 {
            assert_eq!(store.claim(&claim).await.unwrap().tasks.len(), 1);
        }
        let (stop, stopped) = oneshot::channel::<()>();
        let maintenance = Maintenance::default().reclaim_every(Duration::from_secs(1));
        let maintenance_run = quick(&store).maintenance(maintenance);
        let maintenance_run =
            tokio::spawn(maintenance_run.maintain_until(async { drop(stopped.await) }));
        eventually(async || store.stats().await.unwrap().running == 0).await;
        stop.send(()).unwrap();
        maintenance_run.await.unwrap().unwrap();
    })
    .await;
}

/// A standby is read-only: maintenance waits, and still stops when asked.
#[tokio::test(flavor = "multi_thread")]
async fn maintenance_of_a_read_only_database_waits() {
    let database = tokio::task::spawn_blocking(Database::fresh).await.unwrap().unwrap();
    drop(Store::open(database.url()).await.unwrap());
    let url = format!("{}?options[default_transaction_read_only]=on", database.url());
    let standby = Store::open(&url).await.unwrap();
    assert!(standby.promote(1).await.unwrap_err().is_read_only());
    let (stop, stopped) = oneshot::channel::<()>();
    let maintenance_run = Worker::new(standby).maintain_until(async { drop(stopped.await) });
    let maintenance_run = tokio::spawn(maintenance_run);
    stop.send(()).unwrap();
    maintenance_run.await.unwrap().unwrap();
}
