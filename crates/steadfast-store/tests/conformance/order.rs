//! Claim order (D5).

use jiff::Timestamp;
use steadfast_store::{ClaimRequest, Settled, Status, TaskId, Verdict};

use crate::harness::*;

cases![
    new_and_retried_tasks_are_claimed_by_submission,
    earlier_tasks_are_claimed_first,
    higher_priority_is_claimed_first,
    extreme_priorities_are_ordered,
    retried_task_is_claimed_before_later_ones,
    released_task_is_claimed_before_later_ones,
    scheduled_task_is_claimed_before_later_ones,
    queues_are_merged_in_claim_order,
    tasks_of_one_priority_do_not_starve,
];

async fn all(store: &Harness) -> Vec<TaskId> {
    store.claimed(&ClaimRequest::new("w1", 100)).await
}

/// D5: the table in S1, "example ordering", to the letter.
async fn new_and_retried_tasks_are_claimed_by_submission(store: &Harness) {
    let day = |date: &str| -> Timestamp { format!("{date}T00:00:00Z").parse().unwrap() };
    let retry = |delay| async move {
        let task = store.running(task().under(a_minute_apart())).await;
        let Verdict::Retry { fault, progress, .. } = store.verdict(&task, unavailable()).await
        else {
            panic!("the fault is retryable");
        };
        let verdict = Verdict::Retry { fault, progress, delay, hold: false };
        assert_eq!(store.settle_one(&task, verdict).await, Settled::Accepted);
        task.id
    };
    let not_ready_yet = retry(secs(3600)).await;
    let retry_ready = retry(secs(0)).await;
    let (third, second) = (store.put(task()).await, store.put(task()).await);
    let table = [
        (retry_ready, "2024-01-01"),
        (second, "2024-01-03"),
        (third, "2024-01-04"),
        (not_ready_yet, "2024-01-04"),
    ];
    for (id, date) in table {
        store.backdate(id, day(date)).await;
    }
    assert_eq!(all(store).await, [retry_ready, second, third]);
    assert_eq!(store.status(not_ready_yet).await, Status::Scheduled);
}

/// D5: first come, first served, within a call and between calls.
async fn earlier_tasks_are_claimed_first(store: &Harness) {
    let mut ids = store.put_many(3).await;
    ids.push(store.put(task()).await);
    ids.extend(store.put_many(3).await);
    assert_eq!(all(store).await, ids);
}

/// D5: the order of submission applies within one priority.
async fn higher_priority_is_claimed_first(store: &Harness) {
    let low = store.put(task().priority(-1)).await;
    let normal = store.put(task()).await;
    let high = store.put(task().priority(7)).await;
    let second_high = store.put(task().priority(7)).await;
    assert_eq!(all(store).await, [high, second_high, normal, low]);
}

/// K4: the least and the greatest priority are valid.
async fn extreme_priorities_are_ordered(store: &Harness) {
    let mut ids = Vec::new();
    for priority in [i16::MIN, -1, 0, 1, i16::MAX] {
        ids.insert(0, store.put(task().priority(priority)).await);
    }
    assert_eq!(all(store).await, ids);
}

/// D5: a failure does not send a task to the end of the queue (S1's fairness).
async fn retried_task_is_claimed_before_later_ones(store: &Harness) {
    let early = store.running(task().under(at_once())).await;
    let late = store.put(task()).await;
    assert_eq!(store.fail(&early, unavailable()).await, Settled::Accepted);
    assert_eq!(all(store).await, [early.id, late]);
}

/// D13: nor does a worker's shutdown.
async fn released_task_is_claimed_before_later_ones(store: &Harness) {
    let early = store.running(task()).await;
    let late = store.put(task()).await;
    assert_eq!(store.settle_one(&early, Verdict::Released).await, Settled::Accepted);
    assert_eq!(all(store).await, [early.id, late]);
}

/// D5: nor does a scheduled time.
async fn scheduled_task_is_claimed_before_later_ones(store: &Harness) {
    let early = store.put(task().after(secs(60))).await;
    let late = store.put(task()).await;
    store.make_due(early).await;
    store.promote(10).await.unwrap();
    assert_eq!(all(store).await, [early, late]);
}

/// D5: no queue has precedence because of its name or its age.
async fn queues_are_merged_in_claim_order(store: &Harness) {
    let mut ids = Vec::new();
    for queue in ["z", "a", "m", "a", "z"] {
        ids.push(store.put(task().queue(queue)).await);
    }
    let urgent = store.put(task().queue("m").priority(1)).await;
    ids.insert(0, urgent);
    assert_eq!(store.claimed(&ClaimRequest::new("w1", 3)).await, ids[..3]);
    assert_eq!(all(store).await, ids[3..]);
}

/// D5: earlier tasks are claimed before all later ones, however many there are.
async fn tasks_of_one_priority_do_not_starve(store: &Harness) {
    let old = store.put_many(6).await;
    for two in old.chunks(2) {
        store.put_many(10).await;
        assert_eq!(store.claimed(&ClaimRequest::new("w1", 2)).await, two);
    }
}
