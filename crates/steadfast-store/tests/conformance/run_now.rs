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
    store.run_now(id, &somebody()).await.unwrap();
    store.hears(&mut listener, Wake::Ready).await;
    let kept = store.show(id).await;
    assert_eq!(kept.status, Status::Pending);
    assert!((before..=store.now().await.unwrap()).contains(&kept.scheduled_at));
    assert_eq!(store.take_one().await.id, id);
}

/// D10: the count stands.
async fn retry_can_run_now(store: &Harness) {
    let task = store.running(task().under(a_minute_apart())).await;
    store.fail(&task, unavailable()).await;
    store.run_now(task.id, &somebody()).await.unwrap();
    let again = store.take_one().await;
    assert_eq!((again.id, again.progress.attempts), (task.id, 1));
}

/// D3: it is due already, so there is nothing wrong with the wish.
async fn pending_task_can_run_now(store: &Harness) {
    let id = store.put(task()).await;
    store.run_now(id, &somebody()).await.unwrap();
    let late = store.put(task().after(secs(60))).await;
    store.make_due(late).await;
    store.run_now(late, &somebody()).await.unwrap();
    assert_eq!(store.claimed(&ClaimRequest::new("w1", 9)).await, [id, late]);
}

/// D5: the line is ordered by submission, and it was submitted when it was.
async fn run_now_keeps_the_claim_order(store: &Harness) {
    let early = store.put(task().after(secs(60))).await;
    let late = store.put(task()).await;
    store.run_now(early, &somebody()).await.unwrap();
    assert_eq!(store.claimed(&ClaimRequest::new("w1", 9)).await, [early, late]);
}

/// D3: what is running runs, what has ended is requeued instead.
async fn running_or_ended_task_cannot_run_now(store: &Harness) {
    let running = store.running(task()).await.id;
    let completed = store.ended(Status::Completed, task()).await;
    for (id, status) in [(running, Status::Running), (completed, Status::Completed)] {
        let refused = store.run_now(id, &somebody()).await.unwrap_err();
        let StoreError::WrongStatus { status: found, wanted, .. } = refused else {
            panic!("{refused}");
        };
        assert_eq!((found, wanted), (status, "run now"));
    }
}

/// D10: and nobody is nobody.
async fn missing_task_cannot_run_now(store: &Harness) {
    let refused = store.run_now(TaskId::fresh(), &somebody()).await;
    assert!(matches!(refused, Err(StoreError::NotFound(_))));
}
