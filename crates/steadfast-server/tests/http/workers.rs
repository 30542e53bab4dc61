//! The worker list: embedded and over HTTP (H1, H2).

use serde_json::{Value, json};
use steadfast_testing::poll::eventually_some;

use crate::{World, world, world_of};

impl World {
    /// The workers, once it is noted that there is one.
    async fn noted_workers(&self) -> Value {
        eventually_some("a worker is listed", async || {
            let workers = self.get("/workers").await.good();
            workers[0]["seen_at"].is_string().then_some(workers)
        })
        .await
    }
}

/// H2: the embedded worker is listed before it has tasks.
#[tokio::test]
async fn idle_embedded_worker_is_listed() {
    let world = world_of(|server| server).await;
    let worker = &world.noted_workers().await[0];
    assert_eq!((&worker["running"], &worker["silent"]), (&json!(0), &json!(false)));
    assert!(worker["instance"].is_string() && worker["concurrency"] == 100, "{worker}");
}

/// H2, D19: a worker over HTTP is listed with the tasks it holds.
#[tokio::test]
async fn http_worker_is_listed_with_its_tasks() {
    let world = world().await;
    assert_eq!(world.get("/workers").await.good(), json!([]));
    world.submit(json!({"kind": "a", "payload": 1, "queue": "mail"})).await;
    let claim = json!({"worker": "w1", "queues": ["mail"]});
    world.post_json("/claims", claim).await.good();
    let worker = &world.noted_workers().await[0];
    assert_eq!(
        (&worker["name"], &worker["running"], &worker["queues"]),
        (&json!("w1"), &json!(1), &json!(["mail"]))
    );
    assert!(worker["instance"].is_null() && worker["lease_until"].is_string(), "{worker}");
}
