//! Submission within a transaction of the caller (D9).

use sqlx::{Connection as _, PgConnection};
use steadfast_store::{Filter, Status, StoreError, Task};

use crate::harness::*;

cases![
    task_exists_after_commit,
    task_does_not_exist_after_rollback,
    caller_rows_and_task_commit_together,
    rejected_batch_leaves_the_transaction_usable,
    existing_key_is_found_within_a_transaction,
    every_kind_of_task_can_be_submitted_within,
    connection_to_another_engine_is_rejected;
    only postgres: connection_without_a_transaction_is_rejected
];

/// D9: and not before.
async fn task_exists_after_commit(store: &Harness) {
    let mut transaction = store.begin().await;
    let id = transaction.submit(store, vec![task()]).await.unwrap()[0].id;
    assert_eq!(store.ids(&Filter::all()).await, [], "not visible before the commit");
    transaction.commit().await;
    assert_eq!(store.claim_one().await.id, id);
}

/// D9: and its queue is created again by the next task.
async fn task_does_not_exist_after_rollback(store: &Harness) {
    let mut transaction = store.begin().await;
    let id = transaction.submit(store, vec![task().queue("new")]).await.unwrap()[0].id;
    transaction.roll_back().await;
    assert!(matches!(store.task(id).await, Err(StoreError::NotFound(_))));
    let again = store.put(task().queue("new")).await;
    assert_eq!(store.claim_one().await.id, again, "the rolled back queue is not cached");
}

/// D9: the purpose of submitting within a transaction.
async fn caller_rows_and_task_commit_together(store: &Harness) {
    store.create_orders_table().await;
    for (order, commits) in [(1, false), (2, true)] {
        let mut transaction = store.begin().await;
        transaction.order(order).await;
        transaction.submit(store, vec![Task::new("send", &order)]).await.unwrap();
        if commits { transaction.commit().await } else { transaction.roll_back().await }
    }
    let tasks = store.listed(&Filter::all()).await;
    assert_eq!(tasks.iter().map(|task| &task.payload).collect::<Vec<_>>(), [&serde_json::json!(2)]);
    assert_eq!(store.orders().await, [2]);
}

/// D9: all or none of the tasks of a batch are written, and the transaction can continue.
async fn rejected_batch_leaves_the_transaction_usable(store: &Harness) {
    let old = store.put(Task::new("send", &1).key("k")).await;
    let mut transaction = store.begin().await;
    let batch = vec![task(), Task::new("send", &2).key("k")];
    let rejected = transaction.submit(store, batch).await;
    assert!(matches!(rejected, Err(StoreError::KeyTaken { existing, .. }) if existing == old));
    let later = transaction.submit(store, vec![task()]).await.unwrap()[0].id;
    transaction.commit().await;
    assert_eq!(store.ids(&Filter::all()).await, [later, old]);
}

/// D9: one key is one task, inside and outside of transactions.
async fn existing_key_is_found_within_a_transaction(store: &Harness) {
    let old = store.put(task().key("k")).await;
    let mut transaction = store.begin().await;
    let batch = vec![task().key("k"), task().key("new"), task().key("new")];
    let new = batch[1].id();
    let answers = transaction.submit(store, batch).await.unwrap();
    let answers: Vec<_> = answers.iter().map(|answer| (answer.id, answer.existed)).collect();
    assert_eq!(answers, [(old, true), (new, false), (new, true)]);
    transaction.commit().await;
}

/// D9: scheduled tasks, tasks with prior failures, other queues and policies, and empty batches.
async fn every_kind_of_task_can_be_submitted_within(store: &Harness) {
    let mut transaction = store.begin().await;
    assert_eq!(transaction.submit(store, Vec::new()).await.unwrap(), []);
    let batch = vec![
        task().queue("q").policy("patient").after(secs(60)),
        task().failed_once(gone()),
        task().under(a_minute_apart()).failed_once(unavailable()),
    ];
    let answers = transaction.submit(store, batch).await.unwrap();
    transaction.commit().await;
    let expected = [Status::Scheduled, Status::Failed, Status::Scheduled];
    for (answer, status) in answers.iter().zip(expected) {
        let stored = store.show(answer.id).await;
        assert_eq!(
            (stored.status, stored.faults.len()),
            (status, usize::from(stored.attempts > 0))
        );
    }
}

/// K4: the error names the connection.
async fn connection_to_another_engine_is_rejected(store: &Harness) {
    let rejected = store.submit_to_other_engine(vec![task()]).await;
    assert!(matches!(rejected, Err(StoreError::Invalid(why)) if why.field() == "connection"));
    assert_eq!(store.ids(&Filter::all()).await, []);
}

/// D9: without a transaction, a rejected batch could not be rolled back.
async fn connection_without_a_transaction_is_rejected(store: &Harness) {
    let mut connection = PgConnection::connect(&store.url()).await.unwrap();
    let rejected = store.submit_within(&mut connection, vec![task()]).await;
    assert!(matches!(rejected, Err(StoreError::Invalid(why)) if why.field() == "connection"));
    assert_eq!(store.ids(&Filter::all()).await, []);
}
