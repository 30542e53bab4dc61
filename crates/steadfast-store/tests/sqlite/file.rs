//! URLs and files of a store.

use std::path::Path;
use std::sync::Arc;

use steadfast_store::{Sqlite, Store, StoreError};
use tempfile::tempdir;

use crate::task;

async fn rejected(url: &str) -> String {
    let error = Sqlite::open(url).await.unwrap_err();
    assert!(matches!(error, StoreError::Url { .. }), "{error:?}");
    error.to_string()
}

fn url(path: &Path) -> String {
    format!("sqlite:{}", path.display())
}

/// D1: the error says what would be valid.
#[tokio::test]
async fn invalid_url_is_rejected() {
    assert!(rejected("mysql:tasks.db").await.contains("use sqlite:PATH"));
    assert!(rejected("sqlite:").await.contains("the path is missing"));
    let unknown = rejected("sqlite:tasks.db?sync=normal").await;
    assert!(unknown.contains("unknown parameter `sync`; use synchronous or busy_timeout"));
    let value = rejected("sqlite:tasks.db?synchronous=off").await;
    assert!(value.contains("must be full or normal, not `off`"));
    let value = rejected("sqlite:tasks.db?busy_timeout=soon").await;
    assert!(value.contains("busy_timeout: `soon` is not a duration"));
}

/// K4: the error says what to do.
#[tokio::test]
async fn path_that_is_not_a_store_is_rejected() {
    let directory = tempdir().unwrap();
    assert!(rejected(&url(directory.path())).await.contains("is a directory: use a file in it"));
    let missing = directory.path().join("no/where.db");
    assert!(rejected(&url(&missing)).await.contains("its directory does not exist"));
    let text = directory.path().join("notes.txt");
    std::fs::write(&text, "not a database, however long one looks at it. ".repeat(100)).unwrap();
    assert!(rejected(&url(&text)).await.contains("not an SQLite database"));
}

/// D1: the data remains after the program has ended, under every spelling of the path.
#[tokio::test]
async fn file_store_survives_reopening() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("tasks.db");
    let id = {
        let store = Store::with_engine(Arc::new(Sqlite::open(&url(&path)).await.unwrap()));
        store.submit(task(7)).await.unwrap().id
    };
    let again = format!("sqlite://{}?synchronous=normal", path.display());
    let store = Store::with_engine(Arc::new(Sqlite::open(&again).await.unwrap()));
    assert_eq!(store.task(id).await.unwrap().payload, 7);
}

/// D4: nothing is written to a deleted file, because it would be lost when the program ends; after
/// the file is moved back, the store works again.
#[cfg(unix)]
#[tokio::test]
async fn deleted_or_replaced_file_rejects_tasks() {
    let directory = tempdir().unwrap();
    let (path, elsewhere) = (directory.path().join("tasks.db"), directory.path().join("old.db"));
    let store = Store::open(&url(&path)).await.unwrap();
    let id = store.submit(task(7)).await.unwrap().id;

    std::fs::rename(&path, &elsewhere).unwrap();
    let gone = store.submit(task(8)).await.unwrap_err();
    assert!(matches!(gone, StoreError::Unreachable(_)), "{gone:?}");
    let cause = std::error::Error::source(&gone).unwrap().to_string();
    assert!(cause.contains("was deleted or moved away while it was open"), "{cause}");
    assert!(matches!(store.task(id).await, Err(StoreError::Unreachable(_))));
    assert!(!path.exists(), "no new file is created in its place");

    std::fs::write(&path, "").unwrap();
    assert!(matches!(store.submit(task(8)).await, Err(StoreError::Unreachable(_))));
    std::fs::rename(&elsewhere, &path).unwrap();
    assert_eq!(store.task(id).await.unwrap().payload, 7);
    store.submit(task(8)).await.unwrap();
    assert_eq!(store.stats().await.unwrap().pending, 2);
}

/// D1: an in-memory store works, and each is separate.
#[tokio::test]
async fn memory_stores_are_separate() {
    let open =
        async || Store::with_engine(Arc::new(Sqlite::open("sqlite::memory:").await.unwrap()));
    let (one, other) = (open().await, open().await);
    let id = one.submit(task(7)).await.unwrap().id;
    assert_eq!(one.task(id).await.unwrap().payload, 7);
    assert!(matches!(other.task(id).await, Err(StoreError::NotFound(_))));
}
