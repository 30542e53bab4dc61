//! Hand-over of a command to a server (D12), end to end.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::Value;

use crate::process::Served;
use crate::store::Folder;
use steadfast_testing::poll::wait_for;

/// Two local attempts, and more in the store.
const POLICIES: &str = "
version: '1.1.0'
policies:
  flaky:
    max_attempts: 2
    backoff_type: immediate
    retry_on: [any]
    durable: {max_attempts: 5, backoff_type: immediate, retry_on: [any]}
";

/// A program that succeeds on its third attempt and records its key each time.
fn program(folder: &Folder) -> PathBuf {
    std::fs::write(folder.path().join("steadfast.yaml"), POLICIES).unwrap();
    let (path, keys) = (folder.path().join("flaky"), folder.path().join("keys"));
    let keys = keys.display();
    let script = format!("#!/bin/sh\necho $STEADFAST_KEY >> {keys}\n[ $(wc -l < {keys}) -ge 3 ]\n");
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
    path
}

/// Waits until the task is completed, and returns it.
fn completed(folder: &Folder) -> Value {
    let list: Value = wait_for("the task is listed", || {
        let printed = folder.run_ok("tasks list --status completed --json");
        let page: Value = serde_json::from_str(&printed).unwrap();
        page["items"].get(0).is_some().then_some(page)
    });
    let id = list["items"][0]["id"].as_str().unwrap();
    serde_json::from_str(&folder.run_ok(&format!("tasks show {id} --json"))).unwrap()
}

#[track_caller]
fn assert_done(folder: &Folder) {
    let task = completed(folder);
    assert_eq!((&task["kind"], &task["status"]), (&"command".into(), &"completed".into()));
    assert_eq!(task["faults"].as_array().unwrap().len(), 2, "{task}");
    let keys = std::fs::read_to_string(folder.path().join("keys")).unwrap();
    let keys: Vec<&str> = keys.lines().collect();
    assert_eq!(keys.len(), 3);
    assert!(!keys[0].is_empty() && keys.iter().all(|key| key == &keys[0]), "{keys:?}");
}

/// D12: a task of `run --durable` is run by `serve --allow-command`, with the same key and the
/// failures of both.
#[test]
fn command_handed_over_to_a_store_completes() {
    let folder = Folder::empty();
    let program = program(&folder);
    let line = format!("run --durable --policy flaky -- {}", program.display());
    assert_eq!(folder.output(&line).status.code(), Some(1));
    let _served = Served::start(&folder, &format!("--allow-command {}", program.display()));
    assert_done(&folder);
}

/// D12: also through a server.
#[test]
fn command_handed_over_to_a_server_completes() {
    let folder = Folder::empty();
    let program = program(&folder);
    let served = Served::start(&folder, &format!("--allow-command {}", program.display()));
    let line =
        format!("run --durable --server {} --policy flaky -- {}", served.url, program.display());
    assert_eq!(folder.output(&line).status.code(), Some(1));
    assert_done(&folder);
}
