//! `steadfast run` without a terminal (section 10): signals, time, streams and the report.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod durable;
mod script;
mod signals;
mod streams;
mod time;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use script::{output, run, text};
use serde_json::{Value, json};

/// Section 10: the same key for all attempts, and their number.
#[test]
fn the_command_knows_its_attempt_and_its_key() {
    let told = output("--base-delay 1ms", "echo $STEADFAST_ATTEMPT $STEADFAST_KEY; exit 1");
    let told: Vec<(&str, &str)> =
        text(&told.stdout).lines().map(|line| line.split_once(' ').unwrap()).collect();
    let key = told[0].1;
    assert!(key.len() > 20);
    assert_eq!(told, [("1", key), ("2", key), ("3", key)]);
}

/// Section 10, O4: S4's session, with the fault, the class and why of each attempt.
#[test]
fn the_report_tells_what_each_attempt_failed_with_and_why() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("run.json");
    let flags = format!("--base-delay 1ms --retry-on exit:75 --report {}", report.display());
    let ended = output(&flags, "exit 75");
    assert_eq!(ended.status.code(), Some(75));
    let told: Value = serde_json::from_slice(&fs::read(&report).unwrap()).unwrap();
    assert_eq!((&told["operation"], &told["success"]), (&json!("sh"), &json!(false)));
    let first = &told["attempts"][0];
    assert_eq!(first["fault"], json!({"exit_code": 75}));
    assert_eq!((&first["class"], &first["why"]["rule"]), (&json!("retryable"), &json!("exit:75")));
    assert_eq!(first["why"]["decided_by"]["by"], "backoff");
    assert_eq!(told["attempts"][2]["why"]["decided_by"]["by"], "max_attempts");
}

#[test]
fn the_report_of_a_success_after_a_retry_has_both_attempts() {
    let command = "echo busy; test $STEADFAST_ATTEMPT = 2";
    let told = output("--base-delay 1ms --retry-on-output busy --report -", command);
    assert_eq!(told.status.code(), Some(0));
    let told: Value =
        serde_json::from_str(text(&told.stdout).strip_prefix("busy\nbusy\n").unwrap()).unwrap();
    assert_eq!((&told["success"], &told["attempts"][1]["success"]), (&json!(true), &json!(true)));
    let fault = &told["attempts"][0]["fault"];
    assert_eq!(*fault, json!({"exit_code": 1, "message": "its output matched busy"}));
}

/// The command's exit code is worth more than the report.
#[cfg(target_os = "linux")]
#[test]
fn a_report_that_finds_no_room_is_told_and_the_exit_code_stays() {
    let ended = output("--max-attempts 1 --report /dev/full", "exit 9");
    assert_eq!(ended.status.code(), Some(9));
    assert!(text(&ended.stderr).contains("the report /dev/full cannot be written"));
}

/// Section 10: a policy by its name, and flags over it.
#[test]
fn a_policy_of_the_file_says_how_often() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("steadfast.yaml");
    let policy = "version: 1.1.0\npolicies:\n  calls: {max_attempts: 7, base_delay: 1ms}\n";
    fs::write(&file, policy).unwrap();
    let flags = format!("--config {} --policy calls", file.display());
    let seven = output(&flags, "echo; exit 1");
    assert_eq!(seven.stdout.len(), 7);
    let two = output(&format!("{flags} --max-attempts 2"), "echo; exit 1");
    assert_eq!(two.stdout.len(), 2);
    let never = run(&flags, "echo; exit 1").env("STEADFAST_ENABLED", "false").output().unwrap();
    assert_eq!(never.stdout.len(), 1);
}

/// A file that nobody may execute is 126 as in a shell, and is not tried again.
#[test]
fn what_cannot_be_executed_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    fs::write(&script, "echo it runs\n").unwrap();
    for (mode, why) in [(0o644, "may not be executed"), (0o755, "in its first line")] {
        fs::set_permissions(&script, fs::Permissions::from_mode(mode)).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_steadfast"));
        let refused = command.args(["run", "--"]).arg(&script).output().unwrap();
        assert_eq!(refused.status.code(), Some(126), "{mode:o}");
        let told = text(&refused.stderr);
        assert!(told.contains(why) && !told.contains("attempt"), "{mode:o}: {told}");
    }
}
