//! Running scheduled tasks now (D10).

use steadfast_store::{ClaimRequest, Status, StoreError, TaskId, Wake};

use crate::harness::*;

cases![
    scheduled_task_can_run_now,
    retry_can_run_now,
    pending_task_can_run_now,
    run_now_keeps_the_claim_order,
    running_or_ended_task_cannot_run_now,
    missing_task_cannot_run_now,
];

/// D10: it is due from now on, and workers are woken.
async fn scheduled_task_can_run_now(store: &Harness) {
    let id = store.put(task().after(secs(3600))).await;
    let before = store.now().await.unwrap();
    let mut listener = store.listen();
    store.run_now(id, &operator()).await.unwrap();
    store.expect_wake(&mut listener, Wake::Ready).await;
    let stored = store.show(id).await;
    assert_eq!(stored.status, Status::Pending);
    assert!((before..=store.now().await.unwrap()).contains(&stored.scheduled_at));
    assert_eq!(store.claim_one().await.id, id);
}

/// D10: its attempts still count.
async fn retry_can_run_now(store: &Harness) {
    let task = store.running(task().under(a_minute_apart())).await;
    store.fail(&task, unavailable()).await;
    store.run_now(task.id, &operator()).await.unwrap();
    let again = store.claim_one().await;
    assert_eq!((again.id, again.progress.attempts), (task.id, 1));
}

/// D3: it is already due, so the request succeeds.
async fn pending_task_can_run_now(store: &Harness) {
    let id = store.put(task()).await;
    store.run_now(id, &operator()).await.unwrap();
    let late = store.put(task().after(secs(60))).await;
    store.make_due(late).await;
    store.run_now(late, &operator()).await.unwrap();
    assert_eq!(store.claimed(&ClaimRequest::new("w1", 9)).await, [id, late]);
}

/// D5: claim order is by submission, which does not change.
async fn run_now_keeps_the_claim_order(store: &Harness) {
    let early = store.put(task().after(secs(60))).await;
    let late = store.put(task()).await;
    store.run_now(early, &operator()).await.unwrap();
    assert_eq!(store.claimed(&ClaimRequest::new("w1", 9)).await, [early, late]);
}

/// D3: a running task is already claimed; an ended one has to be requeued.
async fn running_or_ended_task_cannot_run_now(store: &Harness) {
    let running = store.running(task()).await.id;
    let completed = store.ended(Status::Completed, task()).await;
    for (id, status) in [(running, Status::Running), (completed, Status::Completed)] {
        let rejected = store.run_now(id, &operator()).await.unwrap_err();
        let StoreError::WrongStatus { status: found, action, .. } = rejected else {
            panic!("{rejected}");
        };
        assert_eq!((found, action), (status, "run"));
    }
}

/// D10: an unknown id is not found.
async fn missing_task_cannot_run_now(store: &Harness) {
    let rejected = store.run_now(TaskId::fresh(), &operator()).await;
    assert!(matches!(rejected, Err(StoreError::NotFound(_))));
}
