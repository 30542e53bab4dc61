//! Changes of the expiry (D10).

use steadfast::Reason;
use steadfast_store::{Status, StoreError, TaskId, When};

use crate::harness::*;

cases![
    expiry_can_be_changed,
    expiry_can_be_cleared,
    claim_has_the_current_expiry,
    expiry_of_a_running_task_can_be_changed,
    expiry_of_an_ended_task_cannot_be_changed,
    expiry_of_a_missing_task_cannot_be_changed,
];

/// D10: wherever the task waits.
async fn expiry_can_be_changed(store: &Harness) {
    let at = store.now().await.unwrap() + secs(3600);
    for id in [store.put(task()).await, store.put(task().after(secs(60))).await] {
        store.set_expiry(id, Some(at), &somebody()).await.unwrap();
        assert_eq!(store.show(id).await.expires_at, Some(at));
    }
}

/// D10: never is a time, too.
async fn expiry_can_be_cleared(store: &Harness) {
    let id = store.put(task().expires(When::After(secs(60)))).await;
    store.set_expiry(id, None, &somebody()).await.unwrap();
    assert_eq!(store.show(id).await.expires_at, None);
}

/// P5: the worker decides by it.
async fn claim_has_the_current_expiry(store: &Harness) {
    let id = store.put(task().under(a_minute_apart())).await;
    let soon = store.now().await.unwrap() + secs(30);
    store.set_expiry(id, Some(soon), &somebody()).await.unwrap();
    let claimed = store.take_one().await;
    assert_eq!(claimed.expires_at, Some(soon));
    store.fail(&claimed, unavailable()).await;
    assert_eq!(store.show(id).await.reason, Some(Reason::OutOfTime));
}

/// D10: for the attempt after this one.
async fn expiry_of_a_running_task_can_be_changed(store: &Harness) {
    let running = store.running(task()).await;
    let at = store.now().await.unwrap() + secs(3600);
    store.set_expiry(running.id, Some(at), &somebody()).await.unwrap();
    let kept = store.show(running.id).await;
    assert_eq!((kept.status, kept.expires_at), (Status::Running, Some(at)));
}

/// D10: it cannot be too late for what is over.
async fn expiry_of_an_ended_task_cannot_be_changed(store: &Harness) {
    let id = store.ended(Status::Failed, task()).await;
    let refused = store.set_expiry(id, None, &somebody()).await.unwrap_err();
    let StoreError::WrongStatus { status, wanted, .. } = refused else { panic!("{refused}") };
    assert_eq!((status, wanted), (Status::Failed, "given another expiry"));
}

/// D10: and nobody is nobody.
async fn expiry_of_a_missing_task_cannot_be_changed(store: &Harness) {
    let refused = store.set_expiry(TaskId::fresh(), None, &somebody()).await;
    assert!(matches!(refused, Err(StoreError::NotFound(_))));
}
