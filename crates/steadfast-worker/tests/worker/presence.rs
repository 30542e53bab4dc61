//! Workers that say that they are there (H2).

use steadfast::Fault;
use steadfast_store::{Status, Store, Task, WorkerReport};

use crate::claiming::blocks;
use crate::stores::{eventually, on_each, on_each_engine, until};
use crate::workers::{quick, start};
use crate::wrapped::Wrapped;

async fn the_only_one(store: &Store) -> Option<WorkerReport> {
    let mut workers = store.workers().await.unwrap();
    assert!(workers.len() <= 1, "{workers:?}");
    workers.pop()
}

/// H2: a worker that has nothing to do is seen, with what it would do; one that ends in order is
/// not missed.
#[tokio::test(flavor = "multi_thread")]
async fn an_idle_worker_is_seen_until_it_stops() {
    on_each(async |store| {
        let worker = quick(&store).name("w1").concurrency(7).queues(["mail", "news"]);
        let worker = start(worker.handle("any", async |(): ()| Ok::<_, Fault>(())));
        eventually(async || the_only_one(&store).await.is_some()).await;
        let seen = the_only_one(&store).await.unwrap();
        assert_eq!((&*seen.name, seen.concurrency, seen.running), ("w1", Some(7), Some(0)));
        assert_eq!(seen.queues.unwrap(), ["mail", "news"]);
        assert!(seen.instance.is_some_and(|instance| instance != "w1"));
        worker.stop().await;
        assert_eq!(the_only_one(&store).await, None);
    })
    .await;
}

/// H2: how much it has to do is told while it does it.
#[tokio::test(flavor = "multi_thread")]
async fn a_busy_worker_says_how_much_it_does() {
    on_each(async |store| {
        let (handler, mut heard, gate) = blocks();
        let worker = start(quick(&store).handle("any", handler));
        let task = |number: u32| Task::new("any", &number.to_string());
        store.submit_all((0..3).map(task).collect()).await.unwrap();
        heard.some(3).await;
        let runs = async || the_only_one(&store).await.and_then(|seen| seen.running);
        eventually(async || runs().await == Some(3)).await;
        gate.add_permits(3);
        worker.stop().await;
    })
    .await;
}

/// H2: whoever was killed leaves what it said last, and is silent from then on.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_is_killed_is_missed() {
    on_each(async |store| {
        let worker = start(quick(&store).handle("any", async |(): ()| Ok::<_, Fault>(())));
        eventually(async || the_only_one(&store).await.is_some()).await;
        worker.kill().await;
        assert!(the_only_one(&store).await.is_some());
    })
    .await;
}

/// D11, D13: a report that is never answered keeps no claim waiting, nor the end.
#[tokio::test(flavor = "multi_thread")]
async fn nobody_waits_for_a_report() {
    on_each_engine(async |engine| {
        let (_wrapped, store) = Wrapped::around(engine).deaf_to_reports().store();
        let worker = start(quick(&store).handle("any", async |(): ()| Ok::<_, Fault>(())));
        let id = store.submit(Task::new("any", &())).await.unwrap().id;
        until(&store, id, Status::Completed).await;
        worker.stop().await;
        assert_eq!(the_only_one(&store).await, None);
    })
    .await;
}
