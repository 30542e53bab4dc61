//! Who works, beside the server and over HTTP (H1, H2).

use serde_json::{Value, json};

use crate::{World, world, world_of};

impl World {
    /// The workers, once it is noted that there is one.
    async fn noted_workers(&self) -> Value {
        loop {
            let workers = self.get("/workers").await.good();
            if workers[0]["seen_at"].is_string() {
                return workers;
            }
        }
    }
}

/// H2: the worker beside the server is there before it has anything to do.
#[tokio::test]
async fn the_worker_beside_the_server_is_told() {
    let world = world_of(|server| server).await;
    let worker = &world.noted_workers().await[0];
    assert_eq!((&worker["running"], &worker["silent"]), (&json!(0), &json!(false)));
    assert!(worker["instance"].is_string() && worker["concurrency"] == 100, "{worker}");
}

/// H2, D19: whoever claims over HTTP is there, and what it holds is told.
#[tokio::test]
async fn a_worker_over_http_is_told() {
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
