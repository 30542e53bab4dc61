//! Submission within a transaction of the caller (D9).

use sqlx::{Connection, Executor};
use steadfast_store::{Store, StoreError};

use crate::{Fixture, task};

/// D9: nor does the store's cache keep anything of it.
#[tokio::test]
async fn rolled_back_transaction_leaves_no_task() {
    let fixture = Fixture::new().await;
    let mut own = fixture.connection().await;
    let mut transaction = own.begin().await.unwrap();
    let tasks = vec![task(1).queue("new").key("order-1"), task(2).queue("new")];
    fixture.store.submit_within(&mut *transaction, tasks).await.unwrap();
    transaction.rollback().await.unwrap();
    assert_eq!(fixture.store.stats().await.unwrap().pending, 0);
    assert!(fixture.store.queues().await.unwrap().is_empty());
    fixture.store.submit(task(3).queue("other")).await.unwrap();
    let again = fixture.store.submit(task(1).queue("new").key("order-1")).await.unwrap();
    assert!(!again.existed);
    assert_eq!(fixture.store.task(again.id).await.unwrap().queue, "new");
}

/// D9: both are committed together.
#[tokio::test]
async fn committed_transaction_leaves_tasks_and_rows() {
    let fixture = Fixture::new().await;
    let mut own = fixture.connection().await;
    own.execute("CREATE TABLE orders (number INTEGER)").await.unwrap();
    let mut transaction = own.begin().await.unwrap();
    transaction.execute("INSERT INTO orders VALUES (42)").await.unwrap();
    let submitted = fixture.store.submit_within(&mut *transaction, vec![task(42)]).await.unwrap();
    assert!(matches!(fixture.store.task(submitted[0].id).await, Err(StoreError::NotFound(_))));
    transaction.commit().await.unwrap();
    assert_eq!(fixture.claim(10).await[0].id, submitted[0].id);
}

/// D9: a rejected batch writes nothing, and the transaction can continue.
#[tokio::test]
async fn rejected_task_leaves_the_transaction_unchanged() {
    let fixture = Fixture::new().await;
    fixture.store.submit(task(1).key("taken")).await.unwrap();
    let mut own = fixture.connection().await;
    let mut transaction = own.begin().await.unwrap();
    let tasks = vec![task(2), task(3).key("taken")];
    let error = fixture.store.submit_within(&mut *transaction, tasks).await.unwrap_err();
    assert!(matches!(error, StoreError::KeyTaken { .. }), "{error}");
    fixture.store.submit_within(&mut *transaction, vec![task(4)]).await.unwrap();
    transaction.commit().await.unwrap();
    assert_eq!(fixture.store.stats().await.unwrap().pending, 2);
}

/// D9: the error says which file to use.
#[tokio::test]
async fn connection_to_another_file_is_rejected() {
    let fixture = Fixture::new().await;
    let mut other = sqlx::SqliteConnection::connect("sqlite::memory:").await.unwrap();
    let store: &Store = &fixture.store;
    let error = store.submit_within(&mut other, vec![task(1)]).await.unwrap_err();
    assert!(matches!(error, StoreError::Invalid(_)), "{error}");
    assert!(error.to_string().contains("begin the transaction on the store's file"));
}
