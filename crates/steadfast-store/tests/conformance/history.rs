//! Histories of faults (D8).

use std::time::Duration;

use serde_json::Value;
use steadfast::{Class, Fault, Jitter, Policy, Reason};
use steadfast_store::{Settled, Status, StoredTask, TaskId, Verdict, When};

use crate::harness::*;

cases![
    every_fault_is_recorded,
    attempts_and_rate_limits_are_counted_apart,
    rate_limit_uses_no_attempt,
    rate_limits_are_limited,
    hint_of_zero_is_an_attempt,
    rate_limit_beyond_the_expiry_fails_the_task,
    retry_beyond_the_expiry_fails_the_task,
    decorrelated_delay_uses_the_previous_one,
    last_error_is_summarised,
    fault_has_its_explanation,
    faults_have_the_store_time,
    fault_message_may_be_any_text,
    faults_are_redacted,
    long_history_stays_in_order,
    histories_are_read_without_documents,
];

/// Fails the task with these faults in turn, without waiting for the delays between them.
async fn fails(store: &Harness, id: TaskId, faults: impl IntoIterator<Item = Fault>) {
    for fault in faults {
        let task = store.claim_one().await;
        assert_eq!(store.fail(&task, fault).await, Settled::Accepted);
        if store.show(id).await.status == Status::Scheduled {
            store.make_due(id).await;
            store.promote(1).await.unwrap();
        }
    }
}

async fn attempts(store: &Harness, id: TaskId) -> Vec<(u32, Class)> {
    store.show(id).await.faults.iter().map(|fault| (fault.attempt, fault.class)).collect()
}

/// D8: including the last one, which S2 lost.
async fn every_fault_is_recorded(store: &Harness) {
    let id = store.put(task().under(at_once())).await;
    fails(store, id, [Fault::http(500), Fault::http(502), Fault::http(503)]).await;
    let stored = store.show(id).await;
    let statuses: Vec<_> = stored.faults.iter().map(|fault| fault.fault.http_status).collect();
    assert_eq!(statuses, [Some(500), Some(502), Some(503)]);
    assert_eq!(stored.faults[1].next_delay, Some(0.0));
    assert_eq!((stored.status, stored.faults[2].next_delay), (Status::Failed, None));
}

/// D8: failures and the success count as attempts, rate limits as waits, and each has its fault.
async fn attempts_and_rate_limits_are_counted_apart(store: &Harness) {
    let id = store.put(task().under(at_once())).await;
    let wait = || rate_limited(secs(60));
    fails(store, id, [unavailable(), wait(), wait(), unavailable(), wait()]).await;
    let last = store.claim_one().await;
    assert_eq!((last.progress.attempts, last.progress.rate_limit_waits), (2, 3));
    store.complete(&last).await;
    let stored = store.show(id).await;
    assert_eq!(
        (stored.status, stored.attempts, stored.rate_limit_waits),
        (Status::Completed, 3, 3)
    );
    let (retryable, limited) = (Class::Retryable, Class::RateLimited);
    let expected = [(1, retryable), (2, limited), (2, limited), (2, retryable), (3, limited)];
    assert_eq!(attempts(store, id).await, expected);
}

/// D8, J2: a response that says when to retry is not a failure.
async fn rate_limit_uses_no_attempt(store: &Harness) {
    let task = store.running(task().under(a_minute_apart())).await;
    store.fail(&task, rate_limited(secs(7))).await;
    let stored = store.show(task.id).await;
    assert_eq!((stored.attempts, stored.rate_limit_waits), (0, 1));
    assert_eq!(
        stored.scheduled_at,
        stored.last_attempt_at.unwrap() + secs(7),
        "the hint, not the backoff"
    );
    assert_eq!(stored.faults[0].next_delay, Some(7.0));
}

/// D8, P2: beyond `max_rate_limit_waits` a requested wait is an attempt.
async fn rate_limits_are_limited(store: &Harness) {
    let policy = Policy::immediate().max_attempts(2).max_rate_limit_waits(2).build().unwrap();
    let id = store.put(task().under(policy)).await;
    fails(store, id, [secs(60); 4].map(rate_limited)).await;
    let stored = store.show(id).await;
    let reason = Some(Reason::AttemptsExhausted);
    assert_eq!((stored.status, stored.reason), (Status::Failed, reason));
    assert_eq!((stored.attempts, stored.rate_limit_waits, stored.faults.len()), (2, 2, 4));
}

/// J2: a hint of zero is no wait, so the backoff applies and an attempt is used.
async fn hint_of_zero_is_an_attempt(store: &Harness) {
    let task = store.running(task().under(a_minute_apart())).await;
    store.fail(&task, rate_limited(Duration::ZERO)).await;
    let stored = store.show(task.id).await;
    assert_eq!((stored.attempts, stored.rate_limit_waits), (1, 0));
    assert_eq!(stored.faults[0].next_delay, Some(60.0));
}

/// D8: a rate limit is bounded by the task's expiry.
async fn rate_limit_beyond_the_expiry_fails_the_task(store: &Harness) {
    let task = store.running(task().expires(When::After(secs(30)))).await;
    store.fail(&task, rate_limited(secs(60))).await;
    let stored = store.show(task.id).await;
    assert_eq!((stored.status, stored.reason), (Status::Failed, Some(Reason::OutOfTime)));
}

/// P5: so is a retry.
async fn retry_beyond_the_expiry_fails_the_task(store: &Harness) {
    let task = task().under(a_minute_apart()).expires(When::After(secs(30)));
    let task = store.running(task).await;
    store.fail(&task, unavailable()).await;
    let stored = store.show(task.id).await;
    assert_eq!((stored.status, stored.reason), (Status::Failed, Some(Reason::OutOfTime)));
    assert_eq!((stored.attempts, stored.faults.len()), (1, 1), "the failure is still stored");
}

/// P4: the previous delay is passed on from worker to worker.
async fn decorrelated_delay_uses_the_previous_one(store: &Harness) {
    let policy = Policy::exponential(secs(1)).jitter(Jitter::Decorrelated).build().unwrap();
    let task = store.running(task().under(policy)).await;
    assert_eq!(task.progress.previous, 0);
    store.fail(&task, unavailable()).await;
    store.run_now(task.id, &operator()).await.unwrap();
    let again = store.claim_one().await;
    let delay = store.show(task.id).await.faults[0].next_delay.unwrap();
    assert_eq!(Duration::from_nanos(again.progress.previous), Duration::from_secs_f64(delay));
}

/// D2: class and message of the last error, without reading the history.
async fn last_error_is_summarised(store: &Harness) {
    let id = store.put(task().under(at_once())).await;
    fails(store, id, [unavailable(), rate_limited(Duration::ZERO)]).await;
    let last = store.show(id).await.last_error.unwrap();
    assert_eq!(last.class, Class::RateLimited);
    assert!(last.message.contains("slow down"), "{}", last.message);
}

/// O4: the rule that matched and the limit that decided are part of the history.
async fn fault_has_its_explanation(store: &Harness) {
    let id = store.put(task().under(at_once())).await;
    fails(store, id, [unavailable(), unavailable(), unavailable()]).await;
    for fault in store.show(id).await.faults {
        let why = fault.why.unwrap().to_string();
        assert!(why.contains("5xx"), "{why}");
    }
}

/// D4: not the worker's.
async fn faults_have_the_store_time(store: &Harness) {
    let task = store.running(task().under(at_once())).await;
    let now = "2024-01-05T00:00:00Z".parse().unwrap();
    let context = steadfast_store::FailureContext::at(now);
    let before = store.now().await.unwrap();
    let verdict = task.failed(unavailable(), context, &mut Middle);
    store.settle_one(&task, verdict).await;
    let stored = store.show(task.id).await;
    assert!((before..=store.now().await.unwrap()).contains(&stored.faults[0].at));
    assert_eq!(stored.last_attempt_at, Some(stored.faults[0].at));
}

/// K4: an error message may be any text. The fault stores it unchanged; the displayed message has
/// no U+0000.
async fn fault_message_may_be_any_text(store: &Harness) {
    let texts = ["", "'\"; --", "\u{1f9fe}\u{200d}\n\t\u{1b}[31m", r"C:\u0000\n", "a\0b"];
    for text in texts {
        let task = store.running(task().under(a_minute_apart())).await;
        let fault = Fault::http(503).with_message(text);
        assert_eq!(store.fail(&task, fault).await, Settled::Accepted, "{text:?}");
        let stored = store.show(task.id).await;
        let shown = text.replace('\0', "\u{fffd}");
        assert!(stored.faults[0].message.contains(&shown), "{:?}", stored.faults[0].message);
        assert_eq!(stored.last_error.unwrap().message, stored.faults[0].message);
        assert_eq!(stored.faults[0].fault.message.as_deref(), Some(text));
    }
}

/// O5: no secret is stored.
async fn faults_are_redacted(store: &Harness) {
    let task = store.running(task().under(a_minute_apart())).await;
    let fault = Fault::http(503).with_message("GET https://me:hunter2@example.com/ failed");
    store.fail(&task, fault).await;
    let stored = store.show(task.id).await;
    let all = serde_json::to_string(&stored).unwrap();
    assert!(all.contains("example.com") && !all.contains("hunter2"), "{all}");
}

/// D8: the store does not limit the length of a history.
async fn long_history_stays_in_order(store: &Harness) {
    let policy = Policy::immediate().max_attempts(40).build().unwrap();
    let id = store.put(task().under(policy)).await;
    fails(store, id, (0..40).map(|_| unavailable())).await;
    let numbers: Vec<_> = attempts(store, id).await.iter().map(|(attempt, _)| *attempt).collect();
    assert!(numbers.into_iter().eq(1..=40));
}

/// D8, H3: equal to tasks read one by one, compressed or not, except for payloads and results;
/// missing tasks are left out.
async fn histories_are_read_without_documents(store: &Harness) {
    let failed = store.put(task().under(at_once())).await;
    fails(store, failed, [unavailable(), unavailable(), unavailable()]).await;
    store.age_ended(secs(3600)).await;
    assert_eq!(store.compress(secs(60), 10).await.unwrap(), 1);
    let tried = store.put(task().under(at_once())).await;
    fails(store, tried, [unavailable()]).await;
    let done = store.claim_one().await;
    let result = Some("[1]".to_owned());
    store.settle_one(&done, Verdict::Completed { result }).await;
    let fresh = store.put(task()).await;

    let found = store.histories(&[tried, TaskId::fresh(), failed, fresh]).await.unwrap();
    let mut expected = Vec::new();
    for id in [tried, failed, fresh] {
        let shown = store.show(id).await;
        expected.push(StoredTask { payload: Value::Null, result: None, ..shown });
    }
    assert_eq!(found, expected);
    let faults: Vec<_> = found.iter().map(|task| task.faults.len()).collect();
    assert_eq!(faults, [1, 3, 0]);
    assert_eq!(store.histories(&[]).await.unwrap(), []);
}
