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

/// D14: one of them makes the schema, and all of them can use it.
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

/// D14: bringing up to date what is up to date changes nothing.
async fn reopened_store_has_all_tasks(store: &Harness) {
    let scheduled = store.put(task().after(secs(60))).await;
    let failed = store.ended(Status::Failed, task().under(a_minute_apart())).await;
    let running = store.running(task()).await;
    let before = [store.show(scheduled).await, store.show(failed).await];
    let again = store.another().await;
    assert_eq!([again.show(scheduled).await, again.show(failed).await], before);
    assert_eq!(again.complete(&running).await, steadfast_store::Settled::Accepted);
}

/// D14: forward only, with everything that is in it.
async fn older_schema_is_migrated(store: &Harness) {
    store.ended(Status::Completed, task()).await;
    let id = store.put(task()).await;
    store.come_from_the_past().await;
    let now = store.open().await.unwrap();
    assert_eq!(now.task(id).await.unwrap().status, Status::Pending);
    assert_eq!(now.stats().await.unwrap().completed, 1);
    assert_eq!(now.breaker_overrides().await.unwrap(), []);
}

/// D5, D14: what has no kind in its line is found by its kind all the same, and in its turn.
async fn pending_tasks_before_kinds_are_claimed_by_kind(store: &Harness) {
    let mut before = Vec::new();
    for kind in ["send", "print", "send"] {
        before.push(store.put(Task::new(kind, &()).category("a")).await);
    }
    let later = store.put(Task::new("print", &()).after(secs(60))).await;
    store.come_from_before_kinds().await;
    let store = store.another().await;
    let after = store.put(Task::new("print", &()).category("a")).await;
    store.make_due(later).await;
    store.promote_until(1).await;
    let prints = |limit| ClaimRequest::new("w1", limit).kinds(["print"]);
    assert_eq!(store.claimed(&prints(1)).await, [before[1]]);
    assert_eq!(store.claimed(&prints(9)).await, [later, after]);
    assert_eq!(store.claimed(&ClaimRequest::new("w1", 9)).await, [before[0], before[2]]);
}

/// D14, O1: a store of the second version has ends, and no sums of them.
async fn tasks_ended_before_rollups_are_aggregated(store: &Harness) {
    store.ended(Status::Completed, task()).await;
    store.age_ended(secs(3600)).await;
    store.ended(Status::Failed, task()).await;
    store.age_ended(secs(600)).await;
    store.come_from_before_sums().await;
    let migrated = store.another().await;
    migrated.sum_up_all().await;
    // What was counted is there without the tasks.
    migrated.forget_ended().await;
    let now = migrated.now().await.unwrap();
    let sums = migrated.rollups(now - secs(7200), now).await.unwrap();
    assert_eq!(sums.iter().map(|sum| sum.sessions).sum::<u64>(), 2);
}

/// D14: an old program does not touch what a newer one has written.
async fn newer_schema_is_rejected(store: &Harness) {
    store.come_from_the_future().await;
    let refused = store.open().await.unwrap_err();
    let StoreError::NewerSchema { found, known } = refused else { panic!("{refused}") };
    assert!(found > known && known >= 1, "{found} {known}");
}

/// D14: whoever migrates is told what there was to do, and a second time there is nothing.
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

/// D14: what a store looks like from outside, and that looking makes none.
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
            // A file that nobody has made is not made by looking.
            Err(StoreError::Url { problem, .. }) => assert_eq!(problem, "there is no such file"),
            Err(other) => panic!("{other}"),
        }
    }
    Store::open(&url).await.unwrap();
}

/// D14: what a migration would do is known before it is done.
async fn inspection_of_an_older_schema_counts_missing_migrations(store: &Harness) {
    store.come_from_the_past().await;
    let found = inspect(&store.url()).await.unwrap();
    assert_eq!(found.applied + found.pending(), found.known);
    assert!(found.applied >= 1 && found.pending() >= 1, "{found:?}");
    let done = migrate(&store.url()).await.unwrap();
    assert_eq!((done.from, done.to), (found.applied, found.known));
}

/// D14: what cannot be opened can be looked at, by whoever has to mend it.
async fn inspection_of_a_newer_schema_succeeds(store: &Harness) {
    store.come_from_the_future().await;
    let found = inspect(&store.url()).await.unwrap();
    assert!(found.is_newer() && found.pending() == 0, "{found:?}");
    assert!(matches!(migrate(&store.url()).await, Err(StoreError::NewerSchema { .. })));
}

/// D11: behind a pooler there is none, and the poll finds what there is.
async fn store_works_without_a_listener(store: &Harness) {
    let deaf = Store::open(&format!("{}?listen=off", store.url())).await.unwrap();
    let id = deaf.submit(task()).await.unwrap().id;
    assert_eq!(store.take_one().await.id, id);
}
