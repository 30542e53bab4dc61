//! Invalid command lines.

use std::process::{Command, Output};

use crate::program;

fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stderr, .. } = Command::new(program()).args(arguments).output().unwrap();
    (status.code(), String::from_utf8(stderr).unwrap())
}

/// Section 10: exit code 2 for usage errors.
#[test]
fn misspelled_argument_is_reported_with_suggestion() {
    let (code, stderr) = run(&["day"]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("similar subcommand exists: 'days'"), "{stderr}");
    let (code, stderr) = run(&["--order", "10"]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("similar argument exists: '--orders'"), "{stderr}");
    let (code, stderr) = run(&["--orders", "0"]);
    assert_eq!(code, Some(2));
    assert!(stderr.contains("0 is not in 1..=100000"), "{stderr}");
}

/// Section 10: exit code 1 for failures.
#[test]
fn unreachable_server_is_reported_with_next_step() {
    // No server listens on port 1.
    let (code, stderr) = run(&["days", "--server", "postgres://postgres@127.0.0.1:1/postgres"]);
    assert_eq!(code, Some(1));
    assert!(stderr.starts_with("error: ") && stderr.contains("next: "), "{stderr}");
    let (code, stderr) = run(&["days", "--server", "not-a-url"]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("postgres://user@host:5432/postgres"), "{stderr}");
}
