//! The command line.

use std::process::{Command, Output};

fn output(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_example-clickhouse")).args(arguments).output().unwrap()
}

fn run(arguments: &[&str]) -> (Option<i32>, String) {
    let Output { status, stderr, .. } = output(arguments);
    (status.code(), String::from_utf8_lossy(&stderr).into_owned())
}

/// X3: the README's command, with fewer batches: a temporary server, both clients, the results.
#[test]
fn short_scenario_prints_results() {
    let Output { status, stdout, stderr } = output(&["--batches", "20"]);
    let printed = String::from_utf8_lossy(&stdout);
    assert!(status.success(), "{printed}{}", String::from_utf8_lossy(&stderr));
    assert!(printed.contains("\n  20 batches of 1000 rows, 9 a second;"), "{printed}");
    for (row, wanted) in [
        ("rows stored in time", None),
        ("rows per second (goodput)", None),
        ("requests", None),
        ("rows lost", Some("0")),
        ("rows too many", Some("0")),
    ] {
        let line = printed.lines().find_map(|line| line.trim().strip_prefix(row));
        let ours = line.and_then(|line| line.split_whitespace().next());
        assert!(ours.is_some_and(|ours| ours.parse::<u64>().is_ok()), "{row}: {printed}");
        assert!(wanted.is_none() || ours == wanted, "{row}: {printed}");
    }
    let ratio = printed.lines().find_map(|line| line.strip_prefix("Goodput ratio: "));
    assert!(ratio.is_some_and(|ratio| ratio.ends_with(" times.")), "{printed}");
}

#[test]
fn unknown_flag_error_suggests_the_nearest() {
    let (code, said) = run(&["--sever", "127.0.0.1:8123"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("--server"), "{said}");
}

#[test]
fn invalid_address_error_shows_an_example() {
    let (code, said) = run(&["--server", "127.0.0.1"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("use HOST:PORT, such as 127.0.0.1:8123"), "{said}");
}

#[test]
fn unreachable_server_is_named() {
    let (code, said) = run(&["--server", "http://127.0.0.1:1"]);
    assert_eq!(code, Some(1));
    assert!(said.contains("http://127.0.0.1:1/ping"), "{said}");
    assert!(said.contains("connection_refused"), "{said}");
}
