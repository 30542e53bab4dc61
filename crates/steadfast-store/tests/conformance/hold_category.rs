//! Categories held by a rate limit (D17).

use steadfast::{Policy, Reason};
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
    hint_longer_than_max_hint_holds_nothing,
    hint_of_zero_follows_the_backoff_and_holds_nothing,
];

/// A task of `customer` that was rate limited for this long.
async fn rate_limited_task(store: &Harness, wait: std::time::Duration) -> Claimed {
    let task = task().category("customer").hold_category().under(a_minute_apart());
    let task = store.running(task).await;
    store.fail(&task, rate_limited(wait)).await;
    task
}

async fn claim_all(store: &Harness) -> Vec<TaskId> {
    let mut ids = store.claimed(&ClaimRequest::new("w1", 10).categories(["customer"])).await;
    ids.extend(store.claimed(&ClaimRequest::new("w1", 10)).await);
    ids
}

/// D17: pending tasks wait until the same time.
async fn rate_limit_holds_the_category(store: &Harness) {
    let task = task().category("customer").hold_category();
    let limited = store.running(task).await;
    let ready = store.put(crate::harness::task().category("customer")).await;
    store.fail(&limited, rate_limited(secs(60))).await;
    assert_eq!(claim_all(store).await, []);
    let (limited, ready) = (store.show(limited.id).await, store.show(ready).await);
    assert_eq!((ready.status, ready.scheduled_at), (Status::Scheduled, limited.scheduled_at));
    assert_eq!((ready.attempts, ready.rate_limit_waits), (0, 0), "it has no attempt and no wait");
}

/// D17: only the category of that queue is held.
async fn other_categories_and_queues_are_claimed(store: &Harness) {
    let other = store.put(task().category("other").queue("a")).await;
    let none = store.put(task()).await;
    let elsewhere = store.put(task().category("customer").queue("a")).await;
    let limited = store.put(task().category("customer").hold_category().priority(1)).await;
    let limited_task = store.claim_one().await;
    assert_eq!(limited_task.id, limited);
    store.fail(&limited_task, rate_limited(secs(60))).await;
    let mut claimed = claim_all(store).await;
    claimed.sort();
    assert_eq!(claimed, [other, none, elsewhere]);
}

/// D17: it is an option of the task.
async fn task_without_hold_category_holds_nothing(store: &Harness) {
    let limited = store.running(task().category("customer")).await;
    let ready = store.put(task().category("customer")).await;
    store.fail(&limited, rate_limited(secs(60))).await;
    assert_eq!(claim_all(store).await, [ready]);
}

/// D17: a backoff delays only its own task.
async fn plain_failure_holds_nothing(store: &Harness) {
    let limited = store.running(task().category("customer").hold_category()).await;
    let ready = store.put(task().category("customer")).await;
    store.fail(&limited, unavailable()).await;
    assert_eq!(claim_all(store).await, [ready]);
}

/// D17: also one that is submitted later, alone or in a batch.
async fn new_task_of_a_held_category_waits(store: &Harness) {
    let until = store.show(rate_limited_task(store, secs(60)).await.id).await.scheduled_at;
    let alone = store.put(task().category("customer")).await;
    let later = store.put(task().category("customer").after(secs(90))).await;
    let keyed = store.put(task().category("customer").key("k")).await;
    assert_eq!(claim_all(store).await, []);
    for id in [alone, keyed] {
        let stored = store.show(id).await;
        assert_eq!((stored.status, stored.scheduled_at), (Status::Scheduled, until));
    }
    assert!(store.show(later).await.scheduled_at > until);
}

/// D17: a task that becomes due during the hold waits for its end.
async fn due_task_of_a_held_category_waits(store: &Harness) {
    let due = store.put(task().category("customer").after(secs(90))).await;
    let until = store.show(rate_limited_task(store, secs(60)).await.id).await.scheduled_at;
    store.make_due(due).await;
    let promoted = store.promote(10).await.unwrap();
    assert_eq!((promoted.count, promoted.next), (0, Some(until)));
    let stored = store.show(due).await;
    assert_eq!((stored.status, stored.scheduled_at), (Status::Scheduled, until));
}

/// D17: a release does not bypass the hold.
async fn released_task_of_a_held_category_is_not_claimed(store: &Harness) {
    let held = store.running(task().category("customer")).await;
    rate_limited_task(store, secs(60)).await;
    store.settle_one(&held, steadfast_store::Verdict::Released).await;
    assert_eq!(claim_all(store).await, []);
}

/// D17: the tasks are then claimed in claim order.
async fn hold_ends_after_the_rate_limit(store: &Harness) {
    let limited = store.running(task().category("customer").hold_category()).await;
    let ready = store.put(task().category("customer")).await;
    store.fail(&limited, rate_limited(millis(50))).await;
    store.promote_until(2).await;
    assert_eq!(claim_all(store).await, [limited.id, ready]);
}

/// D17: the longest requested wait applies.
async fn shorter_rate_limit_does_not_shorten_a_hold(store: &Harness) {
    let second = store.running(task().category("customer").hold_category()).await;
    let until = store.show(rate_limited_task(store, secs(60)).await.id).await.scheduled_at;
    store.fail(&second, rate_limited(millis(1))).await;
    eventually("the hold is applied", async || {
        assert_eq!(store.promote(10).await.unwrap().count, 0);
        store.show(second.id).await.scheduled_at == until
    })
    .await;
    assert_eq!(claim_all(store).await, []);
}

/// D10: a held task is controlled like any other.
async fn held_task_can_be_cancelled(store: &Harness) {
    let ready = store.put(task().category("customer").priority(-1)).await;
    let limited = store.put(task().category("customer").hold_category()).await;
    let task = store.claim_one().await;
    assert_eq!(task.id, limited);
    store.fail(&task, rate_limited(secs(60))).await;
    for id in [ready, limited] {
        store.cancel(id, &operator()).await.unwrap();
        assert_eq!(store.status(id).await, Status::Cancelled);
    }
}

/// D17, P2: a hint longer than `max_hint`, which is a day by default, fails its task and holds
/// nothing.
async fn hint_longer_than_max_hint_holds_nothing(store: &Harness) {
    let an_hour = Policy::fixed(secs(1)).max_hint(secs(3600)).build().unwrap();
    let limits = [(a_minute_apart(), secs(99_999_999_999)), (an_hour, secs(3601))];
    for (policy, hint) in limits {
        let task = task().category("customer").hold_category().under(policy);
        let limited = store.running(task).await;
        let ready = store.put(crate::harness::task().category("customer")).await;
        store.fail(&limited, rate_limited(hint)).await;
        let stored = store.show(limited.id).await;
        assert_eq!((stored.status, stored.reason), (Status::Failed, Some(Reason::HintTooLong)));
        assert_eq!(claim_all(store).await, [ready]);
    }
}

/// J2, D17: after `Retry-After: 0` the task waits for its backoff, and its category does not wait.
async fn hint_of_zero_follows_the_backoff_and_holds_nothing(store: &Harness) {
    let task = task().category("customer").hold_category().under(a_minute_apart());
    let limited = store.running(task).await;
    let ready = store.put(crate::harness::task().category("customer")).await;
    let before = store.now().await.unwrap();
    store.fail(&limited, rate_limited(secs(0))).await;
    let stored = store.show(limited.id).await;
    assert_eq!(stored.status, Status::Scheduled);
    assert!(stored.scheduled_at >= before + secs(60), "{}", stored.scheduled_at);
    assert_eq!(claim_all(store).await, [ready]);
}
