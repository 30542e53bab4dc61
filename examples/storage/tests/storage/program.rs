//! The command line.

use std::process::{Command, Output};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_example-storage")).args(arguments).output().unwrap()
}

/// X0: all faults in one run: every call succeeds, nothing is written twice, and the overhead is
/// printed. S0 has three retries, which faults in close succession can use up on a busy machine; then
/// the run is repeated, and nothing may be lost in it either.
pub(crate) fn a_demo_with_faults_succeeds() {
    const RUNS: usize = 3;
    let mut runs = (0..RUNS).map(|_| {
        let output = run(&["--rounds", "1", "--measured", "10"]);
        let printed = [output.stdout, output.stderr].concat();
        (output.status, String::from_utf8_lossy(&printed).into_owned())
    });
    let (status, stdout) = runs
        .find(|(_, stdout)| {
            assert!(stdout.contains(" 0 lost, 0 duplicated"), "{stdout}");
            stdout.contains(" succeeded, 0 gave up")
        })
        .unwrap();
    assert!(status.success(), "{stdout}");
    for expected in [
        "sessions terminated\n",
        "during their commit",
        "server restarted",
        "server crashed",
        "connections refused",
        "SQLSTATE 57P01 ",
        "pool_timeout ",
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
