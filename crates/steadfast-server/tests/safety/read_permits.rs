//! Expensive reads (K4): they leave connections to workers.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use steadfast_store::Store;
use steadfast_testing::poll::eventually;
use steadfast_testing::postgres::{Cluster, Settings};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::{Answer, Tokens, World, request, say, world_on};

const JSON: &str = "Content-Type: application/json";
/// Less than the wait for a store connection.
const AT_ONCE: Duration = Duration::from_secs(3);
/// The number of concurrent expensive reads.
const READERS: u32 = 3;

async fn post(world: &World, path: &str, body: &str) -> Answer {
    let line = format!("POST /api/v1{path}");
    let answer = timeout(AT_ONCE, world.ask(&line, &[JSON], body)).await;
    answer.unwrap_or_else(|_| panic!("{path} is blocked by expensive reads"))
}

async fn claimed(world: &World) -> (String, Value) {
    post(world, "/tasks", r#"{"kind": "a", "payload": 1}"#).await;
    let claim = post(world, "/claims", r#"{"worker": "w1"}"#).await.json();
    let claim = &claim["claims"][0];
    (claim["id"].as_str().unwrap().to_owned(), claim["version"].clone())
}

/// K4: with more slow dashboards than the store has connections, workers are served at once.
#[tokio::test(flavor = "multi_thread")]
async fn expensive_reads_do_not_block_workers() {
    let cluster = Arc::new(Cluster::start(Settings::default()).unwrap());
    let sql = |statement: &str| cluster.query("reads", statement).unwrap().trim().to_owned();
    let store = Store::open(&cluster.create_database("reads").unwrap()).await.unwrap();
    let world = world_on(store, Tokens::new(), |server| server).await;
    let (id, version) = claimed(&world).await;
    let other = cluster.clone();
    let blocker = std::thread::spawn(move || {
        other.query("reads", "BEGIN; LOCK TABLE steadfast.records; SELECT pg_sleep(600)")
    });
    let sleepers = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep'";
    eventually("the table is locked", async || sql(sleepers) != "0").await;

    let mut reads = JoinSet::new();
    for hours in 1..=8 {
        let window = format!("GET /api/v1/metrics/summary?window={hours}h");
        for line in [&*window, "GET /api/v1/sessions", "GET /api/v1/events"] {
            reads.spawn(say(world.address, request(line, &["Accept: application/json"], "")));
        }
    }
    let readers = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'";
    eventually("the readers wait", async || sql(readers).parse::<u32>().unwrap() >= READERS).await;

    let beat = format!(r#"{{"version": {version}}}"#);
    for _ in 0..5 {
        assert_eq!(post(&world, "/tasks", r#"{"kind": "a", "payload": 1}"#).await.status, 201);
        let alive = post(&world, &format!("/claims/{id}/heartbeat"), &beat).await;
        assert_eq!(alive.status, 204, "{alive:?}");
    }
    let ready = timeout(AT_ONCE, world.ask("GET /readyz", &[], "")).await.unwrap();
    assert_eq!(ready.status, 200, "{ready:?}");

    sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'");
    assert!(blocker.join().unwrap().is_err());
    while let Some(answer) = reads.join_next().await {
        let answer = answer.unwrap();
        let is_retryable = answer.status == 503 && answer.header("retry-after").is_some();
        assert!(answer.status == 200 || is_retryable, "{answer:?}");
    }
}
