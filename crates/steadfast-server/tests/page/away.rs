//! A store that is away (K4).

use steadfast_store::Store;
use steadfast_testing::postgres::{Cluster, Settings};

use crate::world_on;

/// K4: whoever looks while the store is away is told so, on a page, and what next.
#[tokio::test]
async fn a_store_that_is_away_is_a_page_that_says_so() {
    let cluster = Cluster::start(Settings::default()).unwrap();
    let store = Store::open(&cluster.create_database("page").unwrap()).await.unwrap();
    let world = world_on(store, |server| server).await;
    world.get("/").await.page(200);
    drop(cluster);
    let html = world.get("/tasks").await.page(503);
    assert!(html.contains("The store is away") && html.contains("Try again"), "{html}");
}
