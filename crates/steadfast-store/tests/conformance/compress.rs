//! Compressed histories (D14).

use std::time::Duration;

use steadfast_store::{FaultRecord, Status, TaskId};

use crate::harness::*;

cases![
    compressed_history_reads_the_same,
    only_old_histories_are_compressed,
    open_task_is_not_compressed,
    compression_respects_its_limit,
    task_without_history_is_not_compressed,
    history_continues_after_compression,
    fault_that_cannot_be_decoded_is_reported_and_not_compressed,
];

async fn faults(store: &Harness, id: TaskId) -> Vec<FaultRecord> {
    store.show(id).await.faults
}

/// D14: to the microsecond.
async fn compressed_history_reads_the_same(store: &Harness) {
    let id = store.exhausted().await;
    let before = store.show(id).await;
    assert_eq!(store.compress(Duration::ZERO, 10).await.unwrap(), 1);
    assert_eq!(store.show(id).await, before);
    assert_eq!(store.compress(Duration::ZERO, 10).await.unwrap(), 0, "it is already compressed");
}

/// D14: recent histories are read often and stay uncompressed.
async fn only_old_histories_are_compressed(store: &Harness) {
    store.exhausted().await;
    store.age_ended(secs(3600)).await;
    store.exhausted().await;
    assert_eq!(store.compress(secs(1800), 10).await.unwrap(), 1);
    assert_eq!(store.compress(secs(7200), 10).await.unwrap(), 0);
    assert_eq!(store.compress(Duration::ZERO, 10).await.unwrap(), 1);
}

/// D14: the history of an open task still grows.
async fn open_task_is_not_compressed(store: &Harness) {
    let task = store.running(task().under(a_minute_apart())).await;
    store.fail(&task, unavailable()).await;
    assert_eq!(store.compress(Duration::ZERO, 10).await.unwrap(), 0);
    assert_eq!(faults(store, task.id).await.len(), 1);
}

/// D14: a bounded number at a time.
async fn compression_respects_its_limit(store: &Harness) {
    for _ in 0..5 {
        store.ended(Status::Failed, task()).await;
    }
    assert_eq!(store.compress(Duration::ZERO, 2).await.unwrap(), 2);
    assert_eq!(store.compress(Duration::ZERO, 2).await.unwrap(), 2);
    assert_eq!(store.compress(Duration::ZERO, 2).await.unwrap(), 1);
}

/// D14: most tasks succeed at their first attempt and have no history.
async fn task_without_history_is_not_compressed(store: &Harness) {
    store.ended(Status::Completed, task()).await;
    assert_eq!(store.compress(Duration::ZERO, 10).await.unwrap(), 0);
}

/// D8: across any number of requeues.
async fn history_continues_after_compression(store: &Harness) {
    let id = store.exhausted().await;
    store.compress(Duration::ZERO, 10).await.unwrap();
    store.requeue(id, true, &operator()).await.unwrap();
    assert_eq!(faults(store, id).await.len(), 3);
    store.fail(&store.claim_one().await, gone()).await;
    let before = faults(store, id).await;
    let attempts: Vec<_> = before.iter().map(|fault| fault.attempt).collect();
    assert_eq!(attempts, [1, 2, 3, 1]);
    assert_eq!(store.compress(Duration::ZERO, 10).await.unwrap(), 1);
    assert_eq!(faults(store, id).await, before);
}

/// K4, D14: the rest of the task is readable, and compression neither stops at it nor loses it.
async fn fault_that_cannot_be_decoded_is_reported_and_not_compressed(store: &Harness) {
    let (undecodable, valid) = (store.exhausted().await, store.exhausted().await);
    store.replace_fault_by_newer_version(undecodable).await;
    let shown = store.show(undecodable).await;
    assert!(shown.problem.clone().unwrap().starts_with("cannot decode its fault"));
    assert_eq!((shown.attempts, shown.faults.len()), (3, 2));
    assert_eq!(store.compress(Duration::ZERO, 10).await.unwrap(), 1);
    assert_eq!(store.show(undecodable).await, shown);
    assert_eq!(faults(store, valid).await.len(), 3);
}
