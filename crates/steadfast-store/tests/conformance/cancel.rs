//! Cancellation of tasks (D10).

use steadfast_store::{Settled, Status, StoreError, TaskId, Wake};

use crate::harness::*;

cases![
    pending_task_can_be_cancelled,
    scheduled_task_can_be_cancelled,
    running_task_can_be_cancelled_and_its_worker_is_notified,
    other_tasks_of_the_batch_stay_running,
    due_task_before_promotion_can_be_cancelled,
    ended_task_cannot_be_cancelled,
    missing_task_cannot_be_cancelled,
    cancelled_task_keeps_its_history,
];

/// D10: it is no longer claimed.
async fn pending_task_can_be_cancelled(store: &Harness) {
    let id = store.put(task()).await;
    store.cancel(id, &operator()).await.unwrap();
    let stored = store.show(id).await;
    assert_eq!((stored.status, stored.attempts, stored.reason), (Status::Cancelled, 0, None));
    assert!(stored.ended_at.is_some());
    assert!(store.claim_batch(1).await.is_empty());
}

/// D10: it is never promoted.
async fn scheduled_task_can_be_cancelled(store: &Harness) {
    let id = store.put(task().after(secs(60))).await;
    store.cancel(id, &operator()).await.unwrap();
    assert_eq!(store.status(id).await, Status::Cancelled);
    assert_eq!(store.promote(10).await.unwrap().next, None);
}

/// D10: a wake-up is sent at once, and later settlements are stale.
async fn running_task_can_be_cancelled_and_its_worker_is_notified(store: &Harness) {
    let task = store.running(task()).await;
    let mut listener = store.listen();
    store.cancel(task.id, &operator()).await.unwrap();
    store.expect_wake(&mut listener, Wake::Cancelled(task.id)).await;
    assert_eq!(store.complete(&task).await, Settled::Stale);
    assert_eq!(store.fail(&task, unavailable()).await, Settled::Stale);
    let stored = store.show(task.id).await;
    assert_eq!((stored.status, stored.faults.len(), stored.lease), (Status::Cancelled, 0, None));
}

/// D4: the lease on the other tasks stays valid.
async fn other_tasks_of_the_batch_stay_running(store: &Harness) {
    store.put_many(3).await;
    let claimed = store.claim_batch(3).await;
    store.cancel(claimed[1].id, &operator()).await.unwrap();
    assert_eq!(store.complete(&claimed[0]).await, Settled::Accepted);
    assert_eq!(store.complete(&claimed[2]).await, Settled::Accepted);
}

/// D10: in any open status.
async fn due_task_before_promotion_can_be_cancelled(store: &Harness) {
    let id = store.put(task().after(secs(60))).await;
    store.make_due(id).await;
    store.cancel(id, &operator()).await.unwrap();
    assert_eq!(store.promote(10).await.unwrap().count, 0);
    assert_eq!(store.status(id).await, Status::Cancelled);
}

/// D10: the error has the current status.
async fn ended_task_cannot_be_cancelled(store: &Harness) {
    for ended in [Status::Completed, Status::Failed, Status::Cancelled] {
        let id = store.ended(ended, task()).await;
        let rejected = store.cancel(id, &operator()).await.unwrap_err();
        let StoreError::WrongStatus { id: which, status, action } = rejected else {
            panic!("{rejected}");
        };
        assert_eq!((which, status, action), (id, ended, "cancel"));
        assert_eq!(store.status(id).await, ended);
    }
}

/// D10: an unknown id is not found.
async fn missing_task_cannot_be_cancelled(store: &Harness) {
    let missing = TaskId::fresh();
    let rejected = store.cancel(missing, &operator()).await;
    assert!(matches!(rejected, Err(StoreError::NotFound(id)) if id == missing));
}

/// D8: earlier faults can still be read.
async fn cancelled_task_keeps_its_history(store: &Harness) {
    let task = store.running(task().under(a_minute_apart())).await;
    store.fail(&task, unavailable()).await;
    store.cancel(task.id, &operator()).await.unwrap();
    let stored = store.show(task.id).await;
    assert_eq!((stored.status, stored.attempts, stored.faults.len()), (Status::Cancelled, 1, 1));
    assert!(stored.last_error.is_some());
}
