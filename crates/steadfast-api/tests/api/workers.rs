//! Workers, in this project and over HTTP (H2, D19).

use std::time::Duration;

use serde_json::{Value, json};
use steadfast_api::{Api, NewClaim, WorkerView};
use steadfast_store::{ClaimRequest, Task, WorkerReport};
use steadfast_testing::poll::eventually;

use crate::{World, world};

impl World {
    async fn workers(&self) -> Vec<WorkerView> {
        self.api.workers().await.unwrap()
    }

    async fn claim_as(&self, claim: Value) {
        let claim: NewClaim = serde_json::from_value(claim).unwrap();
        self.api.claim(&claim).await.unwrap();
    }
}

/// H2, D19: a worker that claims is listed with its queues, although nothing was due.
#[tokio::test]
async fn claiming_worker_is_listed() {
    let world = world().await;
    assert_eq!(world.workers().await, []);
    world.claim_as(json!({"worker": "w1", "queues": ["mail"]})).await;
    // The report is written in the background.
    eventually("the worker is listed", async || !world.workers().await.is_empty()).await;
    let workers = world.workers().await;
    assert_eq!(workers.len(), 1, "{workers:?}");
    let worker = &workers[0];
    assert_eq!((&*worker.name, worker.running, worker.silent), ("w1", 0, false));
    assert_eq!(worker.queues.as_deref().unwrap(), ["mail"]);
    assert!(worker.seen_at.is_some() && worker.instance.is_none() && worker.lease_until.is_none());
}

/// H2: a worker without a report is listed while it has a lease.
#[tokio::test]
async fn worker_with_lease_is_listed() {
    let world = world().await;
    world.store.submit_all(vec![Task::new("a", &1), Task::new("a", &2)]).await.unwrap();
    world.store.claim(&ClaimRequest::new("w1", 2)).await.unwrap();
    let workers = world.workers().await;
    assert_eq!((&*workers[0].name, workers[0].running, workers[0].silent), ("w1", 2, false));
    assert!(workers[0].seen_at.is_none() && workers[0].lease_until.is_some());
}

/// H2: the report and the leases of a worker are one entry.
#[tokio::test]
async fn worker_with_report_and_lease_is_listed_once() {
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
    // The report counts one running task; the other is prefetched.
    assert_eq!((worker.running, worker.concurrency), (1, Some(100)));
    assert!(worker.lease_until.is_some() && !worker.silent);
}
