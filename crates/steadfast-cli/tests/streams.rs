//! What goes through stdin, stdout and stderr, and what does not (section 10).

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

/// J1: facts arrive as JSON.
#[test]
fn facts_are_read_from_stdin() {
    let judged = answer_to("classify --fault - --json", br#"{"grpc_status": "UNAVAILABLE"}"#);
    assert_eq!(
        text(&judged.stdout),
        "{\"class\":\"retryable\",\"rule\":\"grpc:UNAVAILABLE\",\"matched_by\":\"default\",\
         \"hint\":null,\"fault\":{\"grpc_status\":\"UNAVAILABLE\"}}\n"
    );
    assert_eq!(judged.status.code(), Some(0));
}

/// K4: limits on every input.
#[test]
fn endless_facts_are_refused() {
    let refused = answer_to("classify --fault -", &vec![b' '; 4 * 1024 * 1024]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("the fault from stdin is larger than 1 MiB"));
    assert!(refused.stdout.is_empty());
}

/// K4: neither depth nor bytes that are no text bring it down.
#[test]
fn garbage_is_refused() {
    for garbage in [&b""[..], b"\xff\xfe", b"null", &b"{\"causes\":[".repeat(50_000)] {
        let refused = answer_to("classify --fault -", garbage);
        assert_eq!(refused.status.code(), Some(2));
        assert!(text(&refused.stderr).contains("the fault from stdin is not understood"));
    }
}

#[test]
fn a_reader_that_has_read_enough_ends_it_quietly() {
    let mut child = steadfast("policy plan --max-attempts 10000 --attempts 10000 --json")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), text(&ended.stderr)), (Some(0), ""));
}

/// Exit code 1: the work was understood, and failed.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    for line in ["policy plan", "--help"] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let failed = steadfast(line).stdout(full).output().unwrap();
        assert_eq!(failed.status.code(), Some(1), "{line}");
        assert!(text(&failed.stderr).contains("the output could not be written"), "{line}");
    }
}

#[test]
fn what_is_said_beside_the_answer_stays_out_of_it() {
    let planned = answer("policy plan --max-attempts 9 --attempts 1 --json");
    assert_eq!(
        text(&planned.stdout),
        "{\"policy\":null,\"attempts\":[{\"attempt\":1,\"delay\":0,\"min\":0,\"max\":0,\
         \"total_min\":0,\"total_max\":0}]}\n"
    );
    assert_eq!(text(&planned.stderr), "note: there are 8 more attempts: use --attempts 9\n");
    let refused = answer("policy plan --max-attempts 0 --json");
    assert_eq!(text(&refused.stdout), "");
}

/// Colour only where somebody sees it, or insists.
#[test]
fn colours_are_for_terminals_and_for_who_insists() {
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

/// Exit code 78, by variable as by flag; a variable that is empty is none.
#[test]
fn the_environment_names_the_policy_file() {
    let plan = || steadfast("policy plan --policy sql");
    let missing = plan().env("STEADFAST_CONFIG", "missing.yaml").output().unwrap();
    assert_eq!(missing.status.code(), Some(78));
    assert!(text(&missing.stderr).contains("missing.yaml cannot be read"));
    let none = plan().env("STEADFAST_CONFIG", "").output().unwrap();
    assert_eq!(none.status.code(), Some(0));
}

/// F2: a policy file can come through a pipe.
#[test]
fn policies_are_checked_as_they_come_through_a_pipe() {
    let good = answer_to("policy check -", b"version: 1.1.0\npolicies: {calls: {}}\n");
    assert_eq!(text(&good.stdout), "stdin: 1 policy, 0 mapped names, no problems\n");
    assert_eq!(good.status.code(), Some(0));
    let wrong = answer_to("policy check - --json", b"version: 1.1.0\npolicies: [\n");
    assert_eq!(wrong.status.code(), Some(78));
    assert!(text(&wrong.stdout).starts_with("{\"ok\":false,\"problems\":[{\"file\":\"stdin\","));
}

/// K4: limits on every input.
#[test]
fn endless_policies_are_refused() {
    let refused = answer_to("policy check -", &vec![b'#'; 32 * 1024 * 1024]);
    assert_eq!(refused.status.code(), Some(78));
    assert!(text(&refused.stdout).contains("stdin: "));
    assert!(text(&refused.stdout).ends_with("1 problem in stdin\n"));
}
