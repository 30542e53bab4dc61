//! Counts of tasks (D15).

use steadfast_store::{DueTimes, Filter, Requeue, Retention, Stats, Status, Verdict};

use crate::harness::*;

cases![
    empty_store_has_zero_counts,
    every_status_is_counted,
    upcoming_tasks_are_counted,
    ended_counts_follow_requeue_and_prune,
    due_times_are_reported,
    longest_due_task_is_found_in_any_queue,
    retried_task_is_due_since_its_retry,
    paused_and_held_tasks_are_not_late,
    success_rate_ignores_cancelled_tasks,
    tasks_are_counted_by_queue,
    counts_are_one_snapshot,
];

/// D15: and no success rate.
async fn empty_store_has_zero_counts(store: &Harness) {
    let stats = store.stats().await.unwrap();
    assert_eq!((stats.clone(), stats.success_rate()), (Stats::default(), None));
    assert_eq!(store.queues().await.unwrap(), []);
}

/// D15: S2's first and third query, and the rest.
async fn every_status_is_counted(store: &Harness) {
    for (status, count) in [(Status::Completed, 3), (Status::Failed, 2), (Status::Cancelled, 1)] {
        for _ in 0..count {
            store.ended(status, task()).await;
        }
    }
    store.put_many(5).await;
    store.claim_batch(2).await;
    store.put(task().after(secs(60))).await;
    let stats = store.stats().await.unwrap();
    assert_eq!((stats.pending, stats.scheduled, stats.running), (3, 1, 2));
    assert_eq!((stats.completed, stats.failed, stats.cancelled), (3, 2, 1));
}

/// D15: S2's second query.
async fn upcoming_tasks_are_counted(store: &Harness) {
    for minutes in [59, 61, 23 * 60, 25 * 60, 100 * 60] {
        store.put(task().after(secs(minutes * 60))).await;
    }
    let stats = store.stats().await.unwrap();
    assert_eq!((stats.scheduled, stats.due_in_an_hour, stats.due_in_24_hours), (5, 1, 3));
}

/// D15: the counts match the lists, after every operation on finished tasks.
async fn ended_counts_follow_requeue_and_prune(store: &Harness) {
    const ENDS: [Status; 3] = [Status::Completed, Status::Failed, Status::Cancelled];
    let mut ended = Vec::new();
    for status in ENDS {
        for _ in 0..4 {
            ended.push((status, store.ended(status, task()).await));
        }
        store.assert_consistent().await;
    }
    let scheduled = store.put(task().after(secs(60))).await;
    store.cancel(scheduled, &operator()).await.unwrap();
    store.assert_consistent().await;

    for status in ENDS {
        let (_, id) = ended.iter().find(|(one, _)| *one == status).unwrap();
        store.requeue(*id, true, &operator()).await.unwrap();
        store.assert_consistent().await;
    }
    let failed = Filter::status(Status::Failed);
    store.requeue_all(&failed, &Requeue::fresh(), &operator()).await.unwrap();
    store.assert_consistent().await;

    store.age_ended(secs(3600)).await;
    let mut an_hour = Retention::forever();
    an_hour.completed_for = Some(secs(60));
    store.prune(&an_hour).await.unwrap();
    store.assert_consistent().await;
    store.prune_ended().await;
    let stats = store.stats().await.unwrap();
    assert_eq!((stats.completed, stats.failed, stats.cancelled), (0, 0, 0));
}

/// D15: since when tasks are due, and when the next one is.
async fn due_times_are_reported(store: &Harness) {
    let oldest = store.put(task().priority(-5)).await;
    store.put(task().queue("other")).await;
    store.put(task().after(secs(90))).await;
    let next = store.put(task().after(secs(60))).await;
    let stats = store.stats().await.unwrap();
    assert_eq!(stats.due_since, Some(store.show(oldest).await.scheduled_at));
    assert_eq!(stats.next_due, Some(store.show(next).await.scheduled_at));
}

/// D15: in any queue, at any priority, promoted or not; nothing is counted for it.
async fn longest_due_task_is_found_in_any_queue(store: &Harness) {
    assert_eq!(store.due_times().await.unwrap(), DueTimes::default());
    let waits = store.put(task().queue("c").after(millis(1))).await;
    eventually("the task is due", async || store.due_times().await.unwrap().due_since.is_some())
        .await;
    for (queue, priority) in [("b", 0), ("b", 5), ("a", -7), ("a", 0)] {
        store.put(task().queue(queue).priority(priority)).await;
    }
    let next = store.put(task().after(secs(60))).await;
    for _ in 0..2 {
        let due = store.due_times().await.unwrap();
        assert_eq!(due.due_since, Some(store.show(waits).await.scheduled_at));
        assert_eq!(due.next_due, Some(store.show(next).await.scheduled_at));
        store.promote(10).await.unwrap();
    }
    assert_eq!(store.claim_batch(10).await.len(), 5);
    assert_eq!(store.due_times().await.unwrap().due_since, None);
}

/// D15, O3: a retry that was delayed for days is not days late when it becomes due.
async fn retried_task_is_due_since_its_retry(store: &Harness) {
    let task = store.running(task().under(a_minute_apart())).await;
    store.fail(&task, unavailable()).await;
    store.backdate(task.id, store.now().await.unwrap() - secs(7 * 86_400)).await;
    store.make_due(task.id).await;
    let due = store.show(task.id).await.scheduled_at;
    assert_eq!(store.due_times().await.unwrap().due_since, Some(due));
    assert_eq!(store.promote(10).await.unwrap().count, 1);
    assert_eq!(store.due_times().await.unwrap().due_since, Some(due));
}

/// D15, D9, D17: neither tasks in a paused queue, promoted or not, nor tasks that were released
/// into a held category.
async fn paused_and_held_tasks_are_not_late(store: &Harness) {
    let ready = store.put(task().queue("a")).await;
    let due = store.put(task().queue("a").after(secs(60))).await;
    store.make_long_due(due).await;
    store.pause("a", &operator()).await.unwrap();
    assert_eq!(store.due_times().await.unwrap().due_since, None);

    let held = store.running(task().category("customer")).await;
    let limited = task().category("customer").hold_category().under(a_minute_apart());
    let limited = store.running(limited).await;
    store.fail(&limited, rate_limited(secs(60))).await;
    store.settle_one(&held, Verdict::Released).await;
    assert_eq!(store.due_times().await.unwrap().due_since, None);
    let late = store.put(task()).await;
    let since = store.show(late).await.scheduled_at;
    assert_eq!(store.due_times().await.unwrap().due_since, Some(since));

    store.resume("a", &operator()).await.unwrap();
    let since = store.show(due).await.scheduled_at;
    assert!(since < store.show(ready).await.scheduled_at);
    assert_eq!(store.due_times().await.unwrap().due_since, Some(since));
}

/// D15: S2's fourth query; cancelled tasks are neither successes nor failures.
async fn success_rate_ignores_cancelled_tasks(store: &Harness) {
    for status in [Status::Completed, Status::Completed, Status::Completed, Status::Failed] {
        store.ended(status, task()).await;
    }
    store.ended(Status::Cancelled, task()).await;
    assert_eq!(store.stats().await.unwrap().success_rate(), Some(0.75));
}

/// D15: by name, with pending and scheduled tasks.
async fn tasks_are_counted_by_queue(store: &Harness) {
    for queue in ["b", "a", "b"] {
        store.put(task().queue(queue)).await;
    }
    store.put(task().queue("a").after(secs(60))).await;
    store.running(task().queue("c").priority(1)).await;
    store.pause("a", &operator()).await.unwrap();
    let queues = store.queues().await.unwrap();
    let shown: Vec<_> = queues
        .iter()
        .map(|queue| (queue.name.as_str(), queue.paused, queue.pending, queue.scheduled))
        .collect();
    assert_eq!(shown, [("a", true, 1, 1), ("b", false, 2, 0), ("c", false, 0, 0)]);
}

/// D15: counts that are read together are of the same moment.
async fn counts_are_one_snapshot(store: &Harness) {
    store.put(task().queue("a")).await;
    store.put(task().queue("b").after(secs(60))).await;
    let counts = store.counts().await.unwrap();
    assert_eq!((counts.stats.pending, counts.stats.scheduled), (1, 1));
    assert_eq!(counts.stats, store.stats().await.unwrap());
    assert_eq!(counts.queues, store.queues().await.unwrap());
}
