//! Invalid input (K4, H1): a clear 4xx, always as problem+json, and nothing is lost.

use serde_json::json;

use crate::{Method, world};

/// H1: unknown paths and unsupported methods.
#[tokio::test]
async fn unknown_path_and_unsupported_method_are_problems() {
    let world = world().await;
    let unknown = world.get("/taks").await.problem(404);
    assert!(unknown["detail"].as_str().unwrap().contains("/api/v1/taks"));
    world.send(world.request(Method::GET, "/nothing")).await.problem(404);
    let response = world.request(Method::DELETE, "/api/v1/tasks").send().await.unwrap();
    assert_eq!(response.headers()["allow"], "GET,HEAD,POST");
    let rejected = crate::Answered::of(response).await.problem(405);
    assert_eq!(rejected["type"], "urn:steadfast:wrong-method");
}

/// K4: a body that is not declared as JSON is rejected.
#[tokio::test]
async fn body_with_other_content_type_is_rejected() {
    let world = world().await;
    for kind in ["text/plain", "application/x-www-form-urlencoded", "application/jsonish", ";"] {
        let request = world.request(Method::POST, "/api/v1/tasks").header("content-type", kind);
        let rejected = world.send(request.body(r#"{"kind":"a","payload":1}"#)).await.problem(415);
        assert!(rejected["next"].as_str().unwrap().contains("application/json"), "{kind}");
    }
    let bare = world.request(Method::POST, "/api/v1/tasks").body(r#"{"kind":"a","payload":1}"#);
    world.send(bare).await.problem(415);
    let exact = world.request(Method::POST, "/api/v1/tasks");
    let exact = exact.header("content-type", "application/json; charset=utf-8");
    world.send(exact.body(r#"{"kind":"a","payload":1}"#)).await.good();
}

/// K4: an unknown field is reported with its position and a suggestion.
#[tokio::test]
async fn unknown_field_is_reported_with_suggestion() {
    let world = world().await;
    let near =
        world.post_text("/tasks", r#"{"kind":"a","payload":1,"queu":"b"}"#).await.problem(400);
    assert_eq!((&near["field"], &near["next"]), (&json!("queu"), &json!("did you mean `queue`?")));
    assert!(near["detail"].as_str().unwrap().contains("(line 1, column"));

    let text = r#"{"kind":"a","payload":1,"priority":"high"}"#;
    let response = world.post_text("/tasks", text).await;
    assert_eq!((response.status.as_u16(), &response.body["field"]), (400, &json!("priority")));

    let nested = r#"{"version":1,"fault":{"htp_status":503}}"#;
    let id = world.submit(json!({"kind": "a", "payload": 1})).await;
    let nested = world.post_text(&format!("/claims/{id}/fail"), nested).await.problem(400);
    assert_eq!(nested["field"], "fault.htp_status");
    assert_eq!(nested["next"], "did you mean `http_status`?");
}

/// K4: the same for query parameters.
#[tokio::test]
async fn unknown_query_parameter_is_reported_with_suggestion() {
    let world = world().await;
    let near = world.get("/tasks?staus=failed").await.problem(400);
    assert_eq!(near["next"], "did you mean `status`?");
    let page = world.get("/tasks?limt=5").await.problem(400);
    assert_eq!(page["next"], "did you mean `limit`?");
    let value = world.get("/tasks?status=faild").await.problem(400);
    assert_eq!(
        (&value["field"], &value["next"]),
        (&json!("status"), &json!("did you mean `failed`?"))
    );
    assert_eq!(world.get("/tasks?limit=0").await.problem(400)["field"], "limit");
    assert_eq!(world.get("/tasks?after=x").await.problem(400)["field"], "after");
    assert_eq!(world.get("/events?limit=0").await.problem(400)["field"], "limit");
}

/// K4: an invalid id, and the id of no task.
#[tokio::test]
async fn unknown_task_is_not_found() {
    let world = world().await;
    let wrong = world.get("/tasks/42").await;
    assert_eq!((wrong.status.as_u16(), &wrong.body["field"]), (400, &json!("id")));
    world.get("/tasks/0190d3a2-7b5a-7c3e-8f21-1234567890ab").await.problem(404);
}

/// K4: a payload of 1 MiB is accepted; a larger body is rejected, and the client can read why.
#[tokio::test]
async fn oversized_body_is_rejected_with_readable_response() {
    let world = world().await;
    let task = |bytes: usize| format!(r#"{{"kind":"a","payload":"{}"}}"#, "x".repeat(bytes - 2));
    world.post_text("/tasks", task(1 << 20)).await.good();
    let over = world.post_text("/tasks", task((1 << 20) + 1)).await.problem(400);
    assert_eq!(over["field"], "payload");
    let large = world.post_text("/tasks", task(4 << 20)).await.problem(413);
    assert_eq!(large["type"], "urn:steadfast:too-large");
    world.post_text("/claims", " ".repeat(65 << 10)).await.problem(413);
    assert_eq!(world.get("/stats").await.good()["pending"], 1);
}

/// K4: deeply nested input is rejected.
#[tokio::test]
async fn deeply_nested_body_is_rejected() {
    let world = world().await;
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    let payload = world.post_text("/tasks", format!(r#"{{"kind":"a","payload":{deep}}}"#)).await;
    assert_eq!((payload.status.as_u16(), &payload.body["field"]), (400, &json!("payload")));
    let id = world.submit(json!({"kind": "a", "payload": 1})).await;
    let result = format!(r#"{{"version":1,"result":{deep}}}"#);
    world.post_text(&format!("/claims/{id}/complete"), result).await.problem(400);
}

/// K4: invalid UTF-8 and invalid JSON.
#[tokio::test]
async fn invalid_json_is_rejected() {
    let world = world().await;
    for bytes in [&b"\xff\xfe"[..], b"", b"{", b"[]", b"null", b"{} {}"] {
        let answered = world.post_text("/tasks", bytes.to_vec()).await;
        assert_eq!(answered.status, 400, "{bytes:?}: {answered:?}");
        assert_eq!(answered.kind, "application/problem+json");
    }
    assert_eq!(world.get("/stats").await.good()["pending"], 0);
}

/// K4: an array in place of an object is rejected everywhere.
#[tokio::test]
async fn array_instead_of_object_is_rejected() {
    let world = world().await;
    for (path, body) in [
        ("/claims", json!(["w1"])),
        ("/tasks/batch", json!([["http", 1]])),
        ("/tasks/requeue", json!({"filter": ["failed"]})),
        ("/classify", json!({"fault": {"causes": [[null]]}})),
    ] {
        let rejected = world.post_json(path, body).await;
        assert_eq!(rejected.status, 400, "{path}: {rejected:?}");
    }
    assert_eq!(world.get("/stats").await.good()["pending"], 0);
}
