//! Workers in any language: claim, heartbeat, complete, fail (D19, H1).

use std::time::Duration;

use serde_json::json;
use serde_json::value::to_raw_value;
use steadfast::{Fault, Reason};
use steadfast_api::{
    Api, AttemptFailure, ClaimView, Completion, EventFilter, EventsFrom, HeartbeatRequest, NewClaim,
};
use steadfast_store::{FencingToken, Status, TaskId};

use crate::{World, world};

impl World {
    async fn claim(&self) -> ClaimView {
        let wanted: NewClaim = serde_json::from_value(json!({"worker": "w1"})).unwrap();
        self.api.claim(&wanted).await.unwrap().claims.pop().unwrap()
    }

    async fn status(&self, id: TaskId) -> Status {
        self.api.task(id).await.unwrap().status
    }
}

fn done(version: FencingToken) -> Completion {
    Completion { version, result: to_raw_value(&json!({"sent": true})).ok() }
}

fn failed(version: FencingToken, fault: Fault) -> AttemptFailure {
    AttemptFailure { version, fault, key_in_use: false }
}

/// H1: a claim says what is to be done, digit by digit, and under which version.
#[tokio::test]
async fn a_claim_has_what_a_worker_needs() {
    let world = world().await;
    let submitted = world
        .submit(r#"{"kind": "mail", "payload": {"b": 1.50, "a": 12345678901234567890}, "policy": "calls"}"#)
        .await;
    let ClaimView { id, version, task } = world.claim().await;
    assert_eq!(id, submitted.id);
    assert!(version.0 > 0);
    assert_eq!(task.payload.get(), r#"{"b": 1.50, "a": 12345678901234567890}"#);
    assert_eq!((task.kind.as_str(), task.attempt, task.max_attempts), ("mail", 1, 7));
    assert_eq!(task.idempotency_key, id.to_string());
    assert_eq!(world.status(id).await, Status::Running);
}

/// D19, K4: a list that is empty by mistake gives a worker neither everybody's work nor none.
#[tokio::test]
async fn a_claim_from_no_queue_is_refused() {
    let world = world().await;
    world.submit(r#"{"kind": "mail", "payload": 1}"#).await;
    for field in ["queues", "categories", "kinds"] {
        let wanted: NewClaim = serde_json::from_value(json!({"worker": "w1", field: []})).unwrap();
        let refused = world.api.claim(&wanted).await.unwrap_err();
        assert_eq!((refused.status, refused.field.as_deref()), (400, Some(field)));
    }
}

/// D19: what a worker has done is done, with its result.
#[tokio::test]
async fn a_task_is_completed_from_elsewhere() {
    let world = world().await;
    let id = world.submit(r#"{"kind": "mail", "payload": 1}"#).await.id;
    let claim = world.claim().await;
    world.api.complete(id, done(claim.version)).await.unwrap();
    let task = world.api.task(id).await.unwrap();
    assert_eq!((task.status, task.result), (Status::Completed, Some(json!({"sent": true}))));
}

/// D19: facts go in, and the task's policy says what follows; the event tells of it (O1).
#[tokio::test]
async fn a_failure_is_judged_here() {
    let world = world().await;
    let id = world.submit(r#"{"kind": "mail", "payload": 1, "policy": "calls"}"#).await.id;
    let claim = world.claim().await;
    let follows = world.api.fail(id, failed(claim.version, Fault::http(503))).await.unwrap();
    assert_eq!((follows.status, follows.reason), (Status::Scheduled, None));
    assert_eq!(follows.next_delay, Some(Duration::from_secs(3600)));
    world.api.run_now(id).await.unwrap();
    let claim = world.claim().await;
    assert_eq!(claim.task.attempt, 2);
    let follows = world.api.fail(id, failed(claim.version, Fault::http(404))).await.unwrap();
    assert_eq!((follows.status, follows.reason), (Status::Failed, Some(Reason::Final)));
    let filter = EventFilter { session: Some(id.to_string()), ..EventFilter::default() };
    let events = world.api.events(&filter, EventsFrom::Latest, 10).await.unwrap();
    let types: Vec<_> = events.items.iter().map(|view| view.event.event_type.name()).collect();
    assert_eq!(types, ["retry_attempt", "retry_failure"]);
}

/// H1, D4: every word under a stale version gets a 409 that says what to do, and changes nothing.
#[tokio::test]
async fn a_stale_version_is_refused() {
    let world = world().await;
    let id = world.submit(r#"{"kind": "mail", "payload": 1}"#).await.id;
    let claim = world.claim().await;
    let sign = |version| HeartbeatRequest { version, lease: Duration::from_secs(60) };
    world.api.heartbeat(id, sign(claim.version)).await.unwrap();
    world.api.cancel(id).await.unwrap();
    let refusals = [
        world.api.heartbeat(id, sign(claim.version)).await.unwrap_err(),
        world.api.complete(id, done(claim.version)).await.unwrap_err(),
        world.api.fail(id, failed(claim.version, Fault::http(503))).await.unwrap_err(),
        world.api.complete(TaskId::fresh(), done(FencingToken(99))).await.unwrap_err(),
    ];
    for refusal in refusals {
        assert_eq!((refusal.status, refusal.field.as_deref()), (409, Some("version")));
        assert!(refusal.next.is_some());
    }
    assert_eq!(world.status(id).await, Status::Cancelled);
}

/// K4: a claim that makes no sense is refused by its field.
#[tokio::test]
async fn a_claim_that_makes_no_sense_is_refused() {
    let world = world().await;
    for (claim, field) in [
        (json!({"worker": ""}), "worker"),
        (json!({"worker": "w", "limit": 0}), "limit"),
        (json!({"worker": "w", "limit": 100_000}), "limit"),
        (json!({"worker": "w", "lease": "10ms"}), "lease"),
        (json!({"worker": "w", "queues": ["\0"]}), "queue"),
    ] {
        let claim: NewClaim = serde_json::from_value(claim).unwrap();
        let error = world.api.claim(&claim).await.unwrap_err();
        assert_eq!((error.status, error.field.as_deref()), (400, Some(field)));
    }
}
