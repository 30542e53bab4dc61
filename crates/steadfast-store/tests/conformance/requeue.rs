//! Requeueing one finished task (D10).

use serde_json::json;
use steadfast::{Policy, Reason};
use steadfast_store::{Requeue, Status, StoreError, TaskId, Verdict, Wake};

use crate::harness::*;

cases![
    fresh_requeue_resets_attempts,
    requeue_keeps_attempts,
    requeued_completed_task_counts_its_success,
    exhausted_task_gets_one_more_attempt,
    every_ended_task_can_be_requeued,
    open_task_cannot_be_requeued,
    missing_task_cannot_be_requeued,
    requeued_task_keeps_its_history,
    requeued_task_loses_result_and_reason,
    fresh_requeue_resets_max_duration,
    requeued_task_keeps_its_claim_order,
    requeue_wakes_workers,
    requeue_keeps_future_due_times,
    requeue_with_a_past_due_time_is_due_now,
    requeue_with_kept_time_notifies,
];

/// D10: as if it had never been tried.
async fn fresh_requeue_resets_attempts(store: &Harness) {
    let id = store.exhausted().await;
    store.requeue(id, true, &operator()).await.unwrap();
    let stored = store.show(id).await;
    assert_eq!((stored.status, stored.attempts, stored.rate_limit_waits), (Status::Pending, 0, 0));
    let task = store.claim_one().await;
    assert_eq!(task.progress, steadfast::decide::Progress::default());
}

/// D10: earlier attempts still count.
async fn requeue_keeps_attempts(store: &Harness) {
    let id = store.exhausted().await;
    store.requeue(id, false, &operator()).await.unwrap();
    let stored = store.show(id).await;
    assert_eq!((stored.status, stored.attempts), (Status::Pending, 3));
    assert_eq!(store.claim_one().await.progress.attempts, 3);
}

/// D10: the successful attempt counts as well.
async fn requeued_completed_task_counts_its_success(store: &Harness) {
    let id = store.ended(Status::Completed, task()).await;
    let ended = store.show(id).await;
    store.requeue(id, false, &operator()).await.unwrap();
    let stored = store.show(id).await;
    assert_eq!((stored.attempts, stored.last_attempt_at), (1, ended.last_attempt_at));
    assert_eq!(store.complete(&store.claim_one().await).await, steadfast_store::Settled::Accepted);
    assert_eq!(store.show(id).await.attempts, 2);
}

/// D10: exactly one.
async fn exhausted_task_gets_one_more_attempt(store: &Harness) {
    let id = store.exhausted().await;
    store.requeue(id, false, &operator()).await.unwrap();
    store.fail(&store.claim_one().await, unavailable()).await;
    let stored = store.show(id).await;
    assert_eq!((stored.status, stored.attempts), (Status::Failed, 4));
    assert_eq!(stored.reason, Some(Reason::AttemptsExhausted));
}

/// D3: completed, failed and cancelled alike.
async fn every_ended_task_can_be_requeued(store: &Harness) {
    for ended in [Status::Completed, Status::Failed, Status::Cancelled] {
        let id = store.ended(ended, task()).await;
        store.requeue(id, true, &operator()).await.unwrap();
        let task = store.claim_one().await;
        assert_eq!(task.id, id, "{ended}");
        store.complete(&task).await;
    }
}

/// D3: only finished tasks are requeued.
async fn open_task_cannot_be_requeued(store: &Harness) {
    let running = store.running(task()).await.id;
    let (pending, scheduled) = (store.put(task()).await, store.put(task().after(secs(60))).await);
    let tasks =
        [(running, Status::Running), (pending, Status::Pending), (scheduled, Status::Scheduled)];
    for (id, status) in tasks {
        let rejected = store.requeue(id, true, &operator()).await.unwrap_err();
        let StoreError::WrongStatus { status: found, action, .. } = rejected else {
            panic!("{rejected}");
        };
        assert_eq!((found, action), (status, "requeue"));
        assert_eq!(store.status(id).await, status);
    }
}

/// D10: an unknown id is not found.
async fn missing_task_cannot_be_requeued(store: &Harness) {
    let rejected = store.requeue(TaskId::fresh(), true, &operator()).await;
    assert!(matches!(rejected, Err(StoreError::NotFound(_))));
}

/// D8: every fault is stored, across any number of requeues.
async fn requeued_task_keeps_its_history(store: &Harness) {
    let id = store.exhausted().await;
    store.requeue(id, true, &operator()).await.unwrap();
    assert_eq!(store.show(id).await.faults.len(), 3);
    store.fail(&store.claim_one().await, gone()).await;
    let stored = store.show(id).await;
    let attempts: Vec<_> = stored.faults.iter().map(|fault| fault.attempt).collect();
    assert_eq!(attempts, [1, 2, 3, 1]);
    assert_eq!((stored.reason, stored.attempts), (Some(Reason::Final), 1));
}

/// D3: they belong to the end that was undone.
async fn requeued_task_loses_result_and_reason(store: &Harness) {
    let done = store.running(task()).await;
    let result = Some("1".to_owned());
    store.settle_one(&done, Verdict::Completed { result }).await;
    assert_eq!(store.show(done.id).await.result, Some(json!(1)));
    let failed = store.ended(Status::Failed, task()).await;
    for id in [done.id, failed] {
        store.requeue(id, true, &operator()).await.unwrap();
        let stored = store.show(id).await;
        assert_eq!((stored.result, stored.reason, stored.ended_at), (None, None, None));
    }
}

/// D10, P5: `max_duration` counts from the fresh start, or else from the submission.
async fn fresh_requeue_resets_max_duration(store: &Harness) {
    let policy = Policy::fixed(secs(60)).max_duration(secs(3600)).build().unwrap();
    let id = store.ended(Status::Failed, task().under(policy)).await;
    store.backdate(id, "2024-01-01T00:00:00Z".parse().unwrap()).await;
    let before = store.now().await.unwrap();
    store.requeue(id, true, &operator()).await.unwrap();
    let task = store.claim_one().await;
    assert!(task.counted_from >= before && task.submitted_at < before);
    assert!(!task.is_too_late(store.now().await.unwrap()));
}

/// D5: the time of submission does not change.
async fn requeued_task_keeps_its_claim_order(store: &Harness) {
    let early = store.ended(Status::Failed, task()).await;
    let late = store.put(task()).await;
    store.requeue(early, true, &operator()).await.unwrap();
    let claimed = store.claim_batch(2).await;
    assert_eq!(claimed.iter().map(|task| task.id).collect::<Vec<_>>(), [early, late]);
}

/// D11: there is a pending task again.
async fn requeue_wakes_workers(store: &Harness) {
    store.ended(Status::Failed, task()).await;
    let mut listener = store.listen();
    let all = steadfast_store::Filter::all();
    store.requeue_all(&all, &Requeue::fresh(), &operator()).await.unwrap();
    store.expect_wake(&mut listener, Wake::Ready).await;
}

/// D10: a task that was cancelled by mistake continues on its schedule, before its first attempt as
/// after one.
async fn requeue_keeps_future_due_times(store: &Harness) {
    let hourly = Policy::fixed(secs(3600)).build().unwrap();
    let waits = store.running(task().under(hourly)).await;
    store.fail(&waits, unavailable()).await;
    let untried = store.put(task().after(secs(5 * 3600))).await;
    for (id, how) in [(waits.id, Requeue::once_more()), (untried, Requeue::fresh())] {
        let before = store.show(id).await;
        store.cancel(id, &operator()).await.unwrap();
        store.requeue_with(id, &how.keep_time(), &operator()).await.unwrap();
        let after = store.show(id).await;
        assert_eq!((after.status, after.scheduled_at), (Status::Scheduled, before.scheduled_at));
        assert_eq!(after.attempts, before.attempts);
    }
    assert!(store.claim_batch(2).await.is_empty());
}

/// D10: a due time in the past becomes now.
async fn requeue_with_a_past_due_time_is_due_now(store: &Harness) {
    let id = store.ended(Status::Cancelled, task()).await;
    let before = store.now().await.unwrap();
    store.requeue_with(id, &Requeue::once_more().keep_time(), &operator()).await.unwrap();
    let stored = store.show(id).await;
    assert_eq!(stored.status, Status::Pending);
    assert!(stored.scheduled_at >= before);
}

/// D11: a worker that sleeps until the next due time is notified of a new one.
async fn requeue_with_kept_time_notifies(store: &Harness) {
    let id = store.put(task().after(secs(3600))).await;
    store.cancel(id, &operator()).await.unwrap();
    let mut listener = store.listen();
    store.requeue_with(id, &Requeue::once_more().keep_time(), &operator()).await.unwrap();
    let wake = async { while !matches!(listener.next().await, Wake::Due(_)) {} };
    tokio::time::timeout(secs(30), wake).await.unwrap();
}
