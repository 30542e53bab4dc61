//! Import and export of other systems' settings (F5).

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::tempdir;

const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd/import_export.in");

fn steadfast(folder: &Path, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_steadfast"));
    command.current_dir(folder).args(line.split(' ')).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

/// An imported file is a policy file, and exporting it restores the original.
#[test]
fn import_and_export_round_trip() {
    let folder = tempdir().unwrap();
    let config = r#"{"methodConfig": [{"name": [{"service": "a.B"}], "retryPolicy": {
        "maxAttempts": 3, "initialBackoff": "1s", "maxBackoff": "10s", "backoffMultiplier": 1.5,
        "retryableStatusCodes": ["UNAVAILABLE"]}}]}"#;
    fs::write(folder.path().join("service.json"), config).unwrap();
    let imported = steadfast(folder.path(), "policy import service.json -o steadfast.yaml");
    assert!(text(&imported.stderr).ends_with("note: 1 policy written to steadfast.yaml\n"));
    assert_eq!(steadfast(folder.path(), "policy check").status.code(), Some(0));

    let exported = steadfast(folder.path(), "policy export grpc");
    let same: serde_json::Value = serde_json::from_slice(&exported.stdout).unwrap();
    assert_eq!(same, serde_json::from_str::<serde_json::Value>(config).unwrap());
}

/// Section 10: JSON output contains the same text.
#[test]
fn json_output_contains_the_exported_text() {
    let export = format!("-c {FILES}/calls.yaml policy export grpc");
    let plain = steadfast(Path::new(FILES), &export);
    let json = steadfast(Path::new(FILES), &format!("{export} --json"));
    let printed: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let expected =
        serde_json::json!({"format": "grpc", "text": text(&plain.stdout), "unsupported": []});
    assert_eq!(printed, expected);
}

/// An existing policy file is not overwritten by mistake.
#[test]
fn existing_file_is_overwritten_only_with_force() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("steadfast.yaml");
    fs::write(&file, "precious").unwrap();
    let import = format!("policy import grpc {FILES}/service.json -o steadfast.yaml");
    let refused = steadfast(folder.path(), &import);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("steadfast.yaml already exists"));
    assert_eq!(fs::read_to_string(&file).unwrap(), "precious");

    let forced = steadfast(folder.path(), &format!("{import} --force"));
    assert_eq!(forced.status.code(), Some(0));
    assert!(fs::read_to_string(&file).unwrap().contains("max_attempts: 4"));
}

#[test]
fn strict_writes_no_lossy_file() {
    let folder = tempdir().unwrap();
    let import = format!("policy import grpc {FILES}/service.json -o steadfast.yaml --strict");
    assert_eq!(steadfast(folder.path(), &import).status.code(), Some(1));
    assert!(!folder.path().join("steadfast.yaml").exists());
}

#[test]
fn settings_are_read_from_stdin() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_steadfast"))
        .args(["policy", "import", "step-functions", "-", "--strict"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let states = br#"[{"ErrorEquals": ["States.Timeout"], "MaxAttempts": 2}]"#;
    child.stdin.take().unwrap().write_all(states).unwrap();
    let imported = child.wait_with_output().unwrap();
    assert_eq!(imported.status.code(), Some(0));
    assert!(text(&imported.stdout).starts_with("# Imported from stdin"));
}
