//! Invalid command lines.

use std::process::{Command, Output};

use crate::program;

fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stderr, .. } = Command::new(program()).args(arguments).output().unwrap();
    (status.code(), String::from_utf8(stderr).unwrap())
}

/// Section 10: 2 is usage.
#[test]
fn a_wrong_word_is_told_with_the_right_one() {
    let (code, told) = run(&["day"]);
    assert_eq!(code, Some(2));
    assert!(told.contains("similar subcommand exists: 'days'"), "{told}");
    let (code, told) = run(&["--order", "10"]);
    assert_eq!(code, Some(2));
    assert!(told.contains("similar argument exists: '--orders'"), "{told}");
    let (code, told) = run(&["--orders", "0"]);
    assert_eq!(code, Some(2));
    assert!(told.contains("0 is not in 1..=100000"), "{told}");
}

/// Section 10: 1 is what failed.
#[test]
fn a_server_that_is_not_there_is_told_with_what_to_do() {
    // Nobody listens on port 1.
    let (code, told) = run(&["days", "--server", "postgres://postgres@127.0.0.1:1/postgres"]);
    assert_eq!(code, Some(1));
    assert!(told.starts_with("error: ") && told.contains("next: "), "{told}");
    let (code, told) = run(&["days", "--server", "not-a-url"]);
    assert_eq!(code, Some(1));
    assert!(told.contains("postgres://user@host:5432/postgres"), "{told}");
}
