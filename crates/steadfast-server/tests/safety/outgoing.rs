//! What a server does for those who submit tasks, and what it does not (K2).

use serde_json::{Value, json};
use steadfast_server::Server;
use steadfast_store::Store;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use crate::{IN_TIME, request, say};

/// Submits to a server as it is at first, and waits for the end.
async fn ended(kind: &str, payload: Value) -> Value {
    let store = Store::open("sqlite::memory:").await.unwrap();
    let bound = Server::new(store).listen("127.0.0.1:0".parse().unwrap()).bind().await.unwrap();
    let address = bound.address();
    let (stop, stopped) = oneshot::channel::<()>();
    let running = tokio::spawn(bound.run_until(async {
        let _ = stopped.await;
    }));
    let body = json!({"kind": kind, "payload": payload}).to_string();
    let headers = ["Content-Type: application/json"];
    let id =
        say(address, request("POST /api/v1/tasks", &headers, &body)).await.json()["id"].clone();
    let line = format!("GET /api/v1/tasks/{}", id.as_str().unwrap());
    let ending = async {
        loop {
            let task = say(address, request(&line, &[], "")).await.json();
            if task["status"] == "failed" || task["status"] == "completed" {
                return task;
            }
            sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    let task = timeout(IN_TIME, ending).await.expect("it is tried without end");
    drop(stop);
    running.await.unwrap().unwrap();
    task
}

/// K2: nobody has the server call what only the server can reach.
#[tokio::test]
async fn private_and_metadata_addresses_are_not_called() {
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
    assert!(called.is_err(), "somebody was called");
}

/// K2: no program is run that was not listed.
#[tokio::test]
async fn commands_are_off_unless_they_are_listed() {
    for program in ["/bin/true", "true", "sh"] {
        let task = ended("command", json!({"program": program})).await;
        let told = task["faults"][0]["message"].as_str().unwrap();
        assert!(told.contains("allow"), "{told}");
        assert_eq!((&task["status"], &task["attempts"]), (&json!("failed"), &json!(1)), "{task}");
    }
}
