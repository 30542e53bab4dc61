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

/// D10: it is not taken any more.
async fn pending_task_can_be_cancelled(store: &Harness) {
    let id = store.put(task()).await;
    store.cancel(id, &somebody()).await.unwrap();
    let kept = store.show(id).await;
    assert_eq!((kept.status, kept.attempts, kept.reason), (Status::Cancelled, 0, None));
    assert!(kept.ended_at.is_some());
    assert!(store.take(1).await.is_empty());
}

/// D10: nor does its time come any more.
async fn scheduled_task_can_be_cancelled(store: &Harness) {
    let id = store.put(task().after(secs(60))).await;
    store.cancel(id, &somebody()).await.unwrap();
    assert_eq!(store.status(id).await, Status::Cancelled);
    assert_eq!(store.promote(10).await.unwrap().next, None);
}

/// D10: a wake-up goes out at once, and what the holder says later is stale.
async fn running_task_can_be_cancelled_and_its_worker_is_notified(store: &Harness) {
    let task = store.running(task()).await;
    let mut listener = store.listen();
    store.cancel(task.id, &somebody()).await.unwrap();
    store.hears(&mut listener, Wake::Cancelled(task.id)).await;
    assert_eq!(store.complete(&task).await, Settled::Stale);
    assert_eq!(store.fail(&task, unavailable()).await, Settled::Stale);
    let kept = store.show(task.id).await;
    assert_eq!((kept.status, kept.faults.len(), kept.lease), (Status::Cancelled, 0, None));
}

/// D4: the lease on the others is as good as before.
async fn other_tasks_of_the_batch_stay_running(store: &Harness) {
    store.put_many(3).await;
    let taken = store.take(3).await;
    store.cancel(taken[1].id, &somebody()).await.unwrap();
    assert_eq!(store.complete(&taken[0]).await, Settled::Accepted);
    assert_eq!(store.complete(&taken[2]).await, Settled::Accepted);
}

/// D10: wherever it stands.
async fn due_task_before_promotion_can_be_cancelled(store: &Harness) {
    let id = store.put(task().after(secs(60))).await;
    store.make_due(id).await;
    store.cancel(id, &somebody()).await.unwrap();
    assert_eq!(store.promote(10).await.unwrap().count, 0);
    assert_eq!(store.status(id).await, Status::Cancelled);
}

/// D10: too late is told, with where it is.
async fn ended_task_cannot_be_cancelled(store: &Harness) {
    for ended in [Status::Completed, Status::Failed, Status::Cancelled] {
        let id = store.ended(ended, task()).await;
        let refused = store.cancel(id, &somebody()).await.unwrap_err();
        let StoreError::WrongStatus { id: which, status, wanted } = refused else {
            panic!("{refused}");
        };
        assert_eq!((which, status, wanted), (id, ended, "cancelled"));
        assert_eq!(store.status(id).await, ended);
    }
}

/// D10: so is a name that nobody has.
async fn missing_task_cannot_be_cancelled(store: &Harness) {
    let nobody = TaskId::fresh();
    let refused = store.cancel(nobody, &somebody()).await;
    assert!(matches!(refused, Err(StoreError::NotFound(id)) if id == nobody));
}

/// D8: what went wrong before is still to be read.
async fn cancelled_task_keeps_its_history(store: &Harness) {
    let task = store.running(task().under(a_minute_apart())).await;
    store.fail(&task, unavailable()).await;
    store.cancel(task.id, &somebody()).await.unwrap();
    let kept = store.show(task.id).await;
    assert_eq!((kept.status, kept.attempts, kept.faults.len()), (Status::Cancelled, 1, 1));
    assert!(kept.last_error.is_some());
}
