//! Submits (H1, D9).

use std::time::Duration;

use serde_json::json;
use steadfast_api::{Api, ErrorKind, Local, NewTask, PolicyChoice};
use steadfast_store::{Actor, ClaimRequest, MAX_PAYLOAD, Status};

use crate::{new, world};

/// H1: every field of a submit is stored.
#[tokio::test]
async fn submitted_task_has_all_fields() {
    let world = world().await;
    let task = world
        .submit(
            r#"{"kind": "http", "payload": {"url": "https://a.example/"}, "queue": "mail",
                "category": "c1", "priority": 3, "policy": "calls", "run_at": "2h",
                "expires_at": "2099-01-01T00:00:00Z", "idempotency_key": "k1",
                "correlation_id": "r1", "hold_category": true}"#,
        )
        .await;
    assert_eq!((task.kind.as_str(), task.queue.as_str()), ("http", "mail"));
    assert_eq!((task.category.as_deref(), task.priority), (Some("c1"), 3));
    assert_eq!((task.policy.as_ref().unwrap().id(), task.max_attempts), (Some("calls"), 7));
    assert_eq!(task.status, Status::Scheduled);
    assert_eq!(task.scheduled_at.duration_since(task.submitted_at).as_hours(), 2);
    assert_eq!(task.expires_at.unwrap().to_string(), "2099-01-01T00:00:00Z");
    assert_eq!(task.idempotency_key.as_deref(), Some("k1"));
    assert_eq!(task.correlation_id.as_deref(), Some("r1"));
    assert!(task.hold_category);
}

/// H1: only `kind` and `payload` are required.
#[tokio::test]
async fn submit_requires_only_kind_and_payload() {
    let world = world().await;
    let task = world.submit(r#"{"kind": "http", "payload": null}"#).await;
    assert_eq!(
        (task.queue.as_str(), task.policy.as_ref().unwrap().id()),
        ("default", Some("default"))
    );
    for (json, missing) in [(r#"{"kind": "http"}"#, "payload"), (r#"{"payload": 1}"#, "kind")] {
        let rejected = NewTask::from_json(json).unwrap_err();
        assert!(rejected.detail.contains(&format!("missing field `{missing}`")), "{rejected}");
    }
}

/// H1: the digits and the field order of a payload are kept.
#[tokio::test]
async fn payload_is_stored_byte_for_byte() {
    let world = world().await;
    let payload = r#"{"z": 1.10, "a": 12345678901234567890123, "m": [1e2]}"#;
    world.submit(&format!(r#"{{"kind": "k", "payload": {payload}}}"#)).await;
    let request = ClaimRequest::new("w", 1).queue("default");
    let claims = world.store.claim(&request).await.unwrap();
    assert_eq!(claims.tasks[0].payload, payload);
}

/// F2, K4: an unknown field is rejected with its path and the nearest name.
#[test]
fn unknown_field_is_rejected_with_near_miss() {
    let rejected = NewTask::from_json(r#"{"kind": "k", "payload": 1, "priorty": 2}"#).unwrap_err();
    assert_eq!(rejected.status, 400);
    assert_eq!(rejected.next.as_deref(), Some("did you mean `priority`?"));
    let json = r#"{"kind": "k", "payload": 1, "first_fault": {"sqlstat": "08006"}}"#;
    let rejected = NewTask::from_json(json).unwrap_err();
    assert_eq!(rejected.field.as_deref(), Some("first_fault.sqlstat"));
    assert_eq!(rejected.next.as_deref(), Some("did you mean `sqlstate`?"));
}

/// K4: an invalid type, time or name is rejected with its field and the valid values.
#[test]
fn invalid_value_is_rejected_with_field() {
    for (json, field, message) in [
        (
            r#"{"kind": "k", "payload": 1, "priority": 99999}"#,
            Some("priority"),
            "from -32768 to 32767",
        ),
        (r#"{"kind": "k", "payload": 1, "run_at": "soon"}"#, Some("run_at"), "is not a time"),
        (r#"{"kind": "k", "payload": 1, "policy": 4}"#, Some("policy"), "name of a policy"),
        (r#"{"kind": "k", "payload": {}"#, None, "EOF"),
        (r#"{"kind": "k", "payload": 1} {}"#, None, "trailing"),
        ("", None, "EOF"),
    ] {
        let rejected = NewTask::from_json(json).unwrap_err();
        assert_eq!(
            (rejected.kind, rejected.field.as_deref()),
            (ErrorKind::Invalid, field),
            "{json}"
        );
        assert!(rejected.detail.contains(message), "{rejected}");
    }
}

/// P1: an inline policy has the fields of a policy file.
#[tokio::test]
async fn inline_policy_is_accepted() {
    let world = world().await;
    let task = world
        .submit(r#"{"kind": "k", "payload": 1, "policy": {"max_retries": 4, "base_delay": "2s"}}"#)
        .await;
    assert_eq!(task.max_attempts, 5);
    assert_eq!(task.policy.as_ref().unwrap().plan().nth(1).unwrap().delay, Duration::from_secs(2));

    let wrong = r#"{"kind": "k", "payload": 1, "policy": {"max_attemps": 4}}"#;
    let rejected = NewTask::from_json(wrong).unwrap_err();
    assert!(rejected.detail.contains("did you mean `max_attempts`?"), "{rejected}");
    let wrong = r#"{"kind": "k", "payload": 1, "policy": {"max_attempts": 0}}"#;
    assert!(NewTask::from_json(wrong).unwrap_err().detail.contains("max_attempts"));
}

/// F6: a policy name is resolved as in a program, but an unknown name is rejected.
#[tokio::test]
async fn unknown_policy_is_rejected_with_near_miss() {
    let world = world().await;
    let task = |policy| new(&format!(r#"{{"kind": "k", "payload": 1, "policy": "{policy}"}}"#));
    for (name, attempts) in [("shop.checkout.timeout", 7), ("patient", 9), ("default", 3)] {
        let submitted = world.api.submit(task(name)).await.unwrap();
        assert_eq!(submitted.task.max_attempts, attempts, "{name}");
    }
    let rejected = world.api.submit(task("cals")).await.unwrap_err();
    assert_eq!((rejected.status, rejected.field.as_deref()), (400, Some("policy")));
    assert_eq!(rejected.next.as_deref(), Some("did you mean `calls`?"));
    assert!(world.api.submit(task("unknown")).await.unwrap_err().next.is_some());

    let without_file = Local::new(world.store, Actor::new("ada"));
    assert!(without_file.submit(task("patient")).await.is_ok());
    assert_eq!(without_file.submit(task("calls")).await.unwrap_err().status, 400);
}

/// D9: a key identifies one task, and different work with the same key is rejected.
#[tokio::test]
async fn idempotency_key_identifies_one_task() {
    let world = world().await;
    let json = r#"{"kind": "k", "payload": 1, "idempotency_key": "k1"}"#;
    let first = world.api.submit(new(json)).await.unwrap();
    let again = world.api.submit(new(json)).await.unwrap();
    assert_eq!((first.existed, again.existed), (false, true));
    assert_eq!(first.task.id, again.task.id);
    let other = new(r#"{"kind": "k", "payload": 2, "idempotency_key": "k1"}"#);
    let rejected = world.api.submit(other).await.unwrap_err();
    assert_eq!((rejected.kind, rejected.status), (ErrorKind::KeyTaken, 422));
    assert!(rejected.detail.contains(&first.task.id.to_string()), "{rejected}");
}

/// D9: a task with a first fault is scheduled for its retry.
#[tokio::test]
async fn first_fault_counts_as_first_attempt() {
    let world = world().await;
    let json = r#"{"kind": "k", "payload": 1, "policy": "calls",
                   "first_fault": {"http_status": 503, "message": "down"}}"#;
    let task = world.submit(json).await;
    assert_eq!((task.status, task.attempts), (Status::Scheduled, 1));
    let fault = &task.faults.unwrap()[0];
    assert_eq!((fault.attempt, fault.next_delay), (1, Some(3600.0)));
}

/// D9: a batch is submitted as a whole or not at all, and the error names the task.
#[tokio::test]
async fn batch_is_submitted_atomically() {
    let world = world().await;
    let json = r#"[{"kind": "k", "payload": 1}, {"kind": "k", "payload": 2, "policy": "cals"}]"#;
    let tasks = NewTask::all_from_json(json).unwrap();
    let rejected = world.api.submit_all(tasks.clone()).await.unwrap_err();
    assert_eq!(rejected.field.as_deref(), Some("[1].policy"));
    assert_eq!(world.api.stats().await.unwrap().total(), 0);

    let good: Vec<_> = tasks
        .into_iter()
        .map(|task| NewTask { policy: Some(PolicyChoice::Named("calls".to_owned())), ..task })
        .collect();
    let submitted = world.api.submit_all(good).await.unwrap();
    assert_eq!(submitted.len(), 2);
    assert_eq!(world.api.task(submitted[1].id).await.unwrap().payload, 2);
}

/// D9, K4: every error in a batch has the index of its task.
#[tokio::test]
async fn invalid_task_in_batch_is_reported_with_index() {
    let world = world().await;
    let long = "x".repeat(300);
    for (field, wrong) in [
        ("kind", json!({"kind": ""})),
        ("payload", json!({"payload": "\0"})),
        ("payload", json!({"payload": "x".repeat(MAX_PAYLOAD)})),
        ("queue", json!({"queue": &long})),
        ("category", json!({"category": ""})),
        ("idempotency_key", json!({"idempotency_key": &long})),
        ("correlation_id", json!({"correlation_id": &long})),
        ("hold_category", json!({"hold_category": true})),
        ("policy", json!({"policy": "cals"})),
        ("policy.id", json!({"policy": {"id": &long}})),
        ("id", json!({"id": "00000000-0000-4000-8000-000000000000"})),
    ] {
        let mut second = json!({"kind": "k", "payload": 2});
        second.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        let batch = json!([{"kind": "k", "payload": 1}, second]).to_string();
        let rejected = world.api.submit_all(NewTask::all_from_json(&batch).unwrap()).await;
        let rejected = rejected.unwrap_err();
        assert_eq!((rejected.status, rejected.field), (400, Some(format!("[1].{field}"))));
    }
    assert_eq!(world.api.stats().await.unwrap().total(), 0);
}

/// H1: a task is serialized as it was parsed.
#[test]
fn new_task_is_serialized_as_parsed() {
    for json in [
        r#"{"kind":"k","payload":{"z":1.10,"a":[]},"hold_category":false}"#,
        r#"{"kind":"k","payload":1,"priority":-3,"policy":"calls","run_at":"2h","hold_category":true}"#,
    ] {
        assert_eq!(serde_json::to_string(&new(json)).unwrap(), json);
    }
    let given = new(r#"{"kind": "k", "payload": 1, "policy": {"max_attempts": 4}}"#);
    let again = new(&serde_json::to_string(&given).unwrap());
    assert_eq!(again.policy, given.policy);
    let Some(PolicyChoice::Given(policy)) = again.policy else { panic!("it was given") };
    assert_eq!(policy.id(), None, "all policies without a name would share a breaker");
}
