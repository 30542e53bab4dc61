//! A disk that is full, which only the writing connection can be made to believe (K4).

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
        Self { store: Store::on(engine.clone()), engine, _directory: directory }
    }

    /// Leaves room for so many pages more than there are.
    async fn leave_room(&self, pages: i64) {
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

    async fn kept(&self) -> u64 {
        self.store.stats().await.unwrap().pending
    }
}

/// As big as a page.
fn big() -> Task {
    Task::new("keep", &"x".repeat(4096))
}

/// K4: a full disk is told as such, costs nothing that was kept, and is over when there is room.
#[tokio::test]
async fn a_full_disk_is_told_and_recovers_without_a_reopen() {
    let disk = Disk::new().await;
    disk.leave_room(20).await;
    let mut kept = 0;
    let error = loop {
        match disk.store.submit(big()).await {
            Ok(_) => kept += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::Full(_)), "{error}");
    assert!(error.is_passing());
    assert!(kept > 0);
    assert_eq!(disk.kept().await, kept);
    disk.leave_room(100).await;
    disk.store.submit(big()).await.unwrap();
    assert_eq!(disk.kept().await, kept + 1);
}

/// K4: who was told that a task is kept was told the truth, whoever else filled the disk.
#[tokio::test]
async fn a_disk_that_fills_up_within_a_group_loses_nothing_that_was_answered_for() {
    let disk = Disk::new().await;
    disk.leave_room(20).await;
    let submit = |_| {
        let store = disk.store.clone();
        tokio::spawn(async move { store.submit(big()).await })
    };
    let submitting: Vec<_> = (0..50).map(submit).collect();
    let mut kept = 0;
    for submitting in submitting {
        match submitting.await.unwrap() {
            Ok(_) => kept += 1,
            Err(error) => assert!(matches!(error, StoreError::Full(_)), "{error}"),
        }
    }
    assert!(kept < 50);
    assert_eq!(disk.kept().await, kept);
    disk.leave_room(100).await;
    disk.store.submit(big()).await.unwrap();
    assert_eq!(disk.kept().await, kept + 1);
}
