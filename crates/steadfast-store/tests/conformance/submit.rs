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

/// D2: everything that is said about a task is there when it is looked at.
async fn task_is_stored_as_submitted(store: &Harness) {
    let expiry = store.now().await.unwrap() + 5.hours();
    let submitted = Task::new("send", &json!({ "to": "somebody", "parts": [1, 2.5, null] }))
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

    let kept = store.show(id).await;
    assert_eq!(kept.kind, "send");
    assert_eq!(kept.payload, json!({ "to": "somebody", "parts": [1, 2.5, null] }));
    assert_eq!((kept.queue.as_str(), kept.category.as_deref()), ("mail", Some("customer-7")));
    assert_eq!((kept.priority, kept.max_attempts), (-3, 3));
    assert_eq!(kept.policy.as_deref(), Some(&a_minute_apart()));
    assert_eq!(kept.expires_at, Some(expiry));
    assert_eq!(kept.idempotency_key.as_deref(), Some("invoice-42"));
    assert_eq!(kept.correlation_id.as_deref(), Some("request-1"));
    assert!(kept.hold_category);
}

/// D2: a kind and a payload are enough.
async fn unset_fields_have_defaults(store: &Harness) {
    let kept = store.show(store.put(task()).await).await;
    assert_eq!((kept.status, kept.queue.as_str(), kept.priority), (Status::Pending, "default", 0));
    assert_eq!(kept.policy.unwrap().id(), Some("default"));
    assert_eq!((kept.attempts, kept.rate_limit_waits), (0, 0));
    assert_eq!((kept.category, kept.idempotency_key, kept.correlation_id), (None, None, None));
    assert_eq!((kept.last_attempt_at, kept.ended_at, kept.expires_at), (None, None, None));
    assert_eq!((kept.reason, kept.last_error, kept.result, kept.lease), (None, None, None, None));
    assert_eq!((kept.faults, kept.hold_category), (Vec::new(), false));
    assert_eq!(kept.scheduled_at, kept.submitted_at, "it was due at once");
}

/// D3: what is due is pending, what is due later is scheduled.
async fn due_task_is_pending_and_later_one_scheduled(store: &Harness) {
    let (now, later) = (store.put(task()).await, store.put(task().after(secs(60))).await);
    assert_eq!(store.status(now).await, Status::Pending);
    assert_eq!(store.status(later).await, Status::Scheduled);
    assert_eq!(store.take(10).await.len(), 1, "what is due later cannot be taken");
}

/// D9: a time that has passed is no reason to wait.
async fn past_time_means_now(store: &Harness) {
    let passed: Timestamp = "2024-01-05T00:00:00Z".parse().unwrap();
    let id = store.put(task().at(passed)).await;
    let kept = store.show(id).await;
    assert_eq!((kept.status, kept.scheduled_at), (Status::Pending, passed));
    assert_eq!(store.take_one().await.id, id);
}

/// D4: time is the database's, so a delay counts from when the store took the task.
async fn delay_counts_from_the_store_time(store: &Harness) {
    let kept = store.show(store.put(task().after(secs(90))).await).await;
    assert_eq!(kept.scheduled_at, kept.submitted_at + 90.seconds());
}

/// K4: no time is too early or too late to be kept.
async fn extreme_times_are_accepted(store: &Harness) {
    let first = store.put(task().at(Timestamp::MIN)).await;
    let last = store.put(task().at(Timestamp::MAX)).await;
    let never = store.put(task().after(std::time::Duration::MAX)).await;
    assert_eq!(store.status(first).await, Status::Pending);
    assert_eq!(store.status(last).await, Status::Scheduled);
    assert_eq!(store.status(never).await, Status::Scheduled);
}

/// D9: when it is too late can be said as a delay, too.
async fn relative_expiry_counts_from_submission(store: &Harness) {
    let kept = store.show(store.put(task().expires(When::After(secs(30)))).await).await;
    assert_eq!(kept.expires_at, Some(kept.submitted_at + 30.seconds()));
}

/// D9: a bulk submission is answered task by task.
async fn answers_are_in_the_order_of_the_tasks(store: &Harness) {
    let batch = vec![task().queue("a"), task().after(secs(5)), task().queue("b").priority(1)];
    let ids: Vec<_> = batch.iter().map(Task::id).collect();
    let answers = store.submit_all(batch).await.unwrap();
    assert!(answers.iter().all(|answer| !answer.existed));
    assert_eq!(answers.iter().map(|answer| answer.id).collect::<Vec<_>>(), ids);
}

/// D9: a batch is taken as a whole or not at all.
async fn batch_with_an_invalid_task_is_rejected(store: &Harness) {
    let refused = store.submit_all(vec![task(), task().queue(""), task()]).await;
    assert!(matches!(refused, Err(StoreError::Invalid(problem)) if problem.field() == "queue"));
    assert_eq!(store.ids(&Filter::all()).await, []);
}

/// D9: nothing to submit is nothing to complain about.
async fn empty_batch_is_accepted(store: &Harness) {
    assert_eq!(store.submit_all(Vec::new()).await.unwrap(), []);
}

/// D9: thousands of tasks go in one call, alike or not.
async fn five_thousand_tasks_are_submitted_in_one_call(store: &Harness) {
    let alike = store.put_many(5000).await;
    let different = tasks(5000).into_iter().enumerate().map(|(number, task)| {
        task.queue(format!("queue-{}", number % 7)).priority((number % 3) as i16)
    });
    assert_eq!(store.submit_all(different.collect()).await.unwrap().len(), 5000);
    assert_eq!(store.stats().await.unwrap().pending, 10_000);
    assert_eq!(store.show(alike[4999]).await.payload, json!({ "number": 4999 }));
}

/// D9: a task has its id before it is submitted, so sending it again does no harm.
async fn repeated_submission_is_one_task(store: &Harness) {
    let sent = task();
    store.put(sent.clone()).await;
    let again = store.submit(sent.clone()).await.unwrap();
    assert_eq!((again.id, again.existed), (sent.id(), true));
    assert_eq!(store.ids(&Filter::all()).await, [sent.id()]);
}

/// D9: the same holds within one call, whatever the task brings along.
async fn repeated_task_in_a_batch_is_one_task(store: &Harness) {
    for sent in [task(), task().failed_once(unavailable()), task().failed_once(gone())] {
        let answers = store.submit_all(vec![sent.clone(), sent.clone()]).await.unwrap();
        assert_eq!(answers.iter().map(|answer| answer.id).collect::<Vec<_>>(), [sent.id(); 2]);
        assert_eq!(answers.iter().map(|answer| answer.existed).collect::<Vec<_>>(), [false, true]);
        assert!(store.show(sent.id()).await.faults.len() < 2);
    }
}

/// D2: a policy that is changed later is another policy.
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
    let taken = store.take(2).await;
    assert_eq!(taken.iter().map(|task| task.policy.max_attempts()).collect::<Vec<_>>(), [4, 9]);
}

/// P6: the presets can be named without being registered.
async fn preset_is_a_policy(store: &Harness) {
    let id = store.put(task().policy("patient")).await;
    assert_eq!(store.show(id).await.policy.unwrap().id(), Some("patient"));
}

/// D9: a name that means nothing is told at once, with the names that mean something.
async fn unknown_policy_is_rejected(store: &Harness) {
    let refused = store.submit(task().policy("patent")).await.unwrap_err().to_string();
    assert!(refused.contains("`patent`") && refused.contains("patient"), "{refused}");
    assert_eq!(store.ids(&Filter::all()).await, []);
}

/// D1: instances share what they keep.
async fn other_process_sees_submitted_tasks(store: &Harness) {
    let other = store.another().await;
    let id = store.put(task().queue("mail").policy("patient")).await;
    assert_eq!(other.show(id).await, store.show(id).await);
    assert_eq!(other.take_one().await.id, id);
    assert_eq!(store.status(id).await, Status::Running);
}

/// D9: whoever does not know how much of a batch was taken sends all of it under the same ids.
async fn repeated_batch_inserts_missing_tasks(store: &Harness) {
    let ids: Vec<_> = (0..1500).map(|_| steadfast_store::TaskId::fresh()).collect();
    let batch = |count: usize| ids.iter().take(count).map(|id| task().with_id(*id)).collect();
    store.submit_all(batch(700)).await.unwrap();
    let answers = store.submit_all(batch(1500)).await.unwrap();
    assert_eq!(answers.iter().map(|one| one.id).collect::<Vec<_>>(), ids);
    assert_eq!(answers.iter().filter(|one| one.existed).count(), 700);
    assert_eq!(store.stats().await.unwrap().pending, 1500);
}

/// D9: an id is one piece of work. Whoever sends another under it is told so, and nobody who
/// submits at the same time is.
async fn id_of_another_task_is_rejected(store: &Harness) {
    let first = store.put(Task::new("send", &1)).await;
    let again = store.submit(Task::new("send", &1).with_id(first)).await.unwrap();
    assert_eq!((again.id, again.existed), (first, true));
    let taken = |refused: &Result<_, StoreError>| matches!(refused, Err(StoreError::IdTaken(id)) if *id == first);
    for other in [Task::new("send", &2), Task::new("print", &1)] {
        let other = || other.clone().with_id(first);
        assert!(taken(&store.submit(other().correlation_id("c")).await));
        assert!(taken(&store.submit_all(vec![task(), other()]).await.map(|_| again)));
        let (one, two, three) =
            tokio::join!(store.submit(task()), store.submit(other()), store.submit(task()));
        assert!(taken(&two) && one.is_ok() && three.is_ok());
    }
    let new = TaskId::fresh();
    let twice = vec![Task::new("send", &1).with_id(new), Task::new("send", &2).with_id(new)];
    assert!(matches!(store.submit_all(twice).await, Err(StoreError::IdTaken(id)) if id == new));
    assert_eq!(store.stats().await.unwrap().pending, 5, "the first and two beside each refusal");
}

/// D9, P5: a task that waits for its time has all of its max_duration from then on; one that failed
/// before has begun.
async fn max_duration_counts_from_the_first_due_time(store: &Harness) {
    let hurried =
        || Policy::fixed(secs(60)).max_attempts(9).max_duration(secs(90)).build().unwrap();
    let later = task().under(hurried()).after(secs(3600));
    let begun = task().under(hurried()).failed_once(Fault::http(503));
    for (new, counts_from_due, left) in [(later, true, 2), (begun, false, 1)] {
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

/// D18: what a preview says is what becomes of it.
async fn task_can_be_previewed(store: &Harness) {
    let later = task().under(a_minute_apart()).after(secs(3600));
    let preview = store.preview(later.clone()).await.unwrap();
    assert_eq!(store.ids(&Filter::all()).await, []);
    let kept = store.put(later).await;
    let kept = store.show(kept).await.remaining().attempts;
    assert_eq!(kept.len(), preview.schedule.attempts.len());
    let off = kept[0].earliest.duration_since(preview.schedule.attempts[0].earliest);
    assert!(off.as_secs().abs() < 60, "{off}");
}
