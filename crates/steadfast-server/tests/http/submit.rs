//! Submitting tasks (H1, D9).

use serde_json::json;
use steadfast_server::Server;

use crate::{Method, world, world_of};

/// H1: a task needs a kind and a payload; the response has the whole task.
#[tokio::test]
async fn submitted_task_is_returned_with_location() {
    let world = world().await;
    let request = world.request(Method::POST, "/api/v1/tasks");
    let task = json!({"kind": "mail", "payload": {"to": "ada"}, "policy": "calls"});
    let response = request.json(&task).send().await.unwrap();
    assert_eq!(response.status(), 201);
    let location = response.headers()["location"].to_str().unwrap().to_owned();
    let taken: serde_json::Value = response.json().await.unwrap();
    assert_eq!(location, format!("/api/v1/tasks/{}", taken["id"].as_str().unwrap()));
    assert_eq!((&taken["status"], &taken["max_attempts"]), (&json!("pending"), &json!(7)));
    assert_eq!(taken["existed"], false);

    let shown = world.send(world.request(Method::GET, &location)).await.good();
    assert_eq!(shown["payload"], json!({"to": "ada"}));
    assert_eq!((&shown["faults"], &shown["queue"]), (&json!([]), &json!("default")));
}

/// D18, K4: the schedule of a policy with endless retries is truncated.
#[tokio::test]
async fn endless_schedule_is_truncated() {
    let world = world().await;
    let task = json!({"kind": "a", "payload": 1, "policy": {"max_attempts": u32::MAX}});
    let attempts = |answer: &serde_json::Value| {
        let next = answer["next"].as_array().unwrap();
        (next.len(), next[99]["attempt"].clone(), answer["and_more"].clone())
    };
    let hundred = (100, json!(100), json!(u32::MAX - 100));
    let preview = world.post_json("/tasks/preview", task.clone()).await.good();
    assert_eq!(attempts(&preview), hundred);
    let taken = world.post_json("/tasks", task).await.good();
    assert_eq!(attempts(&taken), hundred);
    let path = format!("/tasks/{}", taken["id"].as_str().unwrap());
    assert_eq!(attempts(&world.get(&path).await.good()), hundred);
}

/// H1, D9: the same key is the same task, in the body or in the header.
#[tokio::test]
async fn submit_with_same_key_returns_same_task() {
    let world = world().await;
    let task = json!({"kind": "mail", "payload": 1, "idempotency_key": "k1"});
    let first = world.post_json("/tasks", task).await;
    assert_eq!(first.status, 201);
    let again = world
        .send(
            world
                .request(Method::POST, "/api/v1/tasks")
                .header("Idempotency-Key", "\"k1\"")
                .json(&json!({"kind": "mail", "payload": 1})),
        )
        .await;
    assert_eq!((again.status.as_u16(), &again.body["existed"]), (200, &json!(true)));
    assert_eq!(again.body["id"], first.body["id"]);

    let other = json!({"kind": "mail", "payload": 2, "idempotency_key": "k1"});
    let rejected = world.post_json("/tasks", other).await.problem(422);
    assert_eq!(rejected["field"], "idempotency_key");
}

/// H1: two different keys for one task are rejected.
#[tokio::test]
async fn conflicting_idempotency_keys_are_rejected() {
    let world = world().await;
    let request = world.request(Method::POST, "/api/v1/tasks").header("Idempotency-Key", "a");
    let task = json!({"kind": "mail", "payload": 1, "idempotency_key": "b"});
    let rejected = world.send(request.json(&task)).await.problem(400);
    assert_eq!(rejected["field"], "idempotency_key");

    let request = world.request(Method::POST, "/api/v1/tasks").header("Idempotency-Key", "a");
    let task = json!({"kind": "mail", "payload": 1});
    let twice = request.header("Idempotency-Key", "b").json(&task);
    assert_eq!(world.send(twice).await.problem(400)["field"], "idempotency_key");
}

/// D9: a batch is accepted completely or not at all, and the error names the position.
#[tokio::test]
async fn batch_is_submitted_atomically() {
    let world = world().await;
    let tasks = json!([{"kind": "a", "payload": 1}, {"kind": "b", "payload": 2}]);
    let taken = world.post_json("/tasks/batch", tasks).await.good();
    assert_eq!(taken.as_array().unwrap().len(), 2);

    let wrong = json!([{"kind": "a", "payload": 1}, {"kind": "b", "payload": 2, "policy": "cals"}]);
    let rejected = world.post_json("/tasks/batch", wrong).await.problem(400);
    assert_eq!(
        (&rejected["field"], &rejected["next"]),
        (&json!("[1].policy"), &json!("did you mean `calls`?"))
    );
    assert_eq!(world.get("/stats").await.good()["pending"], 2);
}

/// K4: the size of a batch is limited.
#[tokio::test]
async fn oversized_batch_is_rejected() {
    let world = world().await;
    let tasks = vec![json!({"kind": "a", "payload": 1}); 10_001];
    let rejected = world.post_json("/tasks/batch", tasks.into()).await.problem(413);
    assert_eq!(rejected["next"], "split it into several batches");
    assert_eq!(world.get("/stats").await.good()["pending"], 0);
}

/// O5: secrets are redacted in responses; the worker gets them.
#[tokio::test]
async fn secrets_are_redacted_except_for_workers() {
    let world = world().await;
    let payload =
        json!({"url": "https://a.example/", "headers": {"authorization": "Bearer s3cret"}});
    let id = world.submit(json!({"kind": "call", "payload": payload})).await;
    for path in [format!("/tasks/{id}"), "/tasks".to_owned()] {
        let shown = world.get(&path).await.good().to_string();
        assert!(!shown.contains("s3cret"), "{shown}");
    }
    let claimed = world.post_json("/claims", json!({"worker": "w1"})).await.good();
    assert_eq!(claimed["claims"][0]["task"]["payload"], payload);
}

/// H1, D19: the embedded worker handles `http` and `command` tasks, restricted by default.
#[tokio::test]
async fn embedded_worker_processes_tasks() {
    let world = world_of(|server: Server| server).await;
    let id = world.submit(json!({"kind": "command", "payload": {"program": "true"}})).await;
    let path = format!("/tasks/{id}");
    let task = loop {
        let task = world.get(&path).await.good();
        if task["status"] == "failed" {
            break task;
        }
        tokio::task::yield_now().await;
    };
    let message = task["last_error"]["message"].as_str().unwrap();
    assert!(message.contains("--allow-command"), "{message}");
}

/// O3: a task submitted within a trace belongs to it, unless it has a correlation id.
#[tokio::test]
async fn traceparent_becomes_correlation_id() {
    let world = world().await;
    let trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    for (body, header, expected) in [
        (json!({"kind": "a", "payload": 1}), trace, json!(trace)),
        (json!({"kind": "a", "payload": 1, "correlation_id": "mine"}), trace, json!("mine")),
        (json!({"kind": "a", "payload": 1}), "nonsense", json!(null)),
    ] {
        let request = world.request(Method::POST, "/api/v1/tasks").json(&body);
        let task = world.send(request.header("traceparent", header)).await.good();
        assert_eq!(task["correlation_id"], expected, "{header}");
    }
}
