//! What a talkative command costs (D19, K4). In a file of its own: it measures the whole process.

#![cfg(all(feature = "command", target_os = "linux"))]
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use serde_json::json;
use steadfast_worker::handlers::{CommandCall, Commands};

const WRITTEN: usize = 100_000_000;
const MOST_KIB: usize = 8 * 1024;

/// The most memory that this process ever had, in KiB.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// D19: a hundred megabytes of output are read, and the last 64 KiB of them kept.
#[tokio::test]
async fn endless_output_takes_no_memory() {
    let commands = Commands::new(["sh"]);
    let run = async |bytes: usize| {
        let script = format!("head -c {bytes} /dev/zero | tr '\\0' 'x'; echo end");
        let payload = json!({"program": "sh", "args": ["-c", script]});
        commands.call(CommandCall::read(&payload.to_string()).unwrap(), None, None).await.unwrap()
    };
    run(1_000_000).await;
    let before = peak();
    let answer = run(WRITTEN).await;
    assert!(peak() - before < MOST_KIB, "{} KiB more", peak() - before);
    assert_eq!(answer.stdout.len(), 64 * 1024);
    assert!(answer.stdout.ends_with("xend\n"));
    assert!(answer.truncated);
}
