//! Use of stdin, stdout and stderr (section 10).

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use std::fs::File;
use std::io::Write;
use std::process::{Command, Output, Stdio};

fn steadfast(line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_steadfast"));
    command.args(line.split(' '));
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "STEADFAST_CONFIG"] {
        command.env_remove(variable);
    }
    command
}

fn answer(line: &str) -> Output {
    steadfast(line).output().unwrap()
}

fn answer_to(line: &str, input: &[u8]) -> Output {
    let piped = || Stdio::piped();
    let mut child = steadfast(line).stdin(piped()).stdout(piped()).stderr(piped()).spawn().unwrap();
    // It stops reading where it has seen enough.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

/// J1: facts are read as JSON.
#[test]
fn facts_are_read_from_stdin() {
    let judged = answer_to("classify --fault - --json", br#"{"grpc_status": "UNAVAILABLE"}"#);
    assert_eq!(
        text(&judged.stdout),
        "{\"class\":\"retryable\",\"rule\":\"grpc:UNAVAILABLE\",\"matched_by\":\"default\",\
         \"hint\":null,\"fault\":{\"grpc_status\":\"UNAVAILABLE\"},\"next\":\"retry after 1s\"}\n"
    );
    assert_eq!(judged.status.code(), Some(0));
}

/// K4: limits on every input.
#[test]
fn endless_facts_are_rejected() {
    let refused = answer_to("classify --fault -", &vec![b' '; 4 * 1024 * 1024]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("the fault from stdin is larger than 1 MiB"));
    assert!(refused.stdout.is_empty());
}

/// K4: deep nesting and invalid UTF-8 are rejected.
#[test]
fn garbage_is_rejected() {
    for garbage in [&b""[..], b"\xff\xfe", b"null", &b"{\"causes\":[".repeat(50_000)] {
        let refused = answer_to("classify --fault -", garbage);
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused.stderr).contains("invalid fault in stdin"));
    }
}

#[test]
fn closed_stdout_ends_the_command_quietly() {
    let mut child = steadfast("policy plan --max-attempts 10000 --attempts 10000 --json")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), text(&ended.stderr)), (Some(0), ""));
}

/// Exit code 1: the operation failed.
#[cfg(target_os = "linux")]
#[test]
fn full_disk_is_reported() {
    for line in ["policy plan", "--help"] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let failed = steadfast(line).stdout(full).output().unwrap();
        assert_eq!(failed.status.code(), Some(1), "{line}");
        assert!(text(&failed.stderr).contains("cannot write the output"), "{line}");
    }
}

#[test]
fn notes_are_not_on_stdout() {
    let planned = answer("policy plan --max-attempts 9 --attempts 1 --json");
    assert_eq!(
        text(&planned.stdout),
        "{\"policy\":null,\"attempts\":[{\"attempt\":1,\"delay\":0,\"min\":0,\"max\":0,\
         \"total_min\":0,\"total_max\":0}]}\n"
    );
    assert_eq!(text(&planned.stderr), "note: 8 more attempts: show them with --attempts 9\n");
    let refused = answer("policy plan --max-attempts 0 --json");
    assert_eq!(text(&refused.stdout), "");
}

/// Colours only on a terminal, or with `--color always`.
#[test]
fn colours_are_used_on_terminals_or_on_request() {
    let coloured = |command: &mut Command| {
        let output = command.output().unwrap();
        output.stdout.contains(&0x1b) || output.stderr.contains(&0x1b)
    };
    for line in [
        "classify --http 503",
        "policy plan --preset sql",
        "policy plot --preset sql",
        "policy explain sql",
        "policy check missing.yaml",
        "nonsense",
        "--help",
    ] {
        assert!(!coloured(&mut steadfast(line)), "{line}");
        assert!(!coloured(steadfast(line).env("NO_COLOR", "1")), "{line}");
        assert!(coloured(steadfast(line).env("CLICOLOR_FORCE", "1")), "{line}");
        assert!(coloured(&mut steadfast(&format!("--color always {line}"))), "{line}");
        let never = &mut steadfast(&format!("--color never {line}"));
        assert!(!coloured(never.env("CLICOLOR_FORCE", "1")), "{line}");
    }
}

/// Exit code 78, for the environment variable as for the flag; an empty variable counts as unset.
#[test]
fn environment_selects_the_policy_file() {
    let plan = || steadfast("policy plan --policy sql");
    let missing = plan().env("STEADFAST_CONFIG", "missing.yaml").output().unwrap();
    assert_eq!(missing.status.code(), Some(78));
    assert!(text(&missing.stderr).contains("cannot read the policy file"));
    let none = plan().env("STEADFAST_CONFIG", "").output().unwrap();
    assert_eq!(none.status.code(), Some(0));
}

/// F2: a policy file can be read from stdin.
#[test]
fn policies_are_checked_from_stdin() {
    let good = answer_to("policy check -", b"version: 1.1.0\npolicies: {calls: {}}\n");
    assert_eq!(text(&good.stdout), "stdin: 1 policy, 0 mapped names, no problems\n");
    assert_eq!(good.status.code(), Some(0));
    let wrong = answer_to("policy check - --json", b"version: 1.1.0\npolicies: [\n");
    assert_eq!(wrong.status.code(), Some(78));
    assert!(text(&wrong.stdout).starts_with("{\"ok\":false,\"problems\":[{\"file\":\"stdin\","));
}

/// K4: limits on every input.
#[test]
fn endless_policies_are_rejected() {
    let refused = answer_to("policy check -", &vec![b'#'; 32 * 1024 * 1024]);
    assert_eq!(refused.status.code(), Some(78));
    assert!(text(&refused.stdout).contains("stdin: "));
    assert!(text(&refused.stdout).ends_with("1 problem in stdin\n"));
}
