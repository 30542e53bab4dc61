//! Wake-ups (D11).

use steadfast_store::{Store, Verdict, Wake};

use crate::harness::*;

cases![
    pending_task_wakes,
    scheduled_task_notifies_its_due_time,
    first_due_time_of_a_batch_is_notified,
    mixed_batch_notifies_both,
    retry_notifies_its_due_time,
    released_task_wakes,
    promotion_wakes,
    caller_transaction_needs_an_explicit_wake,
    every_listener_is_woken;
    only postgres: other_process_is_woken
];

/// D11: at once, within the process.
async fn pending_task_wakes(store: &Harness) {
    let mut listener = store.listen();
    store.put(task()).await;
    store.expect_wake(&mut listener, Wake::Ready).await;
}

/// D11: so that a timer can be set.
async fn scheduled_task_notifies_its_due_time(store: &Harness) {
    let mut listener = store.listen();
    let id = store.put(task().after(secs(60))).await;
    store.expect_wake(&mut listener, Wake::Due(store.show(id).await.scheduled_at)).await;
}

/// D11: the earliest time moves the timer.
async fn first_due_time_of_a_batch_is_notified(store: &Harness) {
    let mut listener = store.listen();
    let batch = vec![task().after(secs(90)), task().after(secs(60)), task().after(secs(120))];
    let first = store.submit_all(batch).await.unwrap()[1].id;
    store.expect_wake(&mut listener, Wake::Due(store.show(first).await.scheduled_at)).await;
}

/// D11: neither hides the other.
async fn mixed_batch_notifies_both(store: &Harness) {
    let (mut one, mut other) = (store.listen(), store.listen());
    let later = store.submit_all(vec![task(), task().after(secs(60))]).await.unwrap()[1].id;
    store.expect_wake(&mut one, Wake::Ready).await;
    store.expect_wake(&mut other, Wake::Due(store.show(later).await.scheduled_at)).await;
}

/// D11: a failed attempt is scheduled like any other task.
async fn retry_notifies_its_due_time(store: &Harness) {
    let task = store.running(task().under(a_minute_apart())).await;
    let mut listener = store.listen();
    store.fail(&task, unavailable()).await;
    store.expect_wake(&mut listener, Wake::Due(store.show(task.id).await.scheduled_at)).await;
}

/// D11, D13: a released task can be claimed by others.
async fn released_task_wakes(store: &Harness) {
    let released = store.running(task()).await;
    let mut listener = store.listen();
    store.settle_one(&released, Verdict::Released).await;
    store.expect_wake(&mut listener, Wake::Ready).await;
    let retried = store.running(task().priority(1).under(at_once())).await;
    let mut listener = store.listen();
    store.fail(&retried, unavailable()).await;
    store.expect_wake(&mut listener, Wake::Ready).await;
}

/// D11: whichever process promotes.
async fn promotion_wakes(store: &Harness) {
    let id = store.put(task().after(secs(60))).await;
    store.make_due(id).await;
    let mut listener = store.listen();
    store.promote(1).await.unwrap();
    store.expect_wake(&mut listener, Wake::Ready).await;
}

/// D9: the store does not know when the caller commits.
async fn caller_transaction_needs_an_explicit_wake(store: &Harness) {
    let mut transaction = store.begin().await;
    transaction.submit(store, vec![task()]).await.unwrap();
    transaction.commit().await;
    let mut listener = store.listen();
    store.wake();
    store.expect_wake(&mut listener, Wake::Ready).await;
}

/// D11: no listener takes a wake-up from another.
async fn every_listener_is_woken(store: &Harness) {
    let mut listeners = [store.listen(), store.listen(), Store::clone(store).listen()];
    store.put(task()).await;
    for listener in &mut listeners {
        store.expect_wake(listener, Wake::Ready).await;
    }
}

/// D11: LISTEN and NOTIFY between processes. The wake-up of the cancel comes first, as proof that
/// the other process listens.
async fn other_process_is_woken(store: &Harness) {
    let other = store.another().await;
    let mut listener = other.listen();
    let running = store.running(task()).await;
    store.expect_wake(&mut listener, Wake::Ready).await;
    store.cancel(running.id, &operator()).await.unwrap();
    store.expect_wake(&mut listener, Wake::Cancelled(running.id)).await;
    let later = store.put(task().after(secs(60))).await;
    store.expect_wake(&mut listener, Wake::Due(store.show(later).await.scheduled_at)).await;
    store.put(task()).await;
    store.expect_wake(&mut listener, Wake::Ready).await;
}
