//! Restrictions of http and command tasks (K2).

use serde_json::{Value, json};
use steadfast_server::Server;
use steadfast_store::{Store, Task};
use steadfast_testing::poll::eventually_some;
use tokio::net::TcpListener;
use tokio::time::timeout;

use crate::running::{Running, start};
use crate::{request, say};

/// Runs a task on a server with default settings and waits for its end. It is in the store already:
/// another program may have submitted it, so the worker cannot rely on the checks of the API.
async fn ended(kind: &str, payload: Value) -> Value {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let id = store.submit(Task::new(kind, &payload)).await.unwrap().id;
    let Running { address, stop, running } = start(Server::new(store)).await;
    let line = format!("GET /api/v1/tasks/{id}");
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

/// K2: the API rejects a URL that is not a web address.
#[tokio::test]
async fn http_task_with_a_file_url_is_not_accepted() {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let Running { address, stop, running } = start(Server::new(store)).await;
    let body = json!({"kind": "http", "payload": {"url": "file:///etc/passwd"}}).to_string();
    let headers = ["Content-Type: application/json"];
    let problem = say(address, request("POST /api/v1/tasks", &headers, &body)).await.json();
    assert_eq!((&problem["status"], &problem["field"]), (&json!(400), &json!("payload.url")));
    drop(stop);
    running.await.unwrap().unwrap();
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
