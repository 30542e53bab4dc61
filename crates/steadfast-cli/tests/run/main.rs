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

/// Section 10: all attempts have the same key, and each its number.
#[test]
fn command_gets_attempt_number_and_key() {
    let printed = output("--base-delay 1ms", "echo $STEADFAST_ATTEMPT $STEADFAST_KEY; exit 1");
    let printed: Vec<(&str, &str)> =
        text(&printed.stdout).lines().map(|line| line.split_once(' ').unwrap()).collect();
    let key = printed[0].1;
    assert!(key.len() > 20);
    assert_eq!(printed, [("1", key), ("2", key), ("3", key)]);
}

/// Section 10, O4: the session of S4, with fault, class and reason of each attempt.
#[test]
fn report_has_fault_and_reason_of_each_attempt() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("run.json");
    let flags = format!("--base-delay 1ms --retry-on exit:75 --report {}", report.display());
    let ended = output(&flags, "exit 75");
    assert_eq!(ended.status.code(), Some(75));
    let printed: Value = serde_json::from_slice(&fs::read(&report).unwrap()).unwrap();
    assert_eq!((&printed["operation"], &printed["success"]), (&json!("sh"), &json!(false)));
    let first = &printed["attempts"][0];
    assert_eq!(first["fault"], json!({"exit_code": 75}));
    assert_eq!((&first["class"], &first["why"]["rule"]), (&json!("retryable"), &json!("exit:75")));
    assert_eq!(first["why"]["decided_by"]["by"], "backoff");
    assert_eq!(printed["attempts"][2]["why"]["decided_by"]["by"], "max_attempts");
}

#[test]
fn report_of_late_success_has_both_attempts() {
    let command = "echo busy; test $STEADFAST_ATTEMPT = 2";
    let printed = output("--base-delay 1ms --retry-on-output busy --report -", command);
    assert_eq!(printed.status.code(), Some(0));
    let printed: Value =
        serde_json::from_str(text(&printed.stdout).strip_prefix("busy\nbusy\n").unwrap()).unwrap();
    assert_eq!(
        (&printed["success"], &printed["attempts"][1]["success"]),
        (&json!(true), &json!(true))
    );
    let fault = &printed["attempts"][0]["fault"];
    assert_eq!(*fault, json!({"exit_code": 1, "message": "output matched busy"}));
    let sentence = &printed["attempts"][0]["why"]["sentence"];
    let expected = "retryable: the output matched --retry-on-output; backoff for retry 1: 1ms";
    assert_eq!(*sentence, expected);
}

/// O4: without rules every failure is retryable, and the report says so.
#[test]
fn report_explains_the_default_of_run() {
    let printed = output("--base-delay 1ms --max-attempts 1 --report -", "exit 3");
    let printed: Value = serde_json::from_slice(&printed.stdout).unwrap();
    let sentence = "retryable: `run` retries every failure by default; max_attempts 1 reached";
    assert_eq!(printed["attempts"][0]["why"]["sentence"], sentence);
}

/// The command's exit code takes precedence over a report error.
#[cfg(target_os = "linux")]
#[test]
fn report_error_keeps_the_exit_code() {
    let ended = output("--max-attempts 1 --report /dev/full", "exit 9");
    assert_eq!(ended.status.code(), Some(9));
    assert!(text(&ended.stderr).contains("cannot write the report /dev/full"));
}

/// Section 10: flags override a policy of the file.
#[test]
fn policy_file_sets_the_attempts() {
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

/// A file that is not executable gives 126 as in a shell, and is not retried.
#[test]
fn non_executable_file_is_not_retried() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("script");
    fs::write(&script, "echo it runs\n").unwrap();
    for (mode, why) in [(0o644, "is not executable"), (0o755, "in the first line")] {
        fs::set_permissions(&script, fs::Permissions::from_mode(mode)).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_steadfast"));
        let refused = command.args(["run", "--"]).arg(&script).output().unwrap();
        assert_eq!(refused.status.code(), Some(126), "{mode:o}");
        let printed = text(&refused.stderr);
        assert!(printed.contains(why) && !printed.contains("attempt"), "{mode:o}: {printed}");
    }
}
