//! The program in a process of its own, so that the environment it starts in and all that it
//! writes can be seen.

use std::process::{Command, Output, Stdio};

use steadfast_server::{LogFormat, init_logs};

use crate::program::{self, Told};

/// What the process is told by.
const IS_CHILD: &str = "STEADFAST_TEST_CHILD";

/// The program that the other tests start.
#[test]
#[ignore = "started by other tests"]
fn the_program() {
    assert!(std::env::var_os(IS_CHILD).is_some(), "other tests start it");
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let logs = init_logs(LogFormat::Json).unwrap();
        let told = program::run().await;
        logs.shutdown().await;
        println!("\n{}", serde_json::to_string(&told).unwrap());
    });
}

/// What the program told by itself, and what it wrote to its log.
pub(crate) fn run(environment: &[(&str, &str)]) -> (Told, String) {
    let Output { status, stdout, stderr } = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child::the_program", "--ignored", "--nocapture"])
        .env(IS_CHILD, "1")
        .env_remove("RUST_LOG")
        .envs(environment.iter().copied())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let (stdout, stderr) = (String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap());
    assert!(status.success(), "{stdout}\n{stderr}");
    let told = stdout.lines().find(|line| line.starts_with('{')).expect("what it told");
    (serde_json::from_str(told).unwrap(), stderr)
}
