//! Promotion of due tasks (D3, D11).

use std::sync::atomic::{AtomicU64, Ordering};

use steadfast_store::{Filter, Status, Verdict};

use crate::harness::*;

cases![
    due_task_is_promoted,
    task_before_its_due_time_stays_scheduled,
    due_task_is_pending_before_promotion,
    promotion_respects_its_limit,
    promotion_returns_the_next_due_time,
    earliest_tasks_are_promoted_first,
    promoted_task_keeps_its_due_time,
    concurrent_promotions_promote_once,
    retry_is_promoted,
    held_tasks_do_not_block_promotion,
];

/// D11: by the store's clock, in real time.
async fn due_task_is_promoted(store: &Harness) {
    let id = store.put(task().after(millis(50))).await;
    assert!(store.claim_batch(1).await.is_empty());
    store.promote_until(1).await;
    let claimed = store.claim_one().await;
    assert_eq!(claimed.id, id);
    assert!(store.now().await.unwrap() >= claimed.submitted_at + millis(50));
}

/// D3: promotion does not change it.
async fn task_before_its_due_time_stays_scheduled(store: &Harness) {
    let id = store.put(task().after(secs(60))).await;
    assert_eq!(store.promote(10).await.unwrap().count, 0);
    assert_eq!(store.status(id).await, Status::Scheduled);
}

/// D3: pending means due now, whether or not it was promoted.
async fn due_task_is_pending_before_promotion(store: &Harness) {
    let id = store.put(task().after(secs(60))).await;
    store.make_due(id).await;
    assert_eq!(store.status(id).await, Status::Pending);
    assert_eq!(store.ids(&Filter::status(Status::Pending)).await, [id]);
    assert_eq!(store.ids(&Filter::status(Status::Scheduled)).await, []);
    let stats = store.stats().await.unwrap();
    assert_eq!((stats.pending, stats.scheduled), (1, 0));
    assert_eq!(stats.due_since, Some(store.show(id).await.scheduled_at));
}

/// D11: a bounded number at a time.
async fn promotion_respects_its_limit(store: &Harness) {
    for _ in 0..5 {
        let id = store.put(task().after(secs(60))).await;
        store.make_due(id).await;
    }
    assert_eq!(store.promote(2).await.unwrap().count, 2);
    assert_eq!(store.promote(2).await.unwrap().count, 2);
    assert_eq!(store.promote(2).await.unwrap().count, 1);
    assert_eq!(store.claim_batch(10).await.len(), 5);
}

/// D11: so that a timer can be set for it.
async fn promotion_returns_the_next_due_time(store: &Harness) {
    let nothing = store.promote(10).await.unwrap();
    assert_eq!((nothing.count, nothing.next), (0, None));
    store.put(task().after(secs(90))).await;
    let sooner = store.put(task().after(secs(60))).await;
    let promoted = store.promote(10).await.unwrap();
    assert_eq!(promoted.next, Some(store.show(sooner).await.scheduled_at));
    assert!(promoted.now <= store.now().await.unwrap());
    store.make_due(sooner).await;
    assert_eq!(
        store.promote(0).await.unwrap().next.map(|next| next < promoted.now + secs(60)),
        Some(true)
    );
}

/// D11: the longest due task is promoted first.
async fn earliest_tasks_are_promoted_first(store: &Harness) {
    let mut ids = Vec::new();
    for delay in [60, 50, 40] {
        ids.push(store.put(task().after(secs(delay))).await);
    }
    for id in ids.iter().rev() {
        store.make_due(*id).await;
    }
    store.promote(1).await.unwrap();
    assert_eq!(store.claim_one().await.id, ids[2]);
}

/// D2: `scheduled_at` is the due time, not the time of promotion.
async fn promoted_task_keeps_its_due_time(store: &Harness) {
    let id = store.put(task().after(secs(60))).await;
    store.make_due(id).await;
    let due = store.show(id).await.scheduled_at;
    store.promote(1).await.unwrap();
    assert_eq!(store.show(id).await.scheduled_at, due);
    store.claim_one().await;
    assert_eq!(store.show(id).await.scheduled_at, due);
}

/// D11: every instance promotes, and each task is promoted once.
async fn concurrent_promotions_promote_once(store: &Harness) {
    let batch = tasks(50).into_iter().map(|task| task.after(millis(20))).collect();
    store.submit_all(batch).await.unwrap();
    let (other, promoted_count) = (store.another().await, AtomicU64::new(0));
    let promote_all = async |process: &Harness| {
        eventually("all tasks are promoted", async || {
            let count = process.promote(7).await.unwrap().count;
            promoted_count.fetch_add(count, Ordering::Relaxed) + count >= 50
        })
        .await;
    };
    tokio::join!(promote_all(store), promote_all(&other));
    assert_eq!(promoted_count.into_inner(), 50);
    assert_eq!(store.claim_batch(100).await.len(), 50);
}

/// D3: whatever the reason for the delay.
async fn retry_is_promoted(store: &Harness) {
    let postponed = store.running(task()).await;
    store.settle_one(&postponed, Verdict::Postponed { delay: millis(10) }).await;
    let retried = store.running(task().under(a_minute_apart())).await;
    store.fail(&retried, rate_limited(millis(10))).await;
    store.promote_until(2).await;
    assert_eq!(store.claim_batch(10).await.len(), 2);
}

/// D17: many tasks of a held category may be due, and the tasks after them are still promoted.
async fn held_tasks_do_not_block_promotion(store: &Harness) {
    let limited = store.running(task().category("held").hold_category()).await;
    let mut held = Vec::new();
    for _ in 0..4 {
        held.push(store.put(task().category("held").after(secs(90))).await);
    }
    let other = store.put(task().after(secs(90))).await;
    store.fail(&limited, rate_limited(secs(3600))).await;
    for id in held {
        store.make_long_due(id).await;
    }
    store.make_long_due(other).await;
    for _ in 0..3 {
        store.promote(2).await.unwrap();
    }
    assert_eq!(store.claim_one().await.id, other);
}
