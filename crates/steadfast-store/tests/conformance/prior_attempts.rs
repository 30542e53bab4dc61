//! Tasks with failures before their submission (D9, S2).

use steadfast::{Class, Reason};
use steadfast_store::{ClaimRequest, Status};

use crate::harness::*;

cases![
    failure_elsewhere_schedules_the_retry,
    final_failure_elsewhere_fails_the_task,
    given_time_precedes_the_backoff,
    rate_limit_elsewhere_uses_no_attempt,
    retry_after_the_expiry_fails_the_task,
];

/// D9: the failure elsewhere is the first attempt, and the policy says when the next is due.
async fn failure_elsewhere_schedules_the_retry(store: &Harness) {
    let id = store.put(task().under(a_minute_apart()).failed_once(unavailable())).await;
    let stored = store.show(id).await;
    assert_eq!((stored.status, stored.attempts, stored.faults.len()), (Status::Scheduled, 1, 1));
    assert_eq!(stored.scheduled_at, stored.submitted_at + secs(60));
    let fault = &stored.faults[0];
    assert_eq!(stored.last_attempt_at, Some(fault.at));
    assert_eq!((fault.attempt, fault.class, fault.next_delay), (1, Class::Retryable, Some(60.0)));
    assert_eq!(stored.last_error.unwrap().message, fault.message);
    store.make_due(id).await;
    store.promote(1).await.unwrap();
    assert_eq!(
        store.claim_one().await.progress.attempts,
        1,
        "its first attempt here is its second"
    );
}

/// D9, J2: a final failure is stored as one.
async fn final_failure_elsewhere_fails_the_task(store: &Harness) {
    let stored = store.show(store.put(task().failed_once(gone())).await).await;
    assert_eq!((stored.status, stored.reason), (Status::Failed, Some(Reason::Final)));
    assert_eq!((stored.attempts, stored.faults.len()), (1, 1));
    assert!(stored.ended_at.is_some());
    assert!(store.claimed(&ClaimRequest::new("w1", 1)).await.is_empty());
}

/// D9: an explicit time takes precedence.
async fn given_time_precedes_the_backoff(store: &Harness) {
    let task = task().under(a_minute_apart()).failed_once(unavailable()).after(secs(7));
    let stored = store.show(store.put(task).await).await;
    assert_eq!(stored.scheduled_at, stored.submitted_at + secs(7));
}

/// D8: a hinted wait uses no attempt, wherever the hint was given.
async fn rate_limit_elsewhere_uses_no_attempt(store: &Harness) {
    let task = task().under(a_minute_apart()).failed_once(rate_limited(secs(5)));
    let stored = store.show(store.put(task).await).await;
    assert_eq!((stored.attempts, stored.rate_limit_waits), (0, 1));
    assert_eq!(stored.scheduled_at, stored.submitted_at + secs(5));
}

/// P5: a retry that could not start in time is not scheduled.
async fn retry_after_the_expiry_fails_the_task(store: &Harness) {
    let soon = steadfast_store::When::After(secs(30));
    let task = task().under(a_minute_apart()).failed_once(unavailable()).expires(soon);
    let stored = store.show(store.put(task).await).await;
    assert_eq!((stored.status, stored.reason), (Status::Failed, Some(Reason::OutOfTime)));
}
