//! Pausing and resuming queues (D10).

use steadfast_store::{ClaimRequest, Settled, Status, Wake};

use crate::harness::*;

cases![
    paused_queue_is_not_claimed,
    other_queues_are_claimed,
    running_tasks_of_a_paused_queue_continue,
    paused_queue_accepts_tasks,
    resumed_queue_wakes_workers,
    pause_applies_to_every_process,
    empty_queue_can_be_paused,
    pause_is_idempotent,
];

/// D10: neither by name, nor by category, nor by a claim of all queues.
async fn paused_queue_is_not_claimed(store: &Harness) {
    store.put(task().category("c")).await;
    store.pause("default", &operator()).await.unwrap();
    let request = ClaimRequest::new("w1", 9);
    assert_eq!(store.claimed(&request).await, []);
    assert_eq!(store.claimed(&request.clone().queue("default")).await, []);
    assert_eq!(store.claimed(&request.categories(["c"])).await, []);
}

/// D10: a pause applies to one queue.
async fn other_queues_are_claimed(store: &Harness) {
    store.put(task().queue("mail")).await;
    let print = store.put(task().queue("print")).await;
    store.pause("mail", &operator()).await.unwrap();
    assert_eq!(store.claimed(&ClaimRequest::new("w1", 9)).await, [print]);
    let queues = store.queues().await.unwrap();
    let paused: Vec<_> = queues.iter().map(|queue| (queue.name.as_str(), queue.paused)).collect();
    assert_eq!(paused, [("mail", true), ("print", false)]);
}

/// D10: claimed tasks stay with their worker.
async fn running_tasks_of_a_paused_queue_continue(store: &Harness) {
    let task = store.running(task()).await;
    store.pause("default", &operator()).await.unwrap();
    assert_eq!(
        store.heartbeat(&[task.fencing_token], &[task.id], secs(60)).await.unwrap().lost,
        []
    );
    assert_eq!(store.complete(&task).await, Settled::Accepted);
}

/// D10: they stay pending until the queue is resumed.
async fn paused_queue_accepts_tasks(store: &Harness) {
    store.pause("default", &operator()).await.unwrap();
    let id = store.put(task()).await;
    let due = store.put(task().after(secs(60))).await;
    store.make_due(due).await;
    store.promote(9).await.unwrap();
    assert_eq!(store.status(id).await, Status::Pending);
    store.resume("default", &operator()).await.unwrap();
    assert_eq!(store.claimed(&ClaimRequest::new("w1", 9)).await, [id, due]);
}

/// D11: its tasks can be claimed again.
async fn resumed_queue_wakes_workers(store: &Harness) {
    store.pause("default", &operator()).await.unwrap();
    let mut listener = store.listen();
    store.resume("default", &operator()).await.unwrap();
    store.expect_wake(&mut listener, Wake::Ready).await;
}

/// D1: the store holds the pause, not a process.
async fn pause_applies_to_every_process(store: &Harness) {
    let other = store.another().await;
    other.put(task()).await;
    assert_eq!(store.claim_batch(1).await.len(), 1);
    other.put(task()).await;
    store.pause("default", &operator()).await.unwrap();
    assert!(other.claim_batch(1).await.is_empty());
    other.resume("default", &operator()).await.unwrap();
    assert_eq!(store.claim_batch(1).await.len(), 1);
}

/// D10: so that no task is claimed before the pause.
async fn empty_queue_can_be_paused(store: &Harness) {
    store.pause("later", &operator()).await.unwrap();
    store.put(task().queue("later")).await;
    assert!(store.claim_batch(1).await.is_empty());
}

/// D10: pausing a paused queue succeeds.
async fn pause_is_idempotent(store: &Harness) {
    store.put(task()).await;
    for _ in 0..2 {
        store.pause("default", &operator()).await.unwrap();
    }
    assert!(store.claim_batch(1).await.is_empty());
    for _ in 0..2 {
        store.resume("default", &operator()).await.unwrap();
    }
    assert_eq!(store.claim_batch(1).await.len(), 1);
}
