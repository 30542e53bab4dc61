//! Group commit of submissions.

use tokio::task::JoinSet;

use crate::{Fixture, task, with_store};

impl Fixture {
    /// The number of transactions with writes so far, on the whole server.
    async fn transactions(&mut self) -> i64 {
        let newest = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint";
        sqlx::query_scalar(newest).fetch_one(&mut self.connection).await.unwrap()
    }
}

/// D9: each task is durable when its call returns, and together they take fewer commits than tasks.
#[test]
fn concurrent_submissions_share_commits() {
    with_store(async |mut fixture| {
        // The queue and the policy get their numbers only once.
        fixture.store.submit(task(0)).await.unwrap();
        let before = fixture.transactions().await;
        let mut submissions = JoinSet::new();
        for number in 1..=500 {
            let store = fixture.store.clone();
            submissions.spawn(async move { store.submit(task(number)).await.unwrap() });
        }
        let submitted = submissions.join_all().await;
        assert!(submitted.iter().all(|submitted| !submitted.existed));
        assert_eq!(fixture.store.stats().await.unwrap().pending, 501);
        assert!(fixture.transactions().await - before < 250);
    });
}

/// D9: a task that is sent again because its first response was lost is one task, and the other
/// tasks of its commit are not affected.
#[test]
fn repeated_task_does_not_affect_its_batch() {
    with_store(async |fixture| {
        let again = task(0);
        fixture.store.submit(again.clone()).await.unwrap();
        let mut submissions = JoinSet::new();
        for number in 1..50 {
            let (store, task) = (fixture.store.clone(), task(number));
            let task = if number % 10 == 0 { again.clone() } else { task };
            submissions.spawn(async move { store.submit(task).await.unwrap().existed });
        }
        let existed = submissions.join_all().await;
        assert_eq!(existed.iter().filter(|existed| **existed).count(), 4);
        assert_eq!(fixture.store.stats().await.unwrap().pending, 46);
    });
}
