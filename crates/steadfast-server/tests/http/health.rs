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
    let refused = ready().await.problem(503);
    assert_eq!(refused["type"], "urn:steadfast:unreachable");
    assert!(refused["detail"].as_str().unwrap().contains("the store did not answer"));
    world.send(world.request(Method::GET, "/healthz")).await.good();

    cluster.resume().unwrap();
    while ready().await.status != 200 {}
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
