//! Tests of a full disk, simulated on the writing connection (K4).

use std::sync::Arc;

use super::Sqlite;
use crate::{Store, StoreError, Task};

struct Disk {
    engine: Arc<Sqlite>,
    store: Store,
    _directory: tempfile::TempDir,
}

impl Disk {
    async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", directory.path().join("tasks.db").display());
        let engine = Arc::new(Sqlite::open(&url).await.unwrap());
        Self { store: Store::with_engine(engine.clone()), engine, _directory: directory }
    }

    /// Limits the file to this many more pages.
    async fn limit_growth(&self, pages: i64) {
        let limited = self.engine.writer.run(move |connection, _| {
            Box::pin(async move {
                let count = sqlx::query_scalar::<_, i64>("PRAGMA page_count");
                let count = count.fetch_one(&mut *connection).await?;
                let limit = format!("PRAGMA max_page_count = {}", count + pages);
                sqlx::query(sqlx::AssertSqlSafe(limit)).execute(connection).await?;
                Ok(())
            })
        });
        limited.await.unwrap();
    }

    async fn pending(&self) -> u64 {
        self.store.stats().await.unwrap().pending
    }
}

/// A task as large as a page.
fn large() -> Task {
    Task::new("keep", &"x".repeat(4096))
}

/// K4: a full disk is reported, loses no task, and recovers once there is space.
#[tokio::test]
async fn full_disk_is_reported_and_recovers_without_reopening() {
    let disk = Disk::new().await;
    disk.limit_growth(20).await;
    let mut submitted = 0;
    let error = loop {
        match disk.store.submit(large()).await {
            Ok(_) => submitted += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::Full(_)), "{error}");
    assert!(error.is_transient());
    assert!(submitted > 0);
    assert_eq!(disk.pending().await, submitted);
    disk.limit_growth(100).await;
    disk.store.submit(large()).await.unwrap();
    assert_eq!(disk.pending().await, submitted + 1);
}

/// K4: every acknowledged task is there, even if the disk filled up in its group.
#[tokio::test]
async fn disk_full_within_a_group_loses_no_acknowledged_task() {
    let disk = Disk::new().await;
    disk.limit_growth(20).await;
    let submit = |_| {
        let store = disk.store.clone();
        tokio::spawn(async move { store.submit(large()).await })
    };
    let submitting: Vec<_> = (0..50).map(submit).collect();
    let mut submitted = 0;
    for submitting in submitting {
        match submitting.await.unwrap() {
            Ok(_) => submitted += 1,
            Err(error) => assert!(matches!(error, StoreError::Full(_)), "{error}"),
        }
    }
    assert!(submitted < 50);
    assert_eq!(disk.pending().await, submitted);
    disk.limit_growth(100).await;
    disk.store.submit(large()).await.unwrap();
    assert_eq!(disk.pending().await, submitted + 1);
}
