//! Being told that there is something to do (D11).

use steadfast_store::{Store, Verdict, Wake};

use crate::harness::*;

cases![
    a_ready_task_wakes,
    a_scheduled_task_tells_its_time,
    of_many_scheduled_tasks_the_first_is_told,
    a_batch_of_both_tells_both,
    a_retry_tells_its_time,
    what_is_ready_again_wakes,
    what_was_moved_wakes,
    a_transaction_of_the_callers_own_is_told_by_hand,
    everybody_who_listens_hears;
    only postgres: another_process_hears_it_too
];

/// D11: at once, within the process.
async fn a_ready_task_wakes(store: &Harness) {
    let mut listener = store.listen();
    store.put(task()).await;
    store.hears(&mut listener, Wake::Ready).await;
}

/// D11: so that a timer can be set.
async fn a_scheduled_task_tells_its_time(store: &Harness) {
    let mut listener = store.listen();
    let id = store.put(task().after(secs(60))).await;
    store.hears(&mut listener, Wake::Due(store.show(id).await.scheduled_at)).await;
}

/// D11: an earlier one than all others moves the timer.
async fn of_many_scheduled_tasks_the_first_is_told(store: &Harness) {
    let mut listener = store.listen();
    let batch = vec![task().after(secs(90)), task().after(secs(60)), task().after(secs(120))];
    let first = store.submit_all(batch).await.unwrap()[1].id;
    store.hears(&mut listener, Wake::Due(store.show(first).await.scheduled_at)).await;
}

/// D11: neither hides the other.
async fn a_batch_of_both_tells_both(store: &Harness) {
    let (mut one, mut other) = (store.listen(), store.listen());
    let later = store.submit_all(vec![task(), task().after(secs(60))]).await.unwrap()[1].id;
    store.hears(&mut one, Wake::Ready).await;
    store.hears(&mut other, Wake::Due(store.show(later).await.scheduled_at)).await;
}

/// D11: a failed attempt is scheduled like anything else.
async fn a_retry_tells_its_time(store: &Harness) {
    let task = store.running(task().under(a_minute_apart())).await;
    let mut listener = store.listen();
    store.fail(&task, unavailable()).await;
    store.hears(&mut listener, Wake::Due(store.show(task.id).await.scheduled_at)).await;
}

/// D11, D13: what is given back can be taken by others.
async fn what_is_ready_again_wakes(store: &Harness) {
    let released = store.running(task()).await;
    let mut listener = store.listen();
    store.settle_one(&released, Verdict::Released).await;
    store.hears(&mut listener, Wake::Ready).await;
    let retried = store.running(task().priority(1).under(at_once())).await;
    let mut listener = store.listen();
    store.fail(&retried, unavailable()).await;
    store.hears(&mut listener, Wake::Ready).await;
}

/// D11: by whomever.
async fn what_was_moved_wakes(store: &Harness) {
    let id = store.put(task().after(secs(60))).await;
    store.make_due(id).await;
    let mut listener = store.listen();
    store.promote(1).await.unwrap();
    store.hears(&mut listener, Wake::Ready).await;
}

/// D9: the store does not know when it commits.
async fn a_transaction_of_the_callers_own_is_told_by_hand(store: &Harness) {
    let mut transaction = store.begin().await;
    transaction.submit(store, vec![task()]).await.unwrap();
    transaction.commit().await;
    let mut listener = store.listen();
    store.wake();
    store.hears(&mut listener, Wake::Ready).await;
}

/// D11: a wake-up is not taken from one by another.
async fn everybody_who_listens_hears(store: &Harness) {
    let mut listeners = [store.listen(), store.listen(), Store::clone(store).listen()];
    store.put(task()).await;
    for listener in &mut listeners {
        store.hears(listener, Wake::Ready).await;
    }
}

/// D11: LISTEN and NOTIFY between processes. Calling a task off is heard first, so that it is
/// certain that somebody listens.
async fn another_process_hears_it_too(store: &Harness) {
    let other = store.another().await;
    let mut listener = other.listen();
    let running = store.running(task()).await;
    store.hears(&mut listener, Wake::Ready).await;
    store.cancel(running.id, &somebody()).await.unwrap();
    store.hears(&mut listener, Wake::Cancelled(running.id)).await;
    let later = store.put(task().after(secs(60))).await;
    store.hears(&mut listener, Wake::Due(store.show(later).await.scheduled_at)).await;
    store.put(task()).await;
    store.hears(&mut listener, Wake::Ready).await;
}
