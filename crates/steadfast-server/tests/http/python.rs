//! A worker in another language, with nothing but what that language comes with (D19).

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::process::Command;

use crate::{World, world};

/// Runs the worker until nothing is due; what it printed, a line a task.
async fn run_worker(world: &World) -> Vec<Value> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/worker.py");
    let ended = Command::new("python3")
        .args([script, &world.url])
        .env_remove("http_proxy")
        .env("no_proxy", "*")
        .stdin(Stdio::null())
        .output()
        .await
        .expect("python3 is needed for this test");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let printed = String::from_utf8(ended.stdout).unwrap();
    printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// D19: it claims, keeps alive, completes and fails, and is told when it is too late.
#[tokio::test]
async fn a_python_worker_does_tasks() {
    let world = world().await;
    let sum = world.submit(json!({"kind": "add", "payload": [1, 2, 3]})).await;
    let odd = world.submit(json!({"kind": "fly", "payload": null, "policy": "twice"})).await;
    let told = run_worker(&world).await;

    let done = world.get(&format!("/tasks/{sum}")).await.good();
    assert_eq!((&done["status"], &done["result"]), (&json!("completed"), &json!(6)));
    let too_late = told.iter().find(|line| line["id"] == sum).unwrap();
    assert_eq!(too_late["status"], 409);
    assert_eq!(too_late["answer"]["type"], "urn:steadfast:stale-lease");

    let failed = world.get(&format!("/tasks/{odd}")).await.good();
    assert_eq!(
        (&failed["status"], &failed["reason"]),
        (&json!("failed"), &json!("attempts_exhausted"))
    );
    let faults = failed["faults"].as_array().unwrap();
    assert_eq!(faults.len(), 2);
    assert_eq!(
        (&faults[0]["class"], &faults[0]["fault"]["type"]),
        (&json!("retryable"), &json!("ConnectionResetError"))
    );
    let follows: Vec<_> = told
        .iter()
        .filter(|line| line["id"] == odd)
        .map(|line| &line["answer"]["status"])
        .collect();
    assert_eq!(follows, ["pending", "failed"]);
}
