//! A Python worker that uses only the standard library (D19).

use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Command;
use tokio::time::timeout;

use crate::{World, world};

fn worker(world: &World, arguments: &[&str]) -> Command {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/worker.py");
    let mut worker = Command::new("python3");
    worker.args([script, &world.url]).args(arguments);
    worker.env_remove("http_proxy").env("no_proxy", "*");
    worker.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    worker
}

/// Runs the worker to its end and returns its output, one line per attempt.
async fn run_worker(world: &World, arguments: &[&str]) -> Vec<Value> {
    let running = worker(world, arguments).output();
    let ended = timeout(Duration::from_secs(60), running).await.expect("it ends");
    let ended = ended.expect("python3 is needed for this test");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let printed = String::from_utf8(ended.stdout).unwrap();
    printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// D19: it claims, extends, completes and fails tasks, and learns of a lost lease.
#[tokio::test]
async fn python_worker_processes_tasks() {
    let world = world().await;
    let sum = world.submit(json!({"kind": "add", "payload": [1, 2, 3]})).await;
    let odd = world.submit(json!({"kind": "fly", "payload": null, "policy": "twice"})).await;
    let lines = run_worker(&world, &[]).await;

    let done = world.get(&format!("/tasks/{sum}")).await.good();
    assert_eq!((&done["status"], &done["result"]), (&json!("completed"), &json!(6)));
    let too_late = lines.iter().find(|line| line["id"] == sum).unwrap();
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
    let follows: Vec<_> = lines
        .iter()
        .filter(|line| line["id"] == odd)
        .map(|line| &line["answer"]["status"])
        .collect();
    assert_eq!(follows, ["pending", "failed"]);
}

/// D3, D7, D19: without an embedded worker, failed, scheduled and lost tasks return to external workers.
#[tokio::test]
async fn tasks_without_embedded_worker_are_promoted_and_reclaimed() {
    let world = world().await;
    let lost = world.submit(json!({"kind": "endless", "payload": null})).await;
    let mut killed = worker(&world, &["1", "1s"]).spawn().unwrap();
    let mut lines = BufReader::new(killed.stdout.take().unwrap()).lines();
    assert_eq!(lines.next_line().await.unwrap().unwrap(), r#"{"begun": "endless"}"#);
    killed.kill().await.unwrap();

    let policy = json!({"max_attempts": 3, "backoff_type": "fixed", "base_delay": "1s"});
    let shaky = world.submit(json!({"kind": "shaky", "payload": null, "policy": policy})).await;
    let later = world.submit(json!({"kind": "add", "payload": [4, 5], "run_at": "1s"})).await;
    run_worker(&world, &["4"]).await;
    for (id, result, attempts) in
        [(lost, json!("ended"), 2), (shaky, json!("stands"), 2), (later, json!(9), 1)]
    {
        let task = world.get(&format!("/tasks/{id}")).await.good();
        assert_eq!((&task["result"], &task["attempts"]), (&result, &json!(attempts)), "{task}");
    }
}
