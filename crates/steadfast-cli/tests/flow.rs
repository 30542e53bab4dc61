//! `steadfast flow` (W1, W2, section 10).

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod store;

use serde_json::{Value, json};

use store::Folder;

fn with(workflow: &Value) -> Folder {
    let folder = Folder::empty();
    std::fs::write(folder.path().join("w.json"), workflow.to_string()).unwrap();
    folder
}

fn two_steps() -> Value {
    json!({"name": "sign-up", "nodes": [
        {"nodeId": "create", "type": "create", "config": {"user": {"$from": "/trigger"}}},
        {"nodeId": "mail", "type": "mail", "dependsOn": ["create"]},
    ]})
}

/// W1: all errors are reported, with exit code 78.
#[test]
fn workflow_is_checked_without_a_store() {
    assert_eq!(with(&two_steps()).run_ok("flow check w.json"), "workflow is valid\n");
    let wrong = json!({"name": "w", "nodes": [
        {"nodeId": "create", "type": "do", "dependsOn": ["mial"]},
        {"nodeId": "mail", "type": "do", "dependsOn": ["mail"]},
    ]});
    let output = with(&wrong).command("flow check w.json").output().unwrap();
    assert_eq!(output.status.code(), Some(78));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        printed,
        "nodes[0].dependsOn[0]: unknown node \"mial\"; did you mean \"mail\"?\n\
         nodes[1].dependsOn[0]: a node cannot depend on itself\n"
    );
}

/// W1: nodes that need custom handlers are named.
#[test]
fn custom_handlers_are_named() {
    let folder = with(&two_steps());
    for line in ["flow check w.json", "flow run w.json"] {
        let output = folder.command(line).output().unwrap();
        let printed = String::from_utf8(output.stderr).unwrap();
        assert!(
            printed.contains("create, mail needs a worker with your own handlers;"),
            "{line}: {printed}"
        );
    }
    let built_in = json!({"name": "w", "nodes": [{"nodeId": "a", "type": "http", "config": {"url": "http://a.example/"}}]});
    let output = with(&built_in).command("flow check w.json").output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

/// W1: an invalid workflow is not started, with the errors of `flow check`.
#[test]
fn invalid_workflow_is_not_started() {
    let wrong = json!({"name": "w", "nodes": [
        {"nodeId": "create", "type": "do", "dependsOn": ["mial"]},
        {"nodeId": "mail", "type": "do", "dependsOn": ["mail"]},
    ]});
    let output = with(&wrong).command("flow run w.json").output().unwrap();
    assert_eq!(output.status.code(), Some(78));
    let printed = String::from_utf8(output.stderr).unwrap();
    assert!(printed.contains("nodes[0].dependsOn[0]: unknown node \"mial\""), "{printed}");
    assert!(printed.contains("nodes[1].dependsOn[0]: a node cannot depend on itself"), "{printed}");
}

/// W2: an execution is started, shown, cancelled and resumed.
#[test]
fn execution_is_started_cancelled_and_resumed() {
    let folder = with(&two_steps());
    let run = |line: &str| -> Value { serde_json::from_str(&folder.run_ok(line)).unwrap() };
    let started = run("flow run w.json --trigger 42 --key k --json");
    let id = started["id"].as_str().unwrap().to_owned();
    assert_eq!(run("flow run w.json --trigger 42 --key k --json")["id"], started["id"]);
    assert_eq!(run(&format!("flow cancel {id} --json"))["status"], "cancelled");
    assert_eq!(run("flow list --status cancelled --json")["items"][0]["id"], started["id"]);
    assert_eq!(run(&format!("flow resume {id} --json"))["status"], "running");
    let shown = folder.run_ok(&format!("flow show {id}"));
    assert!(shown.contains("create") && shown.contains("waiting"), "{shown}");
    run(&format!("flow cancel {id} --json"));
    let next = run(&format!("flow retry {id} --json"));
    let chain = folder.run_ok(&format!("flow show {id} --chain"));
    assert!(chain.contains(next["id"].as_str().unwrap()), "{chain}");
}
