//! Workers and backlogs (H2).

use steadfast_store::{Status, WorkerStatus};

use crate::harness::*;

cases![
    empty_store_has_no_workers,
    workers_are_listed_with_their_tasks,
    worker_without_tasks_is_not_listed,
    backlog_shows_the_oldest_due_time,
    running_tasks_are_counted_by_queue,
];

/// H2: and no backlogs.
async fn empty_store_has_no_workers(store: &Harness) {
    assert_eq!(store.worker_status().await.unwrap(), WorkerStatus::default());
}

/// H2: each once, however many leases it has.
async fn workers_are_listed_with_their_tasks(store: &Harness) {
    store.put_many(5).await;
    let first = store.claim_batch(2).await;
    store.claim_batch(1).await;
    let workers = store.worker_status().await.unwrap().workers;
    assert_eq!(workers.len(), 1);
    assert_eq!((workers[0].name.as_str(), workers[0].tasks), ("w1", 3));
    let lease = store.show(first[0].id).await.lease.unwrap();
    assert_eq!((lease.owner.as_str(), lease.until), (workers[0].name.as_str(), workers[0].until));
}

/// H2: a finished task has no worker.
async fn worker_without_tasks_is_not_listed(store: &Harness) {
    store.ended(Status::Completed, task()).await;
    store.ended(Status::Failed, task()).await;
    assert_eq!(store.worker_status().await.unwrap().workers, []);
}

/// H2: a backlog that is due for long has no worker that claims from it.
async fn backlog_shows_the_oldest_due_time(store: &Harness) {
    store.put(task().queue("a")).await;
    let head = store.put(task().queue("a").priority(5)).await;
    store.put(task().queue("b").after(secs(60))).await;
    let backlogs = store.worker_status().await.unwrap().backlogs;
    let due: Vec<_> =
        backlogs.iter().map(|backlog| (backlog.queue.as_str(), backlog.due_since)).collect();
    assert_eq!(due, [("a", Some(store.show(head).await.scheduled_at)), ("b", None)]);
}

/// H2: tasks held by workers, by their queue.
async fn running_tasks_are_counted_by_queue(store: &Harness) {
    store.running(task().queue("a")).await;
    store.running(task().queue("a")).await;
    store.ended(Status::Completed, task().queue("b")).await;
    let backlogs = store.worker_status().await.unwrap().backlogs;
    let running: Vec<_> =
        backlogs.iter().map(|backlog| (backlog.queue.as_str(), backlog.running)).collect();
    assert_eq!(running, [("a", 2), ("b", 0)]);
}
