//! The command line.

use std::process::{Command, Output};

fn output(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_example-clickhouse")).args(arguments).output().unwrap()
}

fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stderr, .. } = output(arguments);
    (status.code(), String::from_utf8_lossy(&stderr).into_owned())
}

/// X3: the README's command, on a shorter storm: a server of its own, both clients, the figures.
#[test]
fn a_short_storm_is_shown_in_figures() {
    let Output { status, stdout, stderr } = output(&["--batches", "20"]);
    let told = String::from_utf8_lossy(&stdout);
    assert!(status.success(), "{told}{}", String::from_utf8_lossy(&stderr));
    assert!(told.contains("\n  20 batches of 1000 rows, 9 a second;"), "{told}");
    for (row, wanted) in [
        ("rows stored in time", None),
        ("rows per second (goodput)", None),
        ("requests", None),
        ("rows lost", Some("0")),
        ("rows too many", Some("0")),
    ] {
        let line = told.lines().find_map(|line| line.trim().strip_prefix(row));
        let ours = line.and_then(|line| line.split_whitespace().next());
        assert!(ours.is_some_and(|ours| ours.parse::<u64>().is_ok()), "{row}: {told}");
        assert!(wanted.is_none() || ours == wanted, "{row}: {told}");
    }
    let ratio = told.lines().find_map(|line| line.strip_prefix("Goodput ratio: "));
    assert!(ratio.is_some_and(|ratio| ratio.ends_with(" times.")), "{told}");
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
