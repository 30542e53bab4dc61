//! Idempotency keys (D9).

use std::collections::BTreeSet;

use steadfast_store::{Filter, Retention, Status, StoreError, Task, TaskId};

use crate::harness::*;

cases![
    repeated_key_is_one_task,
    key_stays_taken_after_the_task_ended,
    key_is_free_after_the_task_is_pruned,
    key_of_another_task_is_rejected,
    rejected_key_rejects_its_batch,
    repeated_key_in_a_batch_is_one_task,
    conflicting_key_in_a_batch_is_rejected,
    batch_with_old_and_new_keys_is_accepted,
    task_is_found_by_its_key,
    key_may_be_any_text,
    concurrent_submissions_of_one_key_are_one_task,
];

fn invoice(number: u32) -> Task {
    Task::new("send-invoice", &number).key(format!("invoice-{number}"))
}

/// D9: the second submission returns the first task.
async fn repeated_key_is_one_task(store: &Harness) {
    let first = store.put(invoice(42)).await;
    let second = store.submit(invoice(42)).await.unwrap();
    assert_eq!((second.id, second.existed), (first, true));
    assert_eq!(store.ids(&Filter::all()).await, [first]);
}

/// D9: completed work is not repeated.
async fn key_stays_taken_after_the_task_ended(store: &Harness) {
    let first = store.ended(Status::Completed, invoice(42)).await;
    let second = store.submit(invoice(42)).await.unwrap();
    assert_eq!((second.id, second.existed), (first, true));
    assert!(store.claim_batch(1).await.is_empty());
}

/// D14: a pruned task's key is deleted with it.
async fn key_is_free_after_the_task_is_pruned(store: &Harness) {
    let first = store.ended(Status::Completed, invoice(42)).await;
    let mut retention = Retention::default();
    retention.ended_at_most = Some(0);
    assert_eq!(store.prune(&retention).await.unwrap().tasks, 1);
    let second = store.submit(invoice(42)).await.unwrap();
    assert!(!second.existed && second.id != first);
}

/// D9: one key for two different tasks is an input error.
async fn key_of_another_task_is_rejected(store: &Harness) {
    let first = store.put(invoice(42)).await;
    for other in [Task::new("send-invoice", &43), Task::new("print-invoice", &42)] {
        let rejected = store.submit(other.key("invoice-42")).await.unwrap_err();
        let StoreError::KeyTaken { key, existing } = rejected else { panic!("{rejected}") };
        assert_eq!((key.as_str(), existing), ("invoice-42", first));
    }
    assert_eq!(store.ids(&Filter::all()).await, [first]);
}

/// D9: all or none, for keys as for everything.
async fn rejected_key_rejects_its_batch(store: &Harness) {
    let first = store.put(invoice(42)).await;
    let batch = vec![task(), invoice(7), Task::new("other", &1).key("invoice-42"), task()];
    assert!(matches!(store.submit_all(batch).await, Err(StoreError::KeyTaken { .. })));
    assert_eq!(store.ids(&Filter::all()).await, [first]);
    assert!(!store.submit(invoice(7)).await.unwrap().existed);
}

/// D9: a key is one task within a call, too.
async fn repeated_key_in_a_batch_is_one_task(store: &Harness) {
    let batch = vec![invoice(1), task(), invoice(1)];
    let ids: Vec<TaskId> = batch.iter().map(Task::id).collect();
    let answers = store.submit_all(batch).await.unwrap();
    assert_eq!(
        answers.iter().map(|answer| answer.id).collect::<Vec<_>>(),
        [ids[0], ids[1], ids[0]]
    );
    assert_eq!(
        answers.iter().map(|answer| answer.existed).collect::<Vec<_>>(),
        [false, false, true]
    );
    assert_eq!(store.ids(&Filter::all()).await.len(), 2);
}

/// D9: also within one call.
async fn conflicting_key_in_a_batch_is_rejected(store: &Harness) {
    let batch = vec![invoice(1), Task::new("send-invoice", &2).key("invoice-1")];
    assert!(matches!(store.submit_all(batch).await, Err(StoreError::KeyTaken { .. })));
    assert_eq!(store.ids(&Filter::all()).await, []);
}

/// D9: each task of a batch has its own result.
async fn batch_with_old_and_new_keys_is_accepted(store: &Harness) {
    let old = store.put(invoice(2)).await;
    let batch = vec![invoice(1), invoice(2), invoice(3)];
    let (one, three) = (batch[0].id(), batch[2].id());
    let answers = store.submit_all(batch).await.unwrap();
    let answers: Vec<_> = answers.iter().map(|answer| (answer.id, answer.existed)).collect();
    assert_eq!(answers, [(one, false), (old, true), (three, false)]);
}

/// D9: by any caller that knows the key.
async fn task_is_found_by_its_key(store: &Harness) {
    let id = store.put(invoice(42)).await;
    assert_eq!(store.task_by_key("invoice-42").await.unwrap(), Some(id));
    assert_eq!(store.task_by_key("invoice-4").await.unwrap(), None);
}

/// K4: keys are compared byte by byte.
async fn key_may_be_any_text(store: &Harness) {
    let keys = ["a", "A", "á", "a\u{301}", "a ", "'; DROP TABLE tasks; --", "🧾", "%", "_"];
    let mut ids = BTreeSet::new();
    for key in keys {
        let id = store.put(task().key(key)).await;
        assert_eq!(store.task_by_key(key).await.unwrap(), Some(id), "{key}");
        ids.insert(id);
    }
    assert_eq!(ids.len(), keys.len());
}

/// D9: also when they are submitted at the same time.
async fn concurrent_submissions_of_one_key_are_one_task(store: &Harness) {
    let other = store.another().await;
    let submissions = (0..16).map(|number| {
        let process = if number % 2 == 0 { store } else { &other };
        let process = steadfast_store::Store::clone(process);
        tokio::spawn(async move { process.submit(invoice(42)).await.unwrap() })
    });
    let mut answers = Vec::new();
    for submission in submissions.collect::<Vec<_>>() {
        answers.push(submission.await.unwrap());
    }
    let ids: BTreeSet<_> = answers.iter().map(|answer| answer.id).collect();
    let new = answers.iter().filter(|answer| !answer.existed).count();
    assert_eq!((ids.len(), new), (1, 1));
}
