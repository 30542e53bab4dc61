//! Restrictions of http and command tasks (K2).

use serde_json::{Value, json};
use steadfast_server::Server;
use steadfast_store::Store;
use steadfast_testing::poll::eventually_some;
use tokio::net::TcpListener;
use tokio::time::timeout;

use crate::running::{Running, start};
use crate::{request, say};

/// Submits a task to a server with default settings and waits for its end.
async fn ended(kind: &str, payload: Value) -> Value {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let Running { address, stop, running } = start(Server::new(store)).await;
    let body = json!({"kind": kind, "payload": payload}).to_string();
    let headers = ["Content-Type: application/json"];
    let id =
        say(address, request("POST /api/v1/tasks", &headers, &body)).await.json()["id"].clone();
    let line = format!("GET /api/v1/tasks/{}", id.as_str().unwrap());
    let task = eventually_some("the task ends", async || {
        let task = say(address, request(&line, &[], "")).await.json();
        (task["status"] == "failed" || task["status"] == "completed").then_some(task)
    })
    .await;
    drop(stop);
    running.await.unwrap().unwrap();
    task
}

/// K2: tasks cannot call addresses that only the server can reach.
#[tokio::test]
async fn http_task_to_private_address_is_rejected() {
    let inside = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = inside.local_addr().unwrap().port();
    for url in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://localhost:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        "http://169.254.169.254/latest/meta-data/".to_owned(),
        "http://metadata.google.internal/".to_owned(),
        "http://10.0.0.1/".to_owned(),
        "file:///etc/passwd".to_owned(),
    ] {
        let task = ended("http", json!({"url": url})).await;
        assert_eq!(
            (&task["status"], &task["attempts"]),
            (&json!("failed"), &json!(1)),
            "{url}: {task}"
        );
    }
    let called = timeout(std::time::Duration::from_millis(50), inside.accept()).await;
    assert!(called.is_err(), "the target was called");
}

/// K2: only allowed commands run.
#[tokio::test]
async fn command_task_is_rejected_by_default() {
    for program in ["/bin/true", "true", "sh"] {
        let task = ended("command", json!({"program": program})).await;
        let message = task["faults"][0]["message"].as_str().unwrap();
        assert!(message.contains("allow"), "{message}");
        assert_eq!((&task["status"], &task["attempts"]), (&json!("failed"), &json!(1)), "{task}");
    }
}
