//! A file that another process locks.

use sqlx::Executor;
use steadfast_store::{Sqlite, StoreError};

use crate::{Fixture, task};

/// K4: a lock that lasts too long is reported as such, and the store works again after its release.
#[tokio::test]
async fn locked_file_is_reported_and_recovers_without_reopening() {
    let fixture = Fixture::with("?busy_timeout=50ms").await;
    let mut other = fixture.connection().await;
    other.execute("BEGIN IMMEDIATE").await.unwrap();
    let first = tokio::spawn({
        let store = fixture.store.clone();
        async move { store.submit(task(1)).await }
    });
    let error = fixture.store.submit(task(2)).await.unwrap_err();
    assert!(matches!(error, StoreError::Locked(_)), "{error}");
    assert!(error.is_transient());
    let error = first.await.unwrap().unwrap_err();
    assert!(
        matches!(error, StoreError::Locked(_)),
        "every job of the group gets the error: {error}"
    );
    assert_eq!(fixture.store.stats().await.unwrap().pending, 0, "reading needs no lock");
    other.execute("ROLLBACK").await.unwrap();
    fixture.store.submit(task(1)).await.unwrap();
    assert_eq!(fixture.store.stats().await.unwrap().pending, 1);
}

/// K4: a file that is locked during opening is reported as such.
#[tokio::test]
async fn locked_new_file_cannot_be_opened() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("tasks.db");
    let url = format!("sqlite:{}?busy_timeout=50ms", path.display());
    let options = sqlx::sqlite::SqliteConnectOptions::new().filename(&path);
    let options = options.create_if_missing(true);
    let mut other = sqlx::ConnectOptions::connect(&options).await.unwrap();
    other.execute("BEGIN EXCLUSIVE").await.unwrap();
    let error = Sqlite::open(&url).await.unwrap_err();
    assert!(matches!(error, StoreError::Locked(_)), "{error}");
    other.execute("ROLLBACK").await.unwrap();
    Sqlite::open(&url).await.unwrap();
}
