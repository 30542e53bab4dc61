//! The observed program as a child process, with its own environment and captured output.

use std::process::{Output, Stdio};

use steadfast_server::{LogFormat, init_logs};
use steadfast_testing::process::ignored_test;

use crate::program::{self, Observed};

/// The name of the environment variable.
const IS_CHILD: &str = "STEADFAST_TEST_CHILD";

/// The entry point of the child process.
#[test]
#[ignore = "started by other tests"]
fn run_observed_program() {
    assert!(std::env::var_os(IS_CHILD).is_some(), "other tests start it");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let logs = init_logs(LogFormat::Json).unwrap();
        let observed = program::run().await;
        logs.shutdown().await;
        println!("\n{}", serde_json::to_string(&observed).unwrap());
    });
}

/// Runs the program and returns what it observed, and its log.
pub(crate) fn run(environment: &[(&str, &str)]) -> (Observed, String) {
    let Output { status, stdout, stderr } = ignored_test("child_process::run_observed_program")
        .unwrap()
        .env(IS_CHILD, "1")
        .env_remove("RUST_LOG")
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let (stdout, stderr) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
    assert!(status.success(), "{stdout}\n{stderr}");
    let observed =
        stdout.lines().find(|line| line.starts_with('{')).expect("the output of the child process");
    (serde_json::from_str(observed).unwrap(), stderr)
}
