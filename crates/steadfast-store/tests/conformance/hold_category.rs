//! Categories held by a rate limit (D17).

use steadfast_store::{ClaimRequest, Claimed, Status, TaskId};

use crate::harness::*;

cases![
    rate_limit_holds_the_category,
    other_categories_and_queues_are_claimed,
    task_without_hold_category_holds_nothing,
    plain_failure_holds_nothing,
    new_task_of_a_held_category_waits,
    due_task_of_a_held_category_waits,
    released_task_of_a_held_category_is_not_claimed,
    hold_ends_after_the_rate_limit,
    shorter_rate_limit_does_not_shorten_a_hold,
    held_task_can_be_cancelled,
];

/// Asked to wait this long, on behalf of `customer`.
async fn asked_to_wait(store: &Harness, wait: std::time::Duration) -> Claimed {
    let task = task().category("customer").hold_category().under(a_minute_apart());
    let task = store.running(task).await;
    store.fail(&task, rate_limited(wait)).await;
    task
}

async fn takes(store: &Harness) -> Vec<TaskId> {
    let mut ids = store.claimed(&ClaimRequest::new("w1", 10).categories(["customer"])).await;
    ids.extend(store.claimed(&ClaimRequest::new("w1", 10)).await);
    ids
}

/// D17: what was ready waits until the same time.
async fn rate_limit_holds_the_category(store: &Harness) {
    let task = task().category("customer").hold_category();
    let asked = store.running(task).await;
    let ready = store.put(crate::harness::task().category("customer")).await;
    store.fail(&asked, rate_limited(secs(60))).await;
    assert_eq!(takes(store).await, []);
    let (asked, ready) = (store.show(asked.id).await, store.show(ready).await);
    assert_eq!((ready.status, ready.scheduled_at), (Status::Scheduled, asked.scheduled_at));
    assert_eq!((ready.attempts, ready.rate_limit_waits), (0, 0), "nothing happened to it");
}

/// D17: the category of that queue, and nothing else.
async fn other_categories_and_queues_are_claimed(store: &Harness) {
    let other = store.put(task().category("other").queue("a")).await;
    let none = store.put(task()).await;
    let elsewhere = store.put(task().category("customer").queue("a")).await;
    let asked = store.put(task().category("customer").hold_category().priority(1)).await;
    let asked_task = store.take_one().await;
    assert_eq!(asked_task.id, asked);
    store.fail(&asked_task, rate_limited(secs(60))).await;
    let mut taken = takes(store).await;
    taken.sort();
    assert_eq!(taken, [other, none, elsewhere]);
}

/// D17: it is an option of the task.
async fn task_without_hold_category_holds_nothing(store: &Harness) {
    let asked = store.running(task().category("customer")).await;
    let ready = store.put(task().category("customer")).await;
    store.fail(&asked, rate_limited(secs(60))).await;
    assert_eq!(takes(store).await, [ready]);
}

/// D17: a backoff is one task's own.
async fn plain_failure_holds_nothing(store: &Harness) {
    let asked = store.running(task().category("customer").hold_category()).await;
    let ready = store.put(task().category("customer")).await;
    store.fail(&asked, unavailable()).await;
    assert_eq!(takes(store).await, [ready]);
}

/// D17: also what comes later, alone or in a batch.
async fn new_task_of_a_held_category_waits(store: &Harness) {
    let until = store.show(asked_to_wait(store, secs(60)).await.id).await.scheduled_at;
    let alone = store.put(task().category("customer")).await;
    let later = store.put(task().category("customer").after(secs(90))).await;
    let keyed = store.put(task().category("customer").key("k")).await;
    assert_eq!(takes(store).await, []);
    for id in [alone, keyed] {
        let kept = store.show(id).await;
        assert_eq!((kept.status, kept.scheduled_at), (Status::Scheduled, until));
    }
    assert!(store.show(later).await.scheduled_at > until);
}

/// D17: a time that comes during the hold is the hold's end.
async fn due_task_of_a_held_category_waits(store: &Harness) {
    let due = store.put(task().category("customer").after(secs(90))).await;
    let until = store.show(asked_to_wait(store, secs(60)).await.id).await.scheduled_at;
    store.make_due(due).await;
    let promoted = store.promote(10).await.unwrap();
    assert_eq!((promoted.count, promoted.next), (0, Some(until)));
    let kept = store.show(due).await;
    assert_eq!((kept.status, kept.scheduled_at), (Status::Scheduled, until));
}

/// D17: a worker that stops does not open a way around it.
async fn released_task_of_a_held_category_is_not_claimed(store: &Harness) {
    let held = store.running(task().category("customer")).await;
    asked_to_wait(store, secs(60)).await;
    store.settle_one(&held, steadfast_store::Verdict::Released).await;
    assert_eq!(takes(store).await, []);
}

/// D17: and then they go, in the order in which they came.
async fn hold_ends_after_the_rate_limit(store: &Harness) {
    let asked = store.running(task().category("customer").hold_category()).await;
    let ready = store.put(task().category("customer")).await;
    store.fail(&asked, rate_limited(millis(50))).await;
    store.promote_until(2).await;
    assert_eq!(takes(store).await, [asked.id, ready]);
}

/// D17: the longest wait that was asked for holds.
async fn shorter_rate_limit_does_not_shorten_a_hold(store: &Harness) {
    let second = store.running(task().category("customer").hold_category()).await;
    let until = store.show(asked_to_wait(store, secs(60)).await.id).await.scheduled_at;
    store.fail(&second, rate_limited(millis(1))).await;
    eventually(async || {
        assert_eq!(store.promote(10).await.unwrap().count, 0);
        store.show(second.id).await.scheduled_at == until
    })
    .await;
    assert_eq!(takes(store).await, []);
}

/// D10: a task that waits with its category is steered like any other.
async fn held_task_can_be_cancelled(store: &Harness) {
    let ready = store.put(task().category("customer").priority(-1)).await;
    let asked = store.put(task().category("customer").hold_category()).await;
    let task = store.take_one().await;
    assert_eq!(task.id, asked);
    store.fail(&task, rate_limited(secs(60))).await;
    for id in [ready, asked] {
        store.cancel(id, &somebody()).await.unwrap();
        assert_eq!(store.status(id).await, Status::Cancelled);
    }
}
