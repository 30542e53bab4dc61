//! The command line.

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

fn replay(place: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_example-replay"));
    command.current_dir(place).args(arguments).output().unwrap()
}

/// The exit code and the error of an invalid call.
fn refused(arguments: &[&str]) -> (Option<i32>, String) {
    let place = TempDir::new().unwrap();
    std::fs::create_dir(place.path().join("runs")).unwrap();
    let output = replay(place.path(), arguments);
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

/// X1: the demo runs to its end, including the crash. S1, O2: the log distinguishes first attempts
/// from retries, and has the time and the result of each retry.
#[test]
fn scenario_shows_every_verdict_and_the_columns() {
    let place = TempDir::new().unwrap();
    let output = replay(place.path(), &["demo", "--dir", "demo"]);
    let stdout = String::from_utf8(output.stdout).unwrap();
    let logged = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stdout}\n{logged}");
    let (killed, view) = stdout.split_once("== the next daemon ==").unwrap();
    let line = |text: &str, run: &str| {
        let mut lines = text.lines().filter(|line| line.trim_start().starts_with(run));
        lines.next().unwrap().split_whitespace().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(line(killed, "video/tour")[0], "processing");
    for (run, status, retries) in [
        ("catalogue/lamp", "passed", "0"),
        ("catalogue/chair", "needs_review", "0"),
        ("catalogue/desk", "failed", "0"),
        ("catalogue/ghost", "error", "0"),
        ("checkout/card", "passed", "0"),
        ("checkout/gift", "error", "3"),
        ("search/oak", "passed", "0"),
        ("reports/may", "passed", "0"),
        ("video/tour", "passed", "0"),
    ] {
        assert_eq!(line(view, run)[..2], [status, retries], "{run}");
    }
    for said in [
        "replaying run=\"checkout/card\"",
        "replaying again run=\"checkout/card\" attempt=2 max=4",
        "retrying in 100ms attempt=1 max=4 run=\"checkout/card\" class=\"retryable\"",
        "succeeded after a retry attempt=",
        "gave up: attempts exhausted attempt=4 max=4 run=\"checkout/gift\"",
    ] {
        assert!(logged.contains(said), "{said}:\n{logged}");
    }
    let again = replay(place.path(), &["demo", "--dir", "demo"]);
    let said = String::from_utf8(again.stderr).unwrap();
    assert!(said.contains("demo already contains a demo"), "{said}");
}

/// Usage errors say what to do instead.
#[test]
fn invalid_call_error_shows_the_usage() {
    let (code, said) = refused(&["deamon"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("'daemon'"), "{said}");

    let service = ["--service", "http://127.0.0.1:1"];
    let (code, said) = refused(&["daemon", "--runs", "runs", "--service", "ftp://host"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("use http://HOST:PORT"), "{said}");

    let (code, said) = refused(&[&["daemon", "--runs", "nowhere"][..], &service].concat());
    assert_eq!(code, Some(1));
    assert!(said.contains("cannot look for runs in nowhere") && said.contains("--runs"), "{said}");

    let lease = ["daemon", "--runs", "runs", "--lease", "10ms"];
    let (code, said) = refused(&[&lease[..], &service].concat());
    assert_eq!(code, Some(1));
    assert!(said.contains("lease: must be at least one second"), "{said}");

    let delay = ["daemon", "--runs", "runs", "--max-delay", "1s"];
    let (code, said) = refused(&[&delay[..], &service].concat());
    assert_eq!(code, Some(1));
    assert!(said.contains("max_delay 1s is shorter than base_delay 1m"), "{said}");
}
