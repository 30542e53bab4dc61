//! Tasks in responses (H1, D18, O5).

use serde_json::{Value, json};
use steadfast::observe::Redactor;
use steadfast_api::{Api, PageQuery, Submission, TaskFilter, TaskView};

use crate::world;

const FAILED_ONCE: &str = r#"{"kind": "http", "policy": "calls", "first_fault": {"http_status": 503},
    "payload": {"url": "https://ada:hunter2@a.example/", "headers": {"Authorization": "Bearer t"}}}"#;

/// H1: a task has all fields, and so has each of its faults.
#[tokio::test]
async fn task_view_has_fields_of_the_specification() {
    let world = world().await;
    let task = serde_json::to_value(world.submit(FAILED_ONCE).await).unwrap();
    for field in [
        "id",
        "kind",
        "payload",
        "queue",
        "category",
        "priority",
        "policy",
        "status",
        "reason",
        "attempts",
        "max_attempts",
        "rate_limit_waits",
        "submitted_at",
        "scheduled_at",
        "last_attempt_at",
        "expires_at",
        "idempotency_key",
        "correlation_id",
        "faults",
        "result",
    ] {
        assert!(task.get(field).is_some(), "{field} is missing");
    }
    for field in ["attempt", "at", "class", "message", "why", "next_delay"] {
        assert!(task["faults"][0].get(field).is_some(), "{field} of a fault is missing");
    }
    assert_eq!(task["status"], "scheduled");
    assert_eq!(task["faults"][0]["class"], "retryable");
}

/// D18: a task lists its remaining attempts.
#[tokio::test]
async fn task_view_has_remaining_attempts() {
    let world = world().await;
    let task = world.submit(FAILED_ONCE).await;
    let next = task.next.unwrap();
    assert_eq!(next.iter().map(|one| one.attempt).collect::<Vec<_>>(), [2, 3, 4, 5, 6, 7]);
    assert_eq!(next[0].earliest, task.scheduled_at);
    let cancelled = world.api.cancel(task.id).await.unwrap();
    assert_eq!(cancelled.next, Some(Vec::new()));
}

/// H1: a list leaves out faults and attempts.
#[tokio::test]
async fn task_list_leaves_out_history() {
    let world = world().await;
    world.submit(FAILED_ONCE).await;
    let page = world.api.tasks(&TaskFilter::default(), &PageQuery::default()).await.unwrap();
    let page = serde_json::to_value(page).unwrap();
    assert_eq!(page["next"], Value::Null);
    assert_eq!(page["items"][0].get("faults"), None);
    assert_eq!(page["items"][0].get("next"), None);
    assert_eq!(page["items"][0]["last_error"]["class"], "retryable");
}

/// H1: a response is read as it was sent.
#[tokio::test]
async fn response_is_deserialized_as_serialized() {
    let world = world().await;
    let submission = world.api.submit(crate::new(FAILED_ONCE)).await.unwrap();
    let read: Submission =
        serde_json::from_str(&serde_json::to_string(&submission).unwrap()).unwrap();
    assert_eq!(read, submission);
    let task = submission.task;
    let read: TaskView = serde_json::from_str(&serde_json::to_string(&task).unwrap()).unwrap();
    assert_eq!(read, task);
}

/// O5: secrets of a payload are masked on request.
#[tokio::test]
async fn secrets_in_payload_are_masked() {
    let world = world().await;
    let task = world.submit(FAILED_ONCE).await.without_secrets(&Redactor::new());
    let masked = json!({"url": "https://ada:***@a.example/", "headers": {"Authorization": "***"}});
    assert_eq!(task.payload, masked);
}
