//! How many are where, and how well it goes (D15).

use steadfast_store::{Stats, Status};

use crate::harness::*;

cases![
    an_empty_store_has_nothing,
    every_status_is_counted,
    what_is_due_soon_is_counted,
    the_next_due_time_and_the_oldest_due_task_are_told,
    the_success_rate_is_of_what_ended_by_itself,
    queues_are_counted_each,
];

/// D15: none, and no rate of none.
async fn an_empty_store_has_nothing(store: &Harness) {
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
    store.take(2).await;
    store.put(task().after(secs(60))).await;
    let stats = store.stats().await.unwrap();
    assert_eq!((stats.pending, stats.scheduled, stats.running), (3, 1, 2));
    assert_eq!((stats.completed, stats.failed, stats.cancelled), (3, 2, 1));
}

/// D15: S2's second query.
async fn what_is_due_soon_is_counted(store: &Harness) {
    for minutes in [59, 61, 23 * 60, 25 * 60, 100 * 60] {
        store.put(task().after(secs(minutes * 60))).await;
    }
    let stats = store.stats().await.unwrap();
    assert_eq!((stats.scheduled, stats.due_in_an_hour, stats.due_in_24_hours), (5, 1, 3));
}

/// D15: how far behind, and what comes next.
async fn the_next_due_time_and_the_oldest_due_task_are_told(store: &Harness) {
    let oldest = store.put(task().priority(-5)).await;
    store.put(task().queue("other")).await;
    store.put(task().after(secs(90))).await;
    let next = store.put(task().after(secs(60))).await;
    let stats = store.stats().await.unwrap();
    assert_eq!(stats.oldest_pending, Some(store.show(oldest).await.submitted_at));
    assert_eq!(stats.next_due, Some(store.show(next).await.scheduled_at));
}

/// D15: S2's fourth query; what was called off is neither.
async fn the_success_rate_is_of_what_ended_by_itself(store: &Harness) {
    for status in [Status::Completed, Status::Completed, Status::Completed, Status::Failed] {
        store.ended(status, task()).await;
    }
    store.ended(Status::Cancelled, task()).await;
    assert_eq!(store.stats().await.unwrap().success_rate(), Some(0.75));
}

/// D15: by name, with what is ready and what is to come.
async fn queues_are_counted_each(store: &Harness) {
    for queue in ["b", "a", "b"] {
        store.put(task().queue(queue)).await;
    }
    store.put(task().queue("a").after(secs(60))).await;
    store.running(task().queue("c").priority(1)).await;
    store.pause("a", &somebody()).await.unwrap();
    let queues = store.queues().await.unwrap();
    let shown: Vec<_> = queues
        .iter()
        .map(|queue| (queue.name.as_str(), queue.paused, queue.pending, queue.scheduled))
        .collect();
    assert_eq!(shown, [("a", true, 1, 1), ("b", false, 2, 0), ("c", false, 0, 0)]);
}
