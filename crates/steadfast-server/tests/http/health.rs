//! Liveness and readiness (H1).

use serde_json::json;
use steadfast_server::{ServeError, Server};
use steadfast_store::Store;

use steadfast_testing::poll::eventually;
use steadfast_testing::postgres::{Cluster, Settings};

use crate::{Method, world, world_on};

/// H1: alive, and ready because the store responds.
#[tokio::test]
async fn server_with_responsive_store_is_alive_and_ready() {
    let world = world().await;
    let alive = world.send(world.request(Method::GET, "/healthz")).await.good();
    assert_eq!(alive, json!({"status": "alive"}));
    let ready = world.send(world.request(Method::GET, "/readyz")).await.good();
    assert_eq!(ready, json!({"status": "ready"}));
}

/// H1, K4: with an unreachable store the server is alive and not ready, and recovers without a restart.
#[tokio::test]
async fn server_with_unreachable_store_is_alive_and_not_ready() {
    let cluster = Cluster::start(Settings::default()).unwrap();
    let store = Store::open(&cluster.create_database("away").unwrap()).await.unwrap();
    let world = world_on(store, Server::without_worker).await;
    let ready = || world.send(world.request(Method::GET, "/readyz"));
    ready().await.good();

    cluster.pause().unwrap();
    let rejected = loop {
        // A check is cached for a second.
        let answered = ready().await;
        if answered.status != 200 {
            break answered.problem(503);
        }
    };
    assert_eq!(rejected["type"], "urn:steadfast:unreachable");
    assert_eq!(rejected["detail"], "the store did not respond within 2 seconds");
    world.send(world.request(Method::GET, "/healthz")).await.good();

    cluster.resume().unwrap();
    eventually("the server is ready again", async || ready().await.status == 200).await;
}

/// K1, K4, O5: the name, address and messages of the store are not in the response.
#[tokio::test]
async fn readiness_error_omits_store_details() {
    let cluster = Cluster::start(Settings::default()).unwrap();
    let url = cluster.create_database("secretive").unwrap();
    let world = world_on(Store::open(&url).await.unwrap(), Server::without_worker).await;
    drop(cluster);
    for path in ["/readyz", "/api/v1/tasks", "/api/v1/stats"] {
        let rejected = loop {
            let answered = world.send(world.request(Method::GET, path)).await;
            if answered.status != 200 {
                break answered.problem(503).to_string();
            }
        };
        for part in ["secretive", "127.0.0.1", "/tmp", "postgres", "os error"] {
            assert!(!rejected.contains(part), "{part}: {rejected}");
        }
    }
}

/// K4: concurrent checks query the store once a second.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn concurrent_readiness_checks_share_one_query() {
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
    assert!(began.elapsed() < std::time::Duration::from_secs(10), "checks are not shared");
}

/// K1: a server without authentication listens on loopback only.
#[tokio::test]
async fn public_address_without_tokens_is_rejected() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let public = Server::new(store).listen("0.0.0.0:0".parse().unwrap());
    let rejected = public.bind().await.unwrap_err();
    assert!(
        matches!(rejected, ServeError::Public(_)) && rejected.to_string().contains("127.0.0.1")
    );
}

/// H1: an address in use is reported with advice.
#[tokio::test]
async fn address_in_use_is_reported() {
    let world = world().await;
    let address = world.url.strip_prefix("http://").unwrap().parse().unwrap();
    let second = Server::new(world.store.clone()).listen(address).without_worker().bind().await;
    let message = second.unwrap_err().to_string();
    assert!(
        message.contains(&address.to_string()) && message.contains("choose another"),
        "{message}"
    );
}
