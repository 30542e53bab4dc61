//! The command line.

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_example-storage")).args(arguments).output().unwrap()
}

/// X0: all faults in one run: every call succeeds, nothing is written twice, and the overhead is
/// printed.
pub(crate) fn a_demo_with_faults_succeeds() {
    let output = run(&["--rounds", "1", "--measured", "10"]);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{stdout}{}", String::from_utf8_lossy(&output.stderr));
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
        assert!(stdout.contains(expected), "no {expected:?} in:\n{stdout}");
    }
    assert!(!stdout.contains("\n    0 retries found their write"), "{stdout}");
}

#[test]
fn unknown_flag_is_rejected() {
    let output = run(&["--extension"]);
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("'--extensions'"), "{stderr}");
}

#[test]
fn unreachable_server_is_named() {
    // No server listens on port 1.
    let output = run(&["--server", "postgres://postgres@127.0.0.1:1/postgres"]);
    assert_eq!(output.status.code(), Some(1));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.starts_with("error: ") && stderr.contains("next: "), "{stderr}");
    assert!(stderr.contains("127.0.0.1"), "{stderr}");
}
