//! Settlements (D3, D8).

use serde_json::json;
use steadfast::{Class, Reason};
use steadfast_store::{Settled, Status, Verdict};

use crate::harness::*;

cases![
    completed_task_has_its_result,
    completed_task_needs_no_result,
    retryable_failure_is_retried_later,
    retry_without_delay_is_pending,
    final_failure_fails_the_task,
    exhausted_task_has_failed,
    expired_task_fails_without_an_attempt,
    postponed_task_uses_no_attempt,
    released_task_uses_no_attempt,
    batch_of_every_verdict_is_settled,
    empty_settlement_is_accepted,
    thousand_tasks_are_settled_in_one_call,
    invalid_result_is_rejected_and_nothing_is_written,
];

/// D2: a success is an attempt, and its result is stored.
async fn completed_task_has_its_result(store: &Harness) {
    let task = store.running(task()).await;
    let result = Some(r#"{"sent": ["é", 1.5]}"#.to_owned());
    assert_eq!(store.settle_one(&task, Verdict::Completed { result }).await, Settled::Accepted);
    let stored = store.show(task.id).await;
    assert_eq!((stored.status, stored.attempts, stored.reason), (Status::Completed, 1, None));
    assert_eq!(stored.result, Some(json!({ "sent": ["é", 1.5] })));
    assert!(stored.ended_at.is_some() && stored.last_attempt_at == stored.ended_at);
}

/// D2: many tasks have no result.
async fn completed_task_needs_no_result(store: &Harness) {
    let task = store.running(task()).await;
    store.complete(&task).await;
    assert_eq!(store.show(task.id).await.result, None);
}

/// D8: the failure is stored, the attempt is counted, and the policy says when the next one is due.
async fn retryable_failure_is_retried_later(store: &Harness) {
    let task = store.running(task().under(a_minute_apart())).await;
    assert_eq!(store.fail(&task, unavailable()).await, Settled::Accepted);
    let stored = store.show(task.id).await;
    assert_eq!((stored.status, stored.attempts), (Status::Scheduled, 1));
    let tried = stored.last_attempt_at.unwrap();
    assert_eq!(stored.scheduled_at, tried + secs(60));
    let fault = &stored.faults[0];
    assert_eq!((fault.attempt, fault.class, fault.at), (1, Class::Retryable, tried));
    assert_eq!((fault.next_delay, &fault.fault), (Some(60.0), &unavailable()));
    assert_eq!(stored.last_error.unwrap().message, fault.message);
}

/// P3: it is not scheduled first.
async fn retry_without_delay_is_pending(store: &Harness) {
    let task = store.running(task().under(at_once())).await;
    store.fail(&task, unavailable()).await;
    assert_eq!(store.status(task.id).await, Status::Pending);
    let again = store.claim_one().await;
    assert_eq!((again.id, again.progress.attempts), (task.id, 1));
}

/// J2: class `final` ends it, and the reason says so.
async fn final_failure_fails_the_task(store: &Harness) {
    let task = store.running(task()).await;
    assert_eq!(store.fail(&task, gone()).await, Settled::Accepted);
    let stored = store.show(task.id).await;
    assert_eq!((stored.status, stored.reason), (Status::Failed, Some(Reason::Final)));
    assert_eq!((stored.attempts, stored.faults.len()), (1, 1));
    assert_eq!((stored.faults[0].class, stored.faults[0].next_delay), (Class::Final, None));
    assert!(stored.ended_at.is_some() && stored.last_attempt_at == stored.ended_at);
}

/// P2: `max_attempts` counts the first one.
async fn exhausted_task_has_failed(store: &Harness) {
    let id = store.put(task().under(at_once())).await;
    for _ in 0..3 {
        let task = store.claim_one().await;
        assert_eq!(store.fail(&task, unavailable()).await, Settled::Accepted);
    }
    let stored = store.show(id).await;
    assert_eq!((stored.status, stored.reason), (Status::Failed, Some(Reason::AttemptsExhausted)));
    assert_eq!((stored.attempts, stored.faults.len()), (3, 3));
}

/// P5: an attempt that would start too late is not made.
async fn expired_task_fails_without_an_attempt(store: &Harness) {
    let passed = "2024-01-05T00:00:00Z".parse().unwrap();
    let task = store.running(task().expires(steadfast_store::When::At(passed))).await;
    assert!(task.is_too_late(store.now().await.unwrap()));
    assert_eq!(store.settle_one(&task, task.too_late()).await, Settled::Accepted);
    let stored = store.show(task.id).await;
    assert_eq!((stored.status, stored.reason), (Status::Failed, Some(Reason::OutOfTime)));
    assert_eq!((stored.attempts, stored.faults.len(), stored.last_attempt_at), (0, 0, None));
}

/// G2: a call that the breaker rejects is not an attempt.
async fn postponed_task_uses_no_attempt(store: &Harness) {
    let task = store.running(task()).await;
    let before = store.now().await.unwrap();
    store.settle_one(&task, Verdict::Postponed { delay: secs(30) }).await;
    let stored = store.show(task.id).await;
    assert_eq!((stored.status, stored.attempts, stored.faults.len()), (Status::Scheduled, 0, 0));
    assert_eq!(stored.last_attempt_at, None);
    assert!(stored.scheduled_at >= before + secs(30));
}

/// D13: a worker that shuts down returns its unstarted tasks unchanged.
async fn released_task_uses_no_attempt(store: &Harness) {
    let task = store.running(task()).await;
    store.settle_one(&task, Verdict::Released).await;
    let stored = store.show(task.id).await;
    assert_eq!((stored.status, stored.attempts, stored.faults.len()), (Status::Pending, 0, 0));
    assert_eq!(stored.last_attempt_at, None);
    assert_eq!(store.claim_one().await.id, task.id);
}

/// D5: settlements are batched, and their results are in the same order.
async fn batch_of_every_verdict_is_settled(store: &Harness) {
    let batch = tasks(5).into_iter().map(|task| task.under(a_minute_apart())).collect();
    store.submit_all(batch).await.unwrap();
    let claimed = store.claim_batch(5).await;
    let verdicts = [
        store.verdict(&claimed[0], unavailable()).await,
        DONE,
        store.verdict(&claimed[2], gone()).await,
        Verdict::Postponed { delay: secs(5) },
        Verdict::Released,
    ];
    let settlements = claimed.iter().zip(verdicts).map(|(task, verdict)| settlement(task, verdict));
    assert_eq!(store.settle(settlements.collect()).await.unwrap(), [Settled::Accepted; 5]);
    let expected =
        [Status::Scheduled, Status::Completed, Status::Failed, Status::Scheduled, Status::Pending];
    for (task, status) in claimed.iter().zip(expected) {
        assert_eq!(store.status(task.id).await, status);
    }
}

/// D5: an empty batch is valid.
async fn empty_settlement_is_accepted(store: &Harness) {
    assert_eq!(store.settle(Vec::new()).await.unwrap(), []);
}

/// D5: a batch may be large, and one stale settlement does not affect the others.
async fn thousand_tasks_are_settled_in_one_call(store: &Harness) {
    store.put_many(1000).await;
    let claimed = store.claim_batch(1000).await;
    store.complete(&claimed[500]).await;
    let result = Some("[1]".to_owned());
    let done =
        claimed.iter().map(|task| settlement(task, Verdict::Completed { result: result.clone() }));
    let settled = store.settle(done.collect()).await.unwrap();
    let stale: Vec<_> = (0..1000).filter(|place| settled[*place] == Settled::Stale).collect();
    assert_eq!(stale, [500]);
    assert_eq!(store.stats().await.unwrap().completed, 1000);
}

/// K4: a value that cannot be decoded is not stored, and the worker can send another.
async fn invalid_result_is_rejected_and_nothing_is_written(store: &Harness) {
    store.put_many(2).await;
    let claimed = store.claim_batch(2).await;
    let invalid = Verdict::Completed { result: Some("{sent}".to_owned()) };
    let batch = vec![settlement(&claimed[0], DONE), settlement(&claimed[1], invalid)];
    let rejected = store.settle(batch).await.unwrap_err().to_string();
    assert!(rejected.starts_with("result: "), "{rejected}");
    assert_eq!(store.status(claimed[0].id).await, Status::Running);
    assert_eq!(store.complete(&claimed[1]).await, Settled::Accepted);
}
