//! `flow`: workflows from the command line (W1, W2, section 10).

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

/// W1: everything that is wrong is told, and the exit code says so.
#[test]
fn a_workflow_is_checked_without_a_store() {
    assert_eq!(with(&two_steps()).told("flow check w.json"), "it makes sense\n");
    let wrong = json!({"name": "w", "nodes": [
        {"nodeId": "create", "type": "do", "dependsOn": ["mial"]},
        {"nodeId": "mail", "type": "do", "dependsOn": ["mail"]},
    ]});
    let output = with(&wrong).command("flow check w.json").output().unwrap();
    assert_eq!(output.status.code(), Some(78));
    let told = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        told,
        "nodes[0].dependsOn[0]: there is no node \"mial\"; did you mean \"mail\"?\n\
         nodes[1].dependsOn[0]: a node cannot wait for itself\n"
    );
}

/// W1: whoever is to do a node that is not built in is named, beside the answer.
#[test]
fn who_has_to_be_there_is_told() {
    let folder = with(&two_steps());
    for line in ["flow check w.json", "flow run w.json"] {
        let output = folder.command(line).output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.contains("only a worker of yours does create, mail;"), "{line}: {told}");
    }
    let built_in = json!({"name": "w", "nodes": [{"nodeId": "a", "type": "http", "config": {}}]});
    let output = with(&built_in).command("flow check w.json").output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

/// W1: what makes no sense is not started, and told as `flow check` tells it.
#[test]
fn what_makes_no_sense_is_not_run() {
    let wrong = json!({"name": "w", "nodes": [
        {"nodeId": "create", "type": "do", "dependsOn": ["mial"]},
        {"nodeId": "mail", "type": "do", "dependsOn": ["mail"]},
    ]});
    let output = with(&wrong).command("flow run w.json").output().unwrap();
    assert_eq!(output.status.code(), Some(78));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("nodes[0].dependsOn[0]: there is no node \"mial\""), "{told}");
    assert!(told.contains("nodes[1].dependsOn[0]: a node cannot wait for itself"), "{told}");
}

/// W2: an execution is started, shown, called off and let go on.
#[test]
fn an_execution_is_started_and_steered() {
    let folder = with(&two_steps());
    let run = |line: &str| -> Value { serde_json::from_str(&folder.told(line)).unwrap() };
    let started = run("flow run w.json --trigger 42 --key k --json");
    let id = started["id"].as_str().unwrap().to_owned();
    assert_eq!(run("flow run w.json --trigger 42 --key k --json")["id"], started["id"]);
    assert_eq!(run(&format!("flow cancel {id} --json"))["status"], "cancelled");
    assert_eq!(run("flow list --status cancelled --json")["items"][0]["id"], started["id"]);
    assert_eq!(run(&format!("flow resume {id} --json"))["status"], "running");
    let shown = folder.told(&format!("flow show {id}"));
    assert!(shown.contains("create") && shown.contains("waiting"), "{shown}");
    run(&format!("flow cancel {id} --json"));
    let next = run(&format!("flow retry {id} --json"));
    let chain = folder.told(&format!("flow show {id} --chain"));
    assert!(chain.contains(next["id"].as_str().unwrap()), "{chain}");
}
