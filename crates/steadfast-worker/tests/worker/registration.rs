//! Worker registration (H2).

use steadfast::Fault;
use steadfast_store::{Status, Store, Task, WorkerReport};

use crate::claiming::blocking_handler;
use crate::faulty_engine::FaultyEngine;
use crate::stores::{eventually, on_each, on_each_engine, until};
use crate::workers::{quick, start};

async fn registered_worker(store: &Store) -> Option<WorkerReport> {
    let mut workers = store.workers().await.unwrap();
    assert!(workers.len() <= 1, "{workers:?}");
    workers.pop()
}

/// H2: an idle worker is registered with its queues and concurrency; one that stops gracefully is
/// deregistered.
#[tokio::test(flavor = "multi_thread")]
async fn idle_worker_is_registered_until_it_stops() {
    on_each(async |store| {
        let worker = quick(&store).name("w1").concurrency(7).queues(["mail", "news"]);
        let worker = start(worker.handle("any", async |(): ()| Ok::<_, Fault>(())));
        eventually(async || registered_worker(&store).await.is_some()).await;
        let seen = registered_worker(&store).await.unwrap();
        assert_eq!((&*seen.name, seen.concurrency, seen.running), ("w1", Some(7), Some(0)));
        assert_eq!(seen.queues.unwrap(), ["mail", "news"]);
        assert!(seen.instance.is_some_and(|instance| instance != "w1"));
        worker.stop().await;
        assert_eq!(registered_worker(&store).await, None);
    })
    .await;
}

/// H2: the registration shows how many tasks run.
#[tokio::test(flavor = "multi_thread")]
async fn registration_of_a_busy_worker_shows_its_load() {
    on_each(async |store| {
        let (handler, mut signals, gate) = blocking_handler();
        let worker = start(quick(&store).handle("any", handler));
        let task = |number: u32| Task::new("any", &number.to_string());
        store.submit_all((0..3).map(task).collect()).await.unwrap();
        signals.some(3).await;
        let runs = async || registered_worker(&store).await.and_then(|seen| seen.running);
        eventually(async || runs().await == Some(3)).await;
        gate.add_permits(3);
        worker.stop().await;
    })
    .await;
}

/// H2: the last registration of a killed worker stays.
#[tokio::test(flavor = "multi_thread")]
async fn killed_worker_stays_registered() {
    on_each(async |store| {
        let worker = start(quick(&store).handle("any", async |(): ()| Ok::<_, Fault>(())));
        eventually(async || registered_worker(&store).await.is_some()).await;
        worker.kill().await;
        assert!(registered_worker(&store).await.is_some());
    })
    .await;
}

/// D11, D13: a registration that is never answered delays neither claims nor shutdown.
#[tokio::test(flavor = "multi_thread")]
async fn unanswered_registration_delays_nothing() {
    on_each_engine(async |engine| {
        let (_wrapped, store) = FaultyEngine::new(engine).without_report_answers().store();
        let worker = start(quick(&store).handle("any", async |(): ()| Ok::<_, Fault>(())));
        let id = store.submit(Task::new("any", &())).await.unwrap().id;
        until(&store, id, Status::Completed).await;
        worker.stop().await;
        assert_eq!(registered_worker(&store).await, None);
    })
    .await;
}
