//! Alive and ready (H1).

use serde_json::json;
use steadfast_server::{ServeError, Server};
use steadfast_store::Store;

use steadfast_testing::postgres::{Cluster, Settings};

use crate::{Method, world, world_on};

/// H1: alive, and ready because the store answers.
#[tokio::test]
async fn a_server_is_alive_and_ready() {
    let world = world().await;
    let alive = world.send(world.request(Method::GET, "/healthz")).await.good();
    assert_eq!(alive, json!({"status": "alive"}));
    let ready = world.send(world.request(Method::GET, "/readyz")).await.good();
    assert_eq!(ready, json!({"status": "ready"}));
}

/// H1, K4: while the store does not answer the server is alive and not ready, and says why; when
/// the store is back it is ready again, without a restart.
#[tokio::test]
async fn a_server_whose_store_is_away_is_not_ready() {
    let cluster = Cluster::start(Settings::default()).unwrap();
    let store = Store::open(&cluster.create_database("away").unwrap()).await.unwrap();
    let world = world_on(store, Server::without_worker).await;
    let ready = || world.send(world.request(Method::GET, "/readyz"));
    ready().await.good();

    cluster.pause().unwrap();
    let refused = loop {
        // A look is good for a second.
        let answered = ready().await;
        if answered.status != 200 {
            break answered.problem(503);
        }
    };
    assert_eq!(refused["type"], "urn:steadfast:unreachable");
    assert_eq!(refused["detail"], "the store did not answer within 2 seconds");
    world.send(world.request(Method::GET, "/healthz")).await.good();

    cluster.resume().unwrap();
    while ready().await.status != 200 {}
}

/// K1, K4, O5: what the store is called, where it is and what it said is for whoever runs it.
#[tokio::test]
async fn a_store_that_is_away_is_told_without_names() {
    let cluster = Cluster::start(Settings::default()).unwrap();
    let url = cluster.create_database("secretive").unwrap();
    let world = world_on(Store::open(&url).await.unwrap(), Server::without_worker).await;
    drop(cluster);
    for path in ["/readyz", "/api/v1/tasks", "/api/v1/stats"] {
        let refused = loop {
            let answered = world.send(world.request(Method::GET, path)).await;
            if answered.status != 200 {
                break answered.problem(503).to_string();
            }
        };
        for part in ["secretive", "127.0.0.1", "/tmp", "postgres", "os error"] {
            assert!(!refused.contains(part), "{part}: {refused}");
        }
    }
}

/// K4: however many ask, the store is asked once a second.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn readiness_is_looked_at_once_for_all() {
    let cluster = Cluster::start(Settings::default()).unwrap();
    let store = Store::open(&cluster.create_database("shared").unwrap()).await.unwrap();
    let world = world_on(store, Server::without_worker).await;
    cluster.pause().unwrap();
    let began = std::time::Instant::now();
    let many = (0..50).map(|_| world.send(world.request(Method::GET, "/readyz")));
    for answered in futures_util::future::join_all(many).await {
        answered.problem(503);
    }
    cluster.resume().unwrap();
    assert!(began.elapsed() < std::time::Duration::from_secs(10), "each waited for its own look");
}

/// K1: nobody but this machine can reach a server that asks nobody who they are.
#[tokio::test]
async fn a_public_address_is_refused() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let public = Server::new(store).listen("0.0.0.0:0".parse().unwrap());
    let refused = public.bind().await.unwrap_err();
    assert!(matches!(refused, ServeError::Public(_)) && refused.to_string().contains("127.0.0.1"));
}

/// H1: an address that is taken is told with what to do.
#[tokio::test]
async fn an_address_that_is_taken_is_told() {
    let world = world().await;
    let address = world.url.strip_prefix("http://").unwrap().parse().unwrap();
    let second = Server::new(world.store.clone()).listen(address).without_worker().bind().await;
    let told = second.unwrap_err().to_string();
    assert!(told.contains(&address.to_string()) && told.contains("choose another"), "{told}");
}
