//! Claims: claim, heartbeat, complete, fail (D19, H1).

use std::time::Duration;

use serde_json::json;
use serde_json::value::to_raw_value;
use steadfast::{Fault, Reason};
use steadfast_api::{
    Api, AttemptFailure, ClaimView, Completion, ErrorKind, EventFilter, EventsFrom,
    HeartbeatRequest, NewClaim,
};
use steadfast_store::{FencingToken, Status, TaskId};

use crate::{World, world};

impl World {
    async fn claim(&self) -> ClaimView {
        let claim: NewClaim = serde_json::from_value(json!({"worker": "w1"})).unwrap();
        self.api.claim(&claim).await.unwrap().claims.pop().unwrap()
    }

    async fn status(&self, id: TaskId) -> Status {
        self.api.task(id).await.unwrap().status
    }
}

fn completion(fencing_token: FencingToken) -> Completion {
    Completion { fencing_token, result: to_raw_value(&json!({"sent": true})).ok() }
}

fn failure(fencing_token: FencingToken, fault: Fault) -> AttemptFailure {
    AttemptFailure::new(fencing_token, fault)
}

/// H1: a claim has the payload byte for byte, and the fencing token.
#[tokio::test]
async fn claim_has_payload_and_fencing_token() {
    let world = world().await;
    let submitted = world
        .submit(r#"{"kind": "mail", "payload": {"b": 1.50, "a": 12345678901234567890}, "policy": "calls"}"#)
        .await;
    let ClaimView { id, fencing_token, task, .. } = world.claim().await;
    assert_eq!(id, submitted.id);
    assert!(fencing_token.0 > 0);
    assert_eq!(task.payload.get(), r#"{"b": 1.50, "a": 12345678901234567890}"#);
    assert_eq!((task.kind.as_str(), task.attempt, task.max_attempts), ("mail", 1, 7));
    assert_eq!(task.idempotency_key, id.to_string());
    assert_eq!(world.status(id).await, Status::Running);
}

/// D19, K4: an empty list is an error, neither all tasks nor none.
#[tokio::test]
async fn claim_with_empty_list_is_rejected() {
    let world = world().await;
    world.submit(r#"{"kind": "mail", "payload": 1}"#).await;
    for field in ["queues", "categories", "kinds"] {
        let claim: NewClaim = serde_json::from_value(json!({"worker": "w1", field: []})).unwrap();
        let rejected = world.api.claim(&claim).await.unwrap_err();
        assert_eq!((rejected.status, rejected.field.as_deref()), (400, Some(field)));
    }
}

/// D19: a completed task has its result.
#[tokio::test]
async fn completed_claim_stores_result() {
    let world = world().await;
    let id = world.submit(r#"{"kind": "mail", "payload": 1}"#).await.id;
    let claim = world.claim().await;
    world.api.complete(id, completion(claim.fencing_token)).await.unwrap();
    let task = world.api.task(id).await.unwrap();
    assert_eq!((task.status, task.result), (Status::Completed, Some(json!({"sent": true}))));
}

/// D19: the task's policy decides on a fault, and an event records the decision (O1).
#[tokio::test]
async fn failed_claim_is_retried_by_policy() {
    let world = world().await;
    let id = world.submit(r#"{"kind": "mail", "payload": 1, "policy": "calls"}"#).await.id;
    let claim = world.claim().await;
    let response =
        world.api.fail(id, failure(claim.fencing_token, Fault::http(503))).await.unwrap();
    assert_eq!((response.status, response.reason), (Status::Scheduled, None));
    assert_eq!(response.next_delay, Some(Duration::from_secs(3600)));
    world.api.run_now(id).await.unwrap();
    let claim = world.claim().await;
    assert_eq!(claim.task.attempt, 2);
    let response =
        world.api.fail(id, failure(claim.fencing_token, Fault::http(404))).await.unwrap();
    assert_eq!((response.status, response.reason), (Status::Failed, Some(Reason::Final)));
    let filter = EventFilter { session: Some(id.to_string()), ..EventFilter::default() };
    let events = world.api.events(&filter, EventsFrom::Latest, 10).await.unwrap();
    let types: Vec<_> = events.items.iter().map(|view| view.event.event_type.name()).collect();
    assert_eq!(types, ["retry_attempt", "retry_failure"]);
}

/// H1, D4: a request with a stale fencing token gets a 409 with advice, and changes nothing.
#[tokio::test]
async fn request_with_stale_fencing_token_is_rejected() {
    let world = world().await;
    let id = world.submit(r#"{"kind": "mail", "payload": 1}"#).await.id;
    let claim = world.claim().await;
    let heartbeat =
        |fencing_token| HeartbeatRequest { fencing_token, lease: Duration::from_secs(60) };
    world.api.heartbeat(id, heartbeat(claim.fencing_token)).await.unwrap();
    world.api.cancel(id).await.unwrap();
    let rejections = [
        world.api.heartbeat(id, heartbeat(claim.fencing_token)).await.unwrap_err(),
        world.api.complete(id, completion(claim.fencing_token)).await.unwrap_err(),
        world.api.fail(id, failure(claim.fencing_token, Fault::http(503))).await.unwrap_err(),
    ];
    for rejection in rejections {
        assert_eq!((rejection.status, rejection.field.as_deref()), (409, Some("fencing_token")));
        assert!(rejection.next.is_some());
    }
    assert_eq!(world.status(id).await, Status::Cancelled);
    let unknown = world.api.complete(TaskId::fresh(), completion(FencingToken(99))).await;
    assert_eq!(unknown.unwrap_err().kind, ErrorKind::NotFound);
}

/// K4: an invalid claim is rejected with its field.
#[tokio::test]
async fn invalid_claim_is_rejected_with_field() {
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
