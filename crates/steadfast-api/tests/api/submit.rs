//! Tasks as they come in (H1, D9).

use std::time::Duration;

use serde_json::json;
use steadfast_api::{Api, ErrorKind, Local, NewTask, PolicyChoice};
use steadfast_store::{Actor, ClaimRequest, MAX_PAYLOAD, Status};

use crate::{new, world};

/// H1: everything that can be said of a task arrives.
#[tokio::test]
async fn a_task_is_kept_as_it_was_submitted() {
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
async fn a_kind_and_a_payload_are_enough() {
    let world = world().await;
    let task = world.submit(r#"{"kind": "http", "payload": null}"#).await;
    assert_eq!(
        (task.queue.as_str(), task.policy.as_ref().unwrap().id()),
        ("default", Some("default"))
    );
    for (json, missing) in [(r#"{"kind": "http"}"#, "payload"), (r#"{"payload": 1}"#, "kind")] {
        let refused = NewTask::from_json(json).unwrap_err();
        assert!(refused.detail.contains(&format!("missing field `{missing}`")), "{refused}");
    }
}

/// H1: a payload is the sender's to the last digit.
#[tokio::test]
async fn a_payload_keeps_its_digits_and_its_order() {
    let world = world().await;
    let payload = r#"{"z": 1.10, "a": 12345678901234567890123, "m": [1e2]}"#;
    world.submit(&format!(r#"{{"kind": "k", "payload": {payload}}}"#)).await;
    let request = ClaimRequest::new("w", 1).queue("default");
    let claims = world.store.claim(&request).await.unwrap();
    assert_eq!(claims.tasks[0].payload, payload);
}

/// F2, K4: an unknown field is told with the one that was meant, and where it is.
#[test]
fn an_unknown_field_is_refused_with_a_near_miss() {
    let refused = NewTask::from_json(r#"{"kind": "k", "payload": 1, "priorty": 2}"#).unwrap_err();
    assert_eq!(refused.status, 400);
    assert_eq!(refused.next.as_deref(), Some("did you mean `priority`?"));
    let json = r#"{"kind": "k", "payload": 1, "first_fault": {"sqlstat": "08006"}}"#;
    let refused = NewTask::from_json(json).unwrap_err();
    assert_eq!(refused.field.as_deref(), Some("first_fault.sqlstat"));
    assert_eq!(refused.next.as_deref(), Some("did you mean `sqlstate`?"));
}

/// K4: a wrong type, time or text names its field and what is right.
#[test]
fn a_wrong_value_names_its_field() {
    for (json, field, told) in [
        (
            r#"{"kind": "k", "payload": 1, "priority": 99999}"#,
            Some("priority"),
            "from -32768 to 32767",
        ),
        (r#"{"kind": "k", "payload": 1, "run_at": "soon"}"#, Some("run_at"), "is no time"),
        (r#"{"kind": "k", "payload": 1, "policy": 4}"#, Some("policy"), "name of a policy"),
        (r#"{"kind": "k", "payload": {}"#, None, "EOF"),
        (r#"{"kind": "k", "payload": 1} {}"#, None, "trailing"),
        ("", None, "EOF"),
    ] {
        let refused = NewTask::from_json(json).unwrap_err();
        assert_eq!((refused.kind, refused.field.as_deref()), (ErrorKind::Invalid, field), "{json}");
        assert!(refused.detail.contains(told), "{refused}");
    }
}

/// P1: a policy can be sent along, in the spelling of a policy file.
#[tokio::test]
async fn a_policy_can_be_given_by_its_fields() {
    let world = world().await;
    let task = world
        .submit(r#"{"kind": "k", "payload": 1, "policy": {"max_retries": 4, "base_delay": "2s"}}"#)
        .await;
    assert_eq!(task.max_attempts, 5);
    assert_eq!(task.policy.as_ref().unwrap().plan().nth(1).unwrap().delay, Duration::from_secs(2));

    let wrong = r#"{"kind": "k", "payload": 1, "policy": {"max_attemps": 4}}"#;
    let refused = NewTask::from_json(wrong).unwrap_err();
    assert!(refused.detail.contains("did you mean max_attempts?"), "{refused}");
    let wrong = r#"{"kind": "k", "payload": 1, "policy": {"max_attempts": 0}}"#;
    assert!(NewTask::from_json(wrong).unwrap_err().detail.contains("max_attempts"));
}

/// F6: a name leads where it leads a program, but a name that nobody knows is a slip.
#[tokio::test]
async fn a_policy_that_nobody_knows_is_refused_with_a_near_miss() {
    let world = world().await;
    let task = |policy| new(&format!(r#"{{"kind": "k", "payload": 1, "policy": "{policy}"}}"#));
    for (name, attempts) in [("shop.checkout.timeout", 7), ("patient", 9), ("default", 3)] {
        let submitted = world.api.submit(task(name)).await.unwrap();
        assert_eq!(submitted.task.max_attempts, attempts, "{name}");
    }
    let refused = world.api.submit(task("cals")).await.unwrap_err();
    assert_eq!((refused.status, refused.field.as_deref()), (400, Some("policy")));
    assert_eq!(refused.next.as_deref(), Some("did you mean `calls`?"));
    assert!(world.api.submit(task("nobody")).await.unwrap_err().next.is_some());

    let without_file = Local::new(world.store, Actor::new("ada"));
    assert!(without_file.submit(task("patient")).await.is_ok());
    assert_eq!(without_file.submit(task("calls")).await.unwrap_err().status, 400);
}

/// D9: one key, one task; and other work under the same key is told so.
#[tokio::test]
async fn a_key_names_one_task() {
    let world = world().await;
    let json = r#"{"kind": "k", "payload": 1, "idempotency_key": "k1"}"#;
    let first = world.api.submit(new(json)).await.unwrap();
    let again = world.api.submit(new(json)).await.unwrap();
    assert_eq!((first.existed, again.existed), (false, true));
    assert_eq!(first.task.id, again.task.id);
    let other = new(r#"{"kind": "k", "payload": 2, "idempotency_key": "k1"}"#);
    let refused = world.api.submit(other).await.unwrap_err();
    assert_eq!((refused.kind, refused.status), (ErrorKind::KeyTaken, 422));
    assert!(refused.detail.contains(&first.task.id.to_string()), "{refused}");
}

/// D9: what failed elsewhere is a retry here, after its delay.
#[tokio::test]
async fn a_first_fault_counts_as_the_first_attempt() {
    let world = world().await;
    let json = r#"{"kind": "k", "payload": 1, "policy": "calls",
                   "first_fault": {"http_status": 503, "message": "down"}}"#;
    let task = world.submit(json).await;
    assert_eq!((task.status, task.attempts), (Status::Scheduled, 1));
    let fault = &task.faults.unwrap()[0];
    assert_eq!((fault.attempt, fault.next_delay), (1, Some(3600.0)));
}

/// D9: many are taken all or none, and it is told which of them is wrong.
#[tokio::test]
async fn a_batch_is_taken_whole_or_not_at_all() {
    let world = world().await;
    let json = r#"[{"kind": "k", "payload": 1}, {"kind": "k", "payload": 2, "policy": "cals"}]"#;
    let tasks = NewTask::all_from_json(json).unwrap();
    let refused = world.api.submit_all(tasks.clone()).await.unwrap_err();
    assert_eq!(refused.field.as_deref(), Some("[1].policy"));
    assert_eq!(world.api.stats().await.unwrap().total(), 0);

    let good: Vec<_> = tasks
        .into_iter()
        .map(|task| NewTask { policy: Some(PolicyChoice::Named("calls".to_owned())), ..task })
        .collect();
    let submitted = world.api.submit_all(good).await.unwrap();
    assert_eq!(submitted.len(), 2);
    assert_eq!(world.api.task(submitted[1].id).await.unwrap().payload, 2);
}

/// D9, K4: whatever is wrong with one of many, it is told which of them it is.
#[tokio::test]
async fn what_is_wrong_in_a_batch_is_told_with_its_place() {
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
        let refused = world.api.submit_all(NewTask::all_from_json(&batch).unwrap()).await;
        let refused = refused.unwrap_err();
        assert_eq!((refused.status, refused.field), (400, Some(format!("[1].{field}"))));
    }
    assert_eq!(world.api.stats().await.unwrap().total(), 0);
}

/// H1: what is sent on is what was read.
#[test]
fn a_new_task_is_written_as_it_is_read() {
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
