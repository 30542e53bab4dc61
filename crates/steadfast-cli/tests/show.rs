//! The output of `steadfast policy show` is a policy, as text and JSON (P1).

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::Path;
use std::process::Command;

const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd/policies.in");

fn steadfast(config: &Path, arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_steadfast"))
        .arg("-c")
        .arg(config)
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// P1: pasted into a file, it means the same.
#[test]
fn shown_policy_is_valid_in_a_policy_file() {
    let folder = tempfile::tempdir().unwrap();
    for (file, name) in [
        ("rich.yaml", "calls"),
        ("rich.yaml", "sql"),
        ("steadfast.yaml", "browser_state_timeout"),
        ("steadfast.yaml", "telemetry_batch_processing"),
        ("steadfast.yaml", "browser_access_denied"),
        ("hostile.yaml", "a: \u{1b}[2Jb"),
    ] {
        let config = Path::new(FILES).join(file);
        let shown = steadfast(&config, &["policy", "show", name]);
        let indented: String = shown.lines().map(|line| format!("  {line}\n")).collect();
        let copy = folder.path().join("copy.yaml");
        fs::write(&copy, format!("version: 1.1.0\npolicies:\n{indented}")).unwrap();

        let same = |config: &Path| -> serde_json::Value {
            let json = steadfast(config, &["policy", "show", name, "--json"]);
            let mut policy: serde_json::Value = serde_json::from_str(&json).unwrap();
            // One without a name has its id as its name, and says so when it is shown.
            policy.as_object_mut().unwrap().remove("name");
            policy
        };
        assert_eq!(same(&copy), same(&config), "{name}");
    }
}

/// K4: control characters of a file do not reach the terminal.
#[test]
fn control_characters_of_a_file_are_replaced() {
    let hostile = Path::new(FILES).join("hostile.yaml");
    for arguments in [
        &["policy", "list"][..],
        &["policy", "show", "a: \u{1b}[2Jb"],
        &["policy", "explain", "a: \u{1b}[2Jb"],
    ] {
        let coloured = [&["--color", "always"], arguments].concat();
        let shown = steadfast(&hostile, &coloured);
        assert!(!shown.contains("\u{1b}[2J") && !shown.contains("\u{1b}]0;"), "{arguments:?}");
        assert!(shown.contains("]0;hello"), "{arguments:?}: {shown}");
    }
}
