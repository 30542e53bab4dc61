//! The program, used badly.

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stderr, .. } =
        Command::new(env!("CARGO_BIN_EXE_example-clickhouse")).args(arguments).output().unwrap();
    (status.code(), String::from_utf8_lossy(&stderr).into_owned())
}

#[test]
fn a_flag_that_does_not_exist_is_answered_with_the_nearest() {
    let (code, said) = run(&["--sever", "127.0.0.1:8123"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("--server"), "{said}");
}

#[test]
fn an_address_that_is_none_is_answered_with_one_that_is() {
    let (code, said) = run(&["--server", "127.0.0.1"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("say HOST:PORT, as in 127.0.0.1:8123"), "{said}");
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let (code, said) = run(&["--server", "http://127.0.0.1:1"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("http://127.0.0.1:1/ping"), "{said}");
    assert!(said.contains("connection_refused"), "{said}");
}
