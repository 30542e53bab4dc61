//! The command line.

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_example-storage")).args(arguments).output().unwrap()
}

/// X0: everything that happens to a server, in one run: all ends well, nothing is written
/// twice, and what it costs is printed.
pub(crate) fn a_bad_day_ends_well() {
    let output = run(&["--rounds", "1", "--measured", "10"]);
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    for expected in [
        "sessions terminated\n",
        "during their commit",
        "server restarted",
        "server crashed",
        "connections refused",
        " succeeded, 0 gave up",
        "SQLSTATE 57P01 ",
        "pool_timeout ",
        " 0 lost, 0 duplicated",
        "ratio\n",
        "flushed to disk",
    ] {
        assert!(told.contains(expected), "no {expected:?} in:\n{told}");
    }
    assert!(!told.contains("\n    0 retries found their write"), "{told}");
}

#[test]
fn a_flag_that_is_none_is_refused() {
    let output = run(&["--extension"]);
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("'--extensions'"), "{told}");
}

#[test]
fn a_server_that_is_not_there_is_named() {
    // Nobody listens on the port that is everybody's.
    let output = run(&["--server", "postgres://postgres@127.0.0.1:1/postgres"]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.starts_with("error: ") && told.contains("next: "), "{told}");
    assert!(told.contains("127.0.0.1"), "{told}");
}
