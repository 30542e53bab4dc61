//! Submission (D2, D9).

use std::sync::Arc;

use jiff::{Timestamp, ToSpan};
use serde_json::json;
use steadfast::{Fault, Policy};
use steadfast_store::{Filter, Status, StoreError, Task, TaskId, When};

use crate::harness::*;

cases![
    task_is_stored_as_submitted,
    unset_fields_have_defaults,
    due_task_is_pending_and_later_one_scheduled,
    past_time_means_now,
    delay_counts_from_the_store_time,
    extreme_times_are_accepted,
    relative_expiry_counts_from_submission,
    answers_are_in_the_order_of_the_tasks,
    batch_with_an_invalid_task_is_rejected,
    empty_batch_is_accepted,
    five_thousand_tasks_are_submitted_in_one_call,
    repeated_submission_is_one_task,
    repeated_batch_inserts_missing_tasks,
    id_of_another_task_is_rejected,
    max_duration_counts_from_the_first_due_time,
    task_can_be_previewed,
    repeated_task_in_a_batch_is_one_task,
    task_keeps_its_policy,
    preset_is_a_policy,
    unknown_policy_is_rejected,
    other_process_sees_submitted_tasks,
];

/// D2: every field can be read back.
async fn task_is_stored_as_submitted(store: &Harness) {
    let expiry = store.now().await.unwrap() + 5.hours();
    let submitted = Task::new("send", &json!({ "to": "customer", "parts": [1, 2.5, null] }))
        .queue("mail")
        .category("customer-7")
        .priority(-3)
        .under(a_minute_apart())
        .expires(When::At(expiry))
        .key("invoice-42")
        .correlation_id("request-1")
        .hold_category();
    let id = submitted.id();
    let answer = store.submit(submitted).await.unwrap();
    assert_eq!((answer.id, answer.existed), (id, false));

    let stored = store.show(id).await;
    assert_eq!(stored.kind, "send");
    assert_eq!(stored.payload, json!({ "to": "customer", "parts": [1, 2.5, null] }));
    assert_eq!((stored.queue.as_str(), stored.category.as_deref()), ("mail", Some("customer-7")));
    assert_eq!((stored.priority, stored.max_attempts), (-3, 3));
    assert_eq!(stored.policy.as_deref(), Some(&a_minute_apart()));
    assert_eq!(stored.expires_at, Some(expiry));
    assert_eq!(stored.idempotency_key.as_deref(), Some("invoice-42"));
    assert_eq!(stored.correlation_id.as_deref(), Some("request-1"));
    assert!(stored.hold_category);
}

/// D2: a kind and a payload are enough.
async fn unset_fields_have_defaults(store: &Harness) {
    let stored = store.show(store.put(task()).await).await;
    assert_eq!(
        (stored.status, stored.queue.as_str(), stored.priority),
        (Status::Pending, "default", 0)
    );
    assert_eq!(stored.policy.unwrap().id(), Some("default"));
    assert_eq!((stored.attempts, stored.rate_limit_waits), (0, 0));
    assert_eq!(
        (stored.category, stored.idempotency_key, stored.correlation_id),
        (None, None, None)
    );
    assert_eq!((stored.last_attempt_at, stored.ended_at, stored.expires_at), (None, None, None));
    assert_eq!(
        (stored.reason, stored.last_error, stored.result, stored.lease),
        (None, None, None, None)
    );
    assert_eq!((stored.faults, stored.hold_category), (Vec::new(), false));
    assert_eq!(stored.scheduled_at, stored.submitted_at, "it is due at once");
}

/// D3: a due task is pending, a later one is scheduled.
async fn due_task_is_pending_and_later_one_scheduled(store: &Harness) {
    let (now, later) = (store.put(task()).await, store.put(task().after(secs(60))).await);
    assert_eq!(store.status(now).await, Status::Pending);
    assert_eq!(store.status(later).await, Status::Scheduled);
    assert_eq!(store.claim_batch(10).await.len(), 1, "a scheduled task cannot be claimed");
}

/// D9: a task with a past time is due at once.
async fn past_time_means_now(store: &Harness) {
    let passed: Timestamp = "2024-01-05T00:00:00Z".parse().unwrap();
    let id = store.put(task().at(passed)).await;
    let stored = store.show(id).await;
    assert_eq!((stored.status, stored.scheduled_at), (Status::Pending, passed));
    assert_eq!(store.claim_one().await.id, id);
}

/// D4: time is the database's, so a delay counts from when the store accepted the task.
async fn delay_counts_from_the_store_time(store: &Harness) {
    let stored = store.show(store.put(task().after(secs(90))).await).await;
    assert_eq!(stored.scheduled_at, stored.submitted_at + 90.seconds());
}

/// K4: every time can be stored.
async fn extreme_times_are_accepted(store: &Harness) {
    let first = store.put(task().at(Timestamp::MIN)).await;
    let last = store.put(task().at(Timestamp::MAX)).await;
    let never = store.put(task().after(std::time::Duration::MAX)).await;
    assert_eq!(store.status(first).await, Status::Pending);
    assert_eq!(store.status(last).await, Status::Scheduled);
    assert_eq!(store.status(never).await, Status::Scheduled);
}

/// D9: an expiry may be given as a delay.
async fn relative_expiry_counts_from_submission(store: &Harness) {
    let stored = store.show(store.put(task().expires(When::After(secs(30)))).await).await;
    assert_eq!(stored.expires_at, Some(stored.submitted_at + 30.seconds()));
}

/// D9: a bulk submission has a result per task.
async fn answers_are_in_the_order_of_the_tasks(store: &Harness) {
    let batch = vec![task().queue("a"), task().after(secs(5)), task().queue("b").priority(1)];
    let ids: Vec<_> = batch.iter().map(Task::id).collect();
    let answers = store.submit_all(batch).await.unwrap();
    assert!(answers.iter().all(|answer| !answer.existed));
    assert_eq!(answers.iter().map(|answer| answer.id).collect::<Vec<_>>(), ids);
}

/// D9: a batch is accepted as a whole or not at all.
async fn batch_with_an_invalid_task_is_rejected(store: &Harness) {
    let rejected = store.submit_all(vec![task(), task().queue(""), task()]).await;
    assert!(matches!(rejected, Err(StoreError::Invalid(problem)) if problem.field() == "queue"));
    assert_eq!(store.ids(&Filter::all()).await, []);
}

/// D9: an empty batch is valid.
async fn empty_batch_is_accepted(store: &Harness) {
    assert_eq!(store.submit_all(Vec::new()).await.unwrap(), []);
}

/// D9: thousands of tasks in one call, uniform or not.
async fn five_thousand_tasks_are_submitted_in_one_call(store: &Harness) {
    let alike = store.put_many(5000).await;
    let different = tasks(5000).into_iter().enumerate().map(|(number, task)| {
        task.queue(format!("queue-{}", number % 7)).priority((number % 3) as i16)
    });
    assert_eq!(store.submit_all(different.collect()).await.unwrap().len(), 5000);
    assert_eq!(store.stats().await.unwrap().pending, 10_000);
    assert_eq!(store.show(alike[4999]).await.payload, json!({ "number": 4999 }));
}

/// D9: a task has its id before it is submitted, so it can be sent again safely.
async fn repeated_submission_is_one_task(store: &Harness) {
    let sent = task();
    store.put(sent.clone()).await;
    let again = store.submit(sent.clone()).await.unwrap();
    assert_eq!((again.id, again.existed), (sent.id(), true));
    assert_eq!(store.ids(&Filter::all()).await, [sent.id()]);
}

/// D9: the same applies within one call, with or without prior failures.
async fn repeated_task_in_a_batch_is_one_task(store: &Harness) {
    for sent in [task(), task().failed_once(unavailable()), task().failed_once(gone())] {
        let answers = store.submit_all(vec![sent.clone(), sent.clone()]).await.unwrap();
        assert_eq!(answers.iter().map(|answer| answer.id).collect::<Vec<_>>(), [sent.id(); 2]);
        assert_eq!(answers.iter().map(|answer| answer.existed).collect::<Vec<_>>(), [false, true]);
        assert!(store.show(sent.id()).await.faults.len() < 2);
    }
}

/// D2: a later change of a policy does not affect it.
async fn task_keeps_its_policy(store: &Harness) {
    let named = |attempts| {
        let policy =
            Arc::new(Policy::immediate().id("mine").max_attempts(attempts).build().unwrap());
        let store = steadfast_store::Store::clone(store);
        store.with_policies(move |name| (name == "mine").then(|| policy.clone()))
    };
    let before = named(4).submit(task().policy("mine")).await.unwrap().id;
    let after = named(9).submit(task().policy("mine")).await.unwrap().id;
    assert_eq!(store.show(before).await.max_attempts, 4);
    assert_eq!(store.show(after).await.max_attempts, 9);
    let claimed = store.claim_batch(2).await;
    assert_eq!(claimed.iter().map(|task| task.policy.max_attempts()).collect::<Vec<_>>(), [4, 9]);
}

/// P6: the presets can be named without being registered.
async fn preset_is_a_policy(store: &Harness) {
    let id = store.put(task().policy("patient")).await;
    assert_eq!(store.show(id).await.policy.unwrap().id(), Some("patient"));
}

/// D9: at submission, and the error lists the known names.
async fn unknown_policy_is_rejected(store: &Harness) {
    let rejected = store.submit(task().policy("patent")).await.unwrap_err().to_string();
    assert!(rejected.contains("`patent`") && rejected.contains("patient"), "{rejected}");
    assert_eq!(store.ids(&Filter::all()).await, []);
}

/// D1: instances share one store.
async fn other_process_sees_submitted_tasks(store: &Harness) {
    let other = store.another().await;
    let id = store.put(task().queue("mail").policy("patient")).await;
    assert_eq!(other.show(id).await, store.show(id).await);
    assert_eq!(other.claim_one().await.id, id);
    assert_eq!(store.status(id).await, Status::Running);
}

/// D9: a client that does not know how much of a batch was accepted sends it again with the same
/// ids.
async fn repeated_batch_inserts_missing_tasks(store: &Harness) {
    let ids: Vec<_> = (0..1500).map(|_| steadfast_store::TaskId::fresh()).collect();
    let batch = |count: usize| ids.iter().take(count).map(|id| task().with_id(*id)).collect();
    store.submit_all(batch(700)).await.unwrap();
    let answers = store.submit_all(batch(1500)).await.unwrap();
    assert_eq!(answers.iter().map(|one| one.id).collect::<Vec<_>>(), ids);
    assert_eq!(answers.iter().filter(|one| one.existed).count(), 700);
    assert_eq!(store.stats().await.unwrap().pending, 1500);
}

/// D9: an id is one task. A different task with the same id is rejected, and concurrent submissions
/// are not affected.
async fn id_of_another_task_is_rejected(store: &Harness) {
    let first = store.put(Task::new("send", &1)).await;
    let again = store.submit(Task::new("send", &1).with_id(first)).await.unwrap();
    assert_eq!((again.id, again.existed), (first, true));
    let is_taken = |rejected: &Result<_, StoreError>| matches!(rejected, Err(StoreError::IdTaken(id)) if *id == first);
    for other in [Task::new("send", &2), Task::new("print", &1)] {
        let other = || other.clone().with_id(first);
        assert!(is_taken(&store.submit(other().correlation_id("c")).await));
        assert!(is_taken(&store.submit_all(vec![task(), other()]).await.map(|_| again)));
        let (one, two, three) =
            tokio::join!(store.submit(task()), store.submit(other()), store.submit(task()));
        assert!(is_taken(&two) && one.is_ok() && three.is_ok());
    }
    let new = TaskId::fresh();
    let twice = vec![Task::new("send", &1).with_id(new), Task::new("send", &2).with_id(new)];
    assert!(matches!(store.submit_all(twice).await, Err(StoreError::IdTaken(id)) if id == new));
    assert_eq!(
        store.stats().await.unwrap().pending,
        5,
        "the first, and four that were submitted concurrently"
    );
}

/// D9, P5: the max_duration of a scheduled task counts from its due time; that of a task with a
/// prior failure from its submission.
async fn max_duration_counts_from_the_first_due_time(store: &Harness) {
    let short = || Policy::fixed(secs(60)).max_attempts(9).max_duration(secs(90)).build().unwrap();
    let later = task().under(short()).after(secs(3600));
    let failed = task().under(short()).failed_once(Fault::http(503));
    for (new, counts_from_due, left) in [(later, true, 2), (failed, false, 1)] {
        let preview = store.preview(new.clone()).await.unwrap();
        let shown = store.show(store.put(new.clone()).await).await;
        let again = || new.clone().with_id(TaskId::fresh());
        let also = store.submit_all(vec![again(), again()]).await.unwrap();
        for shown in [shown, store.show(also[0].id).await] {
            assert_eq!(shown.counted_from == shown.scheduled_at, counts_from_due);
            assert_eq!(shown.counted_from == shown.submitted_at, !counts_from_due);
            assert_eq!(shown.remaining().attempts.len(), left);
        }
        assert_eq!(preview.schedule.attempts.len(), left);
    }
}

/// D18: the preview matches the submitted task.
async fn task_can_be_previewed(store: &Harness) {
    let later = task().under(a_minute_apart()).after(secs(3600));
    let preview = store.preview(later.clone()).await.unwrap();
    assert_eq!(store.ids(&Filter::all()).await, []);
    let stored = store.put(later).await;
    let stored = store.show(stored).await.remaining().attempts;
    assert_eq!(stored.len(), preview.schedule.attempts.len());
    let difference = stored[0].earliest.duration_since(preview.schedule.attempts[0].earliest);
    assert!(difference.as_secs().abs() < 60, "{difference}");
}
