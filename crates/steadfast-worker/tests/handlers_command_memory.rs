//! The memory of a command with much output (D19, K4). A file of its own: it measures the process.

#![cfg(all(feature = "command", target_os = "linux"))]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use serde_json::json;
use steadfast_worker::handlers::{CommandCall, Commands};

const OUTPUT_BYTES: usize = 100_000_000;
const MAX_GROWTH_KIB: usize = 8 * 1024;

/// The peak resident memory of this process, in KiB.
fn peak_kib() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// D19: a hundred megabytes of output are read, and the last 64 KiB of them stored.
#[tokio::test]
async fn large_output_uses_bounded_memory() {
    let commands = Commands::new(["sh"]);
    let run = async |bytes: usize| {
        let script = format!("head -c {bytes} /dev/zero | tr '\\0' 'x'; echo end");
        let payload = json!({"program": "sh", "args": ["-c", script]});
        commands.call(CommandCall::parse(&payload.to_string()).unwrap(), None, None).await.unwrap()
    };
    run(1_000_000).await;
    let before = peak_kib();
    let answer = run(OUTPUT_BYTES).await;
    assert!(peak_kib() - before < MAX_GROWTH_KIB, "{} KiB more", peak_kib() - before);
    assert_eq!(answer.stdout.len(), 64 * 1024);
    assert!(answer.stdout.ends_with("xend\n"));
    assert!(answer.truncated);
}
