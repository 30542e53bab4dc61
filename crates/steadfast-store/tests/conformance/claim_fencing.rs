//! Fencing tokens: one holder per task, and stale ones are rejected (D4, D18).

use std::collections::BTreeSet;

use steadfast_store::{ClaimRequest, FencingToken, Settled, Settlement, Status, TaskId, Verdict};

use crate::harness::*;

cases![
    batch_has_one_fencing_token,
    fencing_tokens_grow,
    running_task_cannot_be_claimed,
    running_task_shows_its_lease,
    held_task_is_found_until_settled,
    stale_token_is_rejected_and_others_are_accepted,
    unknown_token_is_rejected,
    token_of_another_task_is_rejected,
    settlement_of_a_missing_task_is_rejected,
    second_settlement_is_rejected,
    duplicate_settlement_in_one_call_is_rejected,
    settlement_after_release_is_rejected,
    settlement_after_retry_is_rejected,
    settlement_after_requeue_is_rejected,
    expired_lease_does_not_reclaim_requeued_tasks,
];

/// D4: one claim, one lease.
async fn batch_has_one_fencing_token(store: &Harness) {
    store.put_many(10).await;
    let tokens: BTreeSet<_> =
        store.claim_batch(10).await.iter().map(|task| task.fencing_token).collect();
    assert_eq!(tokens.len(), 1);
}

/// D18: a later token is greater, whichever process got it, even after all leases are gone.
async fn fencing_tokens_grow(store: &Harness) {
    let other = store.another().await;
    let mut last = FencingToken(0);
    for process in [store, &other, store, &other] {
        let task = process.running(task()).await;
        assert!(task.fencing_token > last, "{} after {last}", task.fencing_token);
        last = task.fencing_token;
        process.complete(&task).await;
    }
}

/// D4: one task, one holder.
async fn running_task_cannot_be_claimed(store: &Harness) {
    store.running(task()).await;
    assert!(store.claim_batch(10).await.is_empty());
    assert!(store.another().await.claim_batch(10).await.is_empty());
}

/// D4, D19: a worker that knows its task's id and token gets that task back, and no other.
async fn held_task_is_found_until_settled(store: &Harness) {
    store.put_many(2).await;
    let [task, other] = store.claim_batch(2).await.try_into().unwrap();
    let held = store.another().await.held(task.id, task.fencing_token).await.unwrap().unwrap();
    assert_eq!(
        (
            held.id,
            held.fencing_token,
            &held.payload,
            held.progress,
            held.submitted_at,
            held.counted_from
        ),
        (
            task.id,
            task.fencing_token,
            &task.payload,
            task.progress,
            task.submitted_at,
            task.counted_from
        )
    );
    let next = FencingToken(task.fencing_token.0 + 1);
    assert!(store.held(task.id, next).await.unwrap().is_none());
    assert!(store.held(TaskId::fresh(), task.fencing_token).await.unwrap().is_none());
    store.complete(&task).await;
    assert!(store.held(task.id, task.fencing_token).await.unwrap().is_none());
    assert!(store.held(other.id, other.fencing_token).await.unwrap().is_some());
}

/// D2: the lease is shown with the task.
async fn running_task_shows_its_lease(store: &Harness) {
    store.put(task()).await;
    let request = ClaimRequest::new("worker-7", 1).lease(secs(90));
    let claims = store.claim(&request).await.unwrap();
    let task = store.show(claims.tasks[0].id).await;
    let lease = task.lease.unwrap();
    assert_eq!(task.status, Status::Running);
    assert_eq!(
        (lease.owner.as_str(), lease.fencing_token),
        ("worker-7", claims.tasks[0].fencing_token)
    );
    assert_eq!(lease.until, claims.now + secs(90));
    store.complete(&claims.tasks[0]).await;
    assert_eq!(store.show(task.id).await.lease, None);
}

/// D4: a stale settlement changes nothing, and does not affect the rest of its batch.
async fn stale_token_is_rejected_and_others_are_accepted(store: &Harness) {
    let ids = store.put_many(3).await;
    let claimed = store.claim_batch(3).await;
    store.settle_one(&claimed[1], Verdict::Released).await;
    let again = store.claim_one().await;
    assert_eq!(again.id, ids[1]);

    let settlements = claimed.iter().map(|task| settlement(task, DONE)).collect();
    let settled = store.settle(settlements).await.unwrap();
    assert_eq!(settled, [Settled::Accepted, Settled::Stale, Settled::Accepted]);
    assert_eq!(store.status(ids[0]).await, Status::Completed);
    assert_eq!(store.status(ids[1]).await, Status::Running);
    assert_eq!(store.complete(&again).await, Settled::Accepted);
}

/// D4: a made-up token is not a lease.
async fn unknown_token_is_rejected(store: &Harness) {
    let task = store.running(task()).await;
    for token in [task.fencing_token.0 - 1, task.fencing_token.0 + 1, 0, -1, i64::MIN, i64::MAX] {
        let made_up = Settlement { fencing_token: FencingToken(token), ..settlement(&task, DONE) };
        assert_eq!(store.settle(vec![made_up]).await.unwrap(), [Settled::Stale], "{token}");
    }
    assert_eq!(store.complete(&task).await, Settled::Accepted);
}

/// D4: a lease covers only the tasks of its claim.
async fn token_of_another_task_is_rejected(store: &Harness) {
    let (one, two) = (store.running(task()).await, store.running(task()).await);
    let crossed = Settlement { fencing_token: two.fencing_token, ..settlement(&one, DONE) };
    assert_eq!(store.settle(vec![crossed]).await.unwrap(), [Settled::Stale]);
    let waiting = store.put(task()).await;
    let not_taken = Settlement { id: waiting, fencing_token: one.fencing_token, verdict: DONE };
    assert_eq!(store.settle(vec![not_taken]).await.unwrap(), [Settled::Stale]);
    assert_eq!(store.status(waiting).await, Status::Pending);
}

/// D4: a missing task has no holder.
async fn settlement_of_a_missing_task_is_rejected(store: &Harness) {
    let task = store.running(task()).await;
    let missing = Settlement { id: TaskId::fresh(), ..settlement(&task, DONE) };
    assert_eq!(store.settle(vec![missing]).await.unwrap(), [Settled::Stale]);
}

/// D4: a settlement is final.
async fn second_settlement_is_rejected(store: &Harness) {
    let task = store.running(task()).await;
    assert_eq!(store.complete(&task).await, Settled::Accepted);
    assert_eq!(store.complete(&task).await, Settled::Stale);
    assert_eq!(store.fail(&task, gone()).await, Settled::Stale);
    let stored = store.show(task.id).await;
    assert_eq!((stored.status, stored.attempts, stored.faults.len()), (Status::Completed, 1, 0));
}

/// D4: also within one call, whatever the two verdicts are.
async fn duplicate_settlement_in_one_call_is_rejected(store: &Harness) {
    let task = store.running(task().under(a_minute_apart())).await;
    let retry = store.verdict(&task, unavailable()).await;
    let both = vec![settlement(&task, retry), settlement(&task, DONE)];
    assert_eq!(store.settle(both).await.unwrap(), [Settled::Accepted, Settled::Stale]);
    assert_eq!(store.status(task.id).await, Status::Scheduled);
}

/// D4: a release ends the lease on the task, even while the batch has other tasks.
async fn settlement_after_release_is_rejected(store: &Harness) {
    store.put_many(2).await;
    let first = &store.claim_batch(2).await[0];
    store.settle_one(first, Verdict::Released).await;
    assert_eq!(store.complete(first).await, Settled::Stale, "no worker holds it");
    let again = store.claim_one().await;
    assert_eq!(store.complete(first).await, Settled::Stale, "another worker holds it");
    assert_eq!(store.complete(&again).await, Settled::Accepted);
}

/// D4: so does a retry.
async fn settlement_after_retry_is_rejected(store: &Harness) {
    let batch = tasks(2).into_iter().map(|task| task.under(at_once())).collect();
    store.submit_all(batch).await.unwrap();
    let first = &store.claim_batch(2).await[0];
    store.fail(first, unavailable()).await;
    let again = store.claim_one().await;
    assert_eq!(again.id, first.id);
    assert_eq!(store.complete(first).await, Settled::Stale);
    assert_eq!(store.complete(&again).await, Settled::Accepted);
    assert_eq!(store.show(first.id).await.attempts, 2);
}

/// D4, D10: a requeued task does not belong to its previous holder, even while that worker holds
/// the rest of the batch.
async fn settlement_after_requeue_is_rejected(store: &Harness) {
    store.put_many(2).await;
    let first = &store.claim_batch(2).await[0];
    store.complete(first).await;
    store.requeue(first.id, true, &operator()).await.unwrap();
    assert_eq!(store.complete(first).await, Settled::Stale, "no worker holds it");
    let again = store.claim_one().await;
    assert_eq!(store.complete(first).await, Settled::Stale, "another worker holds it");
    let found = store.heartbeat(&[first.fencing_token], &[first.id], secs(60)).await.unwrap();
    assert_eq!(found.ended, [first.id]);
    assert_eq!(store.complete(&again).await, Settled::Accepted);
}

/// D4, D7: a requeued task is not lost together with the rest of its batch.
async fn expired_lease_does_not_reclaim_requeued_tasks(store: &Harness) {
    store.put_many(2).await;
    let batch = store.claim_batch(2).await;
    store.complete(&batch[0]).await;
    store.requeue(batch[0].id, true, &operator()).await.unwrap();
    store.expire_leases().await;
    let reclaimed = store.reclaim_expired("w2", 10).await.unwrap();
    let lost: Vec<_> = reclaimed.iter().map(|(task, _)| task.id).collect();
    assert_eq!(lost, [batch[1].id]);
    assert_eq!(store.status(batch[0].id).await, Status::Pending);
}
