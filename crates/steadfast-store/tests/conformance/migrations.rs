//! Schema migrations (D14).

use steadfast_store::{ClaimRequest, Status, Store, StoreError, Task, inspect, migrate};
use tokio::task::JoinSet;

use crate::harness::*;

cases![
    ten_instances_open_an_empty_database_together,
    reopened_store_has_all_tasks,
    older_schema_is_migrated,
    tasks_ended_before_rollups_are_aggregated,
    pending_tasks_before_kinds_are_claimed_by_kind,
    newer_schema_is_rejected,
    empty_database_is_migrated_once,
    inspection_changes_nothing,
    inspection_of_an_older_schema_counts_missing_migrations,
    inspection_of_a_newer_schema_succeeds;
    only postgres: store_works_without_a_listener
];

/// D14: one of them creates the schema, and all of them can use it.
async fn ten_instances_open_an_empty_database_together(store: &Harness) {
    let url = store.empty_database().await;
    let mut opening = JoinSet::new();
    for _ in 0..10 {
        let url = url.clone();
        opening.spawn(async move { Store::open(&url).await.unwrap() });
    }
    let stores = opening.join_all().await;
    for store in &stores {
        store.submit(task()).await.unwrap();
    }
    assert_eq!(stores[0].stats().await.unwrap().pending, 10);
}

/// D14: migrating a current schema changes nothing.
async fn reopened_store_has_all_tasks(store: &Harness) {
    let scheduled = store.put(task().after(secs(60))).await;
    let failed = store.ended(Status::Failed, task().under(a_minute_apart())).await;
    let running = store.running(task()).await;
    let before = [store.show(scheduled).await, store.show(failed).await];
    let again = store.another().await;
    assert_eq!([again.show(scheduled).await, again.show(failed).await], before);
    assert_eq!(again.complete(&running).await, steadfast_store::Settled::Accepted);
}

/// D14: forward only, with all its data.
async fn older_schema_is_migrated(store: &Harness) {
    store.ended(Status::Completed, task()).await;
    let id = store.put(task()).await;
    store.downgrade_to_first_schema().await;
    let now = store.open().await.unwrap();
    assert_eq!(now.task(id).await.unwrap().status, Status::Pending);
    assert_eq!(now.stats().await.unwrap().completed, 1);
    assert_eq!(now.breaker_overrides().await.unwrap(), []);
}

/// D5, D14: pending tasks without a kind in their index are found by kind, in claim order.
async fn pending_tasks_before_kinds_are_claimed_by_kind(store: &Harness) {
    let mut before = Vec::new();
    for kind in ["send", "print", "send"] {
        before.push(store.put(Task::new(kind, &()).category("a")).await);
    }
    let later = store.put(Task::new("print", &()).after(secs(60))).await;
    store.downgrade_before_kinds().await;
    let store = store.another().await;
    let after = store.put(Task::new("print", &()).category("a")).await;
    store.make_due(later).await;
    store.promote_until(1).await;
    let prints = |limit| ClaimRequest::new("w1", limit).kinds(["print"]);
    assert_eq!(store.claimed(&prints(1)).await, [before[1]]);
    assert_eq!(store.claimed(&prints(9)).await, [later, after]);
    assert_eq!(store.claimed(&ClaimRequest::new("w1", 9)).await, [before[0], before[2]]);
}

/// D14, O1: a store of the second version has finished tasks, but no rollups.
async fn tasks_ended_before_rollups_are_aggregated(store: &Harness) {
    store.ended(Status::Completed, task()).await;
    store.age_ended(secs(3600)).await;
    store.ended(Status::Failed, task()).await;
    store.age_ended(secs(600)).await;
    store.downgrade_before_rollups().await;
    let migrated = store.another().await;
    migrated.rollup_all().await;
    // Rollups remain without their tasks.
    migrated.prune_ended().await;
    let now = migrated.now().await.unwrap();
    let rollups = migrated.rollups(now - secs(7200), now).await.unwrap();
    assert_eq!(rollups.iter().map(|sum| sum.sessions).sum::<u64>(), 2);
}

/// D14: an old program does not change the data of a newer one.
async fn newer_schema_is_rejected(store: &Harness) {
    store.mark_schema_as_newer().await;
    let rejected = store.open().await.unwrap_err();
    let StoreError::NewerSchema { found, known } = rejected else { panic!("{rejected}") };
    assert!(found > known && known >= 1, "{found} {known}");
}

/// D14: a migration reports the versions before and after, and a second one does nothing.
async fn empty_database_is_migrated_once(store: &Harness) {
    let url = store.empty_database().await;
    let first = migrate(&url).await.unwrap();
    assert_eq!(first.from, 0);
    assert!(first.to >= 1);
    let again = migrate(&url).await.unwrap();
    assert_eq!((again.from, again.to), (first.to, first.to));
    let opened = Store::open(&url).await.unwrap();
    opened.submit(task()).await.unwrap();
}

/// D14: an inspection describes a store from outside, and creates none.
async fn inspection_changes_nothing(store: &Harness) {
    store.put_many(3).await;
    let found = inspect(&store.url()).await.unwrap();
    assert_eq!((found.applied, found.pending()), (found.known, 0));
    assert!(found.known >= 1 && found.bytes > 0 && !found.version.is_empty(), "{found:?}");
    let rows = |name: &str| found.tables.iter().find(|table| table.name == name).unwrap().rows;
    assert_eq!((rows("tasks"), rows("ready"), rows("ended")), (3, 3, 0));

    let url = store.empty_database().await;
    for _ in 0..2 {
        match inspect(&url).await {
            Ok(empty) => {
                assert_eq!((empty.applied, empty.pending()), (0, empty.known));
                assert_eq!(empty.tables, []);
            }
            // An inspection does not create a missing file.
            Err(StoreError::Url { problem, .. }) => assert_eq!(problem, "there is no such file"),
            Err(other) => panic!("{other}"),
        }
    }
    Store::open(&url).await.unwrap();
}

/// D14: the effect of a migration is known before it runs.
async fn inspection_of_an_older_schema_counts_missing_migrations(store: &Harness) {
    store.downgrade_to_first_schema().await;
    let found = inspect(&store.url()).await.unwrap();
    assert_eq!(found.applied + found.pending(), found.known);
    assert!(found.applied >= 1 && found.pending() >= 1, "{found:?}");
    let done = migrate(&store.url()).await.unwrap();
    assert_eq!((done.from, done.to), (found.applied, found.known));
}

/// D14: a schema that cannot be opened can be inspected for repair.
async fn inspection_of_a_newer_schema_succeeds(store: &Harness) {
    store.mark_schema_as_newer().await;
    let found = inspect(&store.url()).await.unwrap();
    assert!(found.is_newer() && found.pending() == 0, "{found:?}");
    assert!(matches!(migrate(&store.url()).await, Err(StoreError::NewerSchema { .. })));
}

/// D11: through a pooler there is no listener, and polling finds the tasks.
async fn store_works_without_a_listener(store: &Harness) {
    let without_listener = Store::open(&format!("{}?listen=off", store.url())).await.unwrap();
    let id = without_listener.submit(task()).await.unwrap().id;
    assert_eq!(store.claim_one().await.id, id);
}
