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

/// D10: in any open status.
async fn expiry_can_be_changed(store: &Harness) {
    let at = store.now().await.unwrap() + secs(3600);
    for id in [store.put(task()).await, store.put(task().after(secs(60))).await] {
        store.set_expiry(id, Some(at), &operator()).await.unwrap();
        assert_eq!(store.show(id).await.expires_at, Some(at));
    }
}

/// D10: an expiry is optional.
async fn expiry_can_be_cleared(store: &Harness) {
    let id = store.put(task().expires(When::After(secs(60)))).await;
    store.set_expiry(id, None, &operator()).await.unwrap();
    assert_eq!(store.show(id).await.expires_at, None);
}

/// P5: the worker decides by it.
async fn claim_has_the_current_expiry(store: &Harness) {
    let id = store.put(task().under(a_minute_apart())).await;
    let soon = store.now().await.unwrap() + secs(30);
    store.set_expiry(id, Some(soon), &operator()).await.unwrap();
    let claimed = store.claim_one().await;
    assert_eq!(claimed.expires_at, Some(soon));
    store.fail(&claimed, unavailable()).await;
    assert_eq!(store.show(id).await.reason, Some(Reason::OutOfTime));
}

/// D10: it applies to the next attempt.
async fn expiry_of_a_running_task_can_be_changed(store: &Harness) {
    let running = store.running(task()).await;
    let at = store.now().await.unwrap() + secs(3600);
    store.set_expiry(running.id, Some(at), &operator()).await.unwrap();
    let stored = store.show(running.id).await;
    assert_eq!((stored.status, stored.expires_at), (Status::Running, Some(at)));
}

/// D10: a finished task cannot expire.
async fn expiry_of_an_ended_task_cannot_be_changed(store: &Harness) {
    let id = store.ended(Status::Failed, task()).await;
    let rejected = store.set_expiry(id, None, &operator()).await.unwrap_err();
    let StoreError::WrongStatus { status, action, .. } = rejected else { panic!("{rejected}") };
    assert_eq!((status, action), (Status::Failed, "change the expiry of"));
}

/// D10: an unknown id is not found.
async fn expiry_of_a_missing_task_cannot_be_changed(store: &Harness) {
    let rejected = store.set_expiry(TaskId::fresh(), None, &operator()).await;
    assert!(matches!(rejected, Err(StoreError::NotFound(_))));
}
