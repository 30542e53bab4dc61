//! The schema, brought up to date by whoever comes first (D14).

use steadfast_store::{Status, Store, StoreError};
use tokio::task::JoinSet;

use crate::harness::*;

cases![
    ten_instances_may_open_an_empty_database_together,
    a_store_that_is_opened_again_has_everything,
    a_store_of_an_earlier_version_is_brought_up_to_date,
    a_schema_from_the_future_is_refused;
    only postgres: a_store_needs_no_listener
];

/// D14: one of them makes the schema, and all of them can use it.
async fn ten_instances_may_open_an_empty_database_together(store: &Harness) {
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
async fn a_store_that_is_opened_again_has_everything(store: &Harness) {
    let scheduled = store.put(task().after(secs(60))).await;
    let failed = store.ended(Status::Failed, task().under(a_minute_apart())).await;
    let running = store.running(task()).await;
    let before = [store.show(scheduled).await, store.show(failed).await];
    let again = store.another().await;
    assert_eq!([again.show(scheduled).await, again.show(failed).await], before);
    assert_eq!(again.complete(&running).await, steadfast_store::Settled::Accepted);
}

/// D14: forward only, with everything that is in it.
async fn a_store_of_an_earlier_version_is_brought_up_to_date(store: &Harness) {
    let id = store.put(task()).await;
    store.come_from_the_past().await;
    let now = store.open().await.unwrap();
    assert_eq!(now.task(id).await.unwrap().status, Status::Pending);
    assert_eq!(now.breaker_orders().await.unwrap(), []);
}

/// D14: an old program does not touch what a newer one has written.
async fn a_schema_from_the_future_is_refused(store: &Harness) {
    store.come_from_the_future().await;
    let refused = store.open().await.unwrap_err();
    let StoreError::FromTheFuture { found, known } = refused else { panic!("{refused}") };
    assert!(found > known && known >= 1, "{found} {known}");
}

/// D11: behind a pooler there is none, and the poll finds what there is.
async fn a_store_needs_no_listener(store: &Harness) {
    let deaf = Store::open(&format!("{}?listen=off", store.url())).await.unwrap();
    let id = deaf.submit(task()).await.unwrap().id;
    assert_eq!(store.take_one().await.id, id);
}
