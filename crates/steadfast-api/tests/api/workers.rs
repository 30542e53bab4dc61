//! Workers that are there, wherever they are (H2, D19).

use std::time::Duration;

use serde_json::{Value, json};
use steadfast_api::{Api, NewClaim, WorkerView};
use steadfast_store::{ClaimRequest, Task, WorkerReport};

use crate::{World, world};

impl World {
    async fn workers(&self) -> Vec<WorkerView> {
        self.api.workers().await.unwrap()
    }

    async fn is_asked(&self, claim: Value) {
        let wanted: NewClaim = serde_json::from_value(claim).unwrap();
        self.api.claim(&wanted).await.unwrap();
    }
}

/// H2, D19: a worker elsewhere is there although nothing was due, with the queues that it wants.
#[tokio::test]
async fn whoever_claims_is_there() {
    let world = world().await;
    assert_eq!(world.workers().await, []);
    world.is_asked(json!({"worker": "w1", "queues": ["mail"]})).await;
    // It is noted beside the claim.
    while world.workers().await.is_empty() {}
    let workers = world.workers().await;
    assert_eq!(workers.len(), 1, "{workers:?}");
    let worker = &workers[0];
    assert_eq!((&*worker.name, worker.running, worker.silent), ("w1", 0, false));
    assert_eq!(worker.queues.as_deref().unwrap(), ["mail"]);
    assert!(worker.seen_at.is_some() && worker.instance.is_none() && worker.lease_until.is_none());
}

/// H2: who holds tasks and never speaks of itself is there, until its lease is over.
#[tokio::test]
async fn whoever_holds_a_task_is_there() {
    let world = world().await;
    world.store.submit_all(vec![Task::new("a", &1), Task::new("a", &2)]).await.unwrap();
    world.store.claim(&ClaimRequest::new("w1", 2)).await.unwrap();
    let workers = world.workers().await;
    assert_eq!((&*workers[0].name, workers[0].running, workers[0].silent), ("w1", 2, false));
    assert!(workers[0].seen_at.is_none() && workers[0].lease_until.is_some());
}

/// H2: what a worker says and what it holds are one worker.
#[tokio::test]
async fn a_worker_is_told_once() {
    let world = world().await;
    world.store.submit_all(vec![Task::new("a", &1), Task::new("a", &2)]).await.unwrap();
    let report = WorkerReport {
        name: "w1".to_owned(),
        instance: Some("host-1".to_owned()),
        seen_at: None,
        queues: None,
        concurrency: Some(100),
        running: Some(1),
    };
    world.store.report_worker(&report).await.unwrap();
    let lease = Duration::from_secs(60);
    world.store.claim(&ClaimRequest::new("w1", 2).lease(lease)).await.unwrap();
    let workers = world.workers().await;
    assert_eq!(workers.len(), 1, "{workers:?}");
    let worker = &workers[0];
    // One of the two is claimed ahead, and waits for its turn.
    assert_eq!((worker.running, worker.concurrency), (1, Some(100)));
    assert!(worker.lease_until.is_some() && !worker.silent);
}
