//! How a server begins, changes its policies, and ends (H1, F4, D13).

use std::os::unix::net::UnixDatagram;
use std::time::Duration;

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::process::{Served, until};
use crate::store::Folder;

fn policy(attempts: u32) -> String {
    format!("version: '1.1.0'\npolicies:\n  calls: {{max_attempts: {attempts}}}\n")
}

/// Section 10: no flags needed; it makes its store, says where it is, and ends in order.
#[test]
fn a_server_needs_nothing_but_to_be_started() {
    let folder = Folder::empty();
    let mut served = Served::start(&folder, "");
    assert!(folder.path().join("steadfast.db").exists());
    let ready = served.told("doctor --ready");
    assert!(ready.contains("ready, and its store answers"), "{ready}");
    served.signal(Signal::SIGTERM);
    assert_eq!(served.ended().code(), Some(0), "{}", served.log());
    assert!(served.log().contains("worker stopped"), "{}", served.log());
}

/// H1: for a machine, where it is and what it logs are JSON.
#[test]
fn a_log_can_be_read_by_a_machine() {
    let folder = Folder::empty();
    let mut served = Served::start(&folder, "--log-format json --no-worker");
    served.signal(Signal::SIGINT);
    assert_eq!(served.ended().code(), Some(0));
    let log = served.log();
    assert!(!log.is_empty());
    for line in log.lines() {
        let entry: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("{line}"));
        assert!(entry["level"].is_string() && entry["timestamp"].is_string(), "{line}");
    }
}

/// H1: a port that is taken is told with the flag that chooses another.
#[test]
fn a_port_that_is_taken_is_told_with_the_way_out() {
    let folder = Folder::empty();
    let served = Served::start(&folder, "--no-worker");
    let taken = served.url.strip_prefix("http://").unwrap();
    let (code, told) = folder.refused(&format!("serve --listen {taken}"));
    assert_eq!(code, Some(1));
    assert!(told.contains("in use") && told.contains("--listen"), "{told}");
}

/// D7: a lease that nobody can keep, or that nobody would wait for, is told before anything is served.
#[test]
fn a_lease_that_makes_no_sense_is_refused() {
    let folder = Folder::empty();
    for (lease, problem) in [("10ms", "at least one second"), ("2d", "at most 24 hours")] {
        let (code, told) = folder.refused(&format!("serve --lease {lease}"));
        assert_eq!(code, Some(2));
        assert!(told.contains(problem) && told.contains("--lease"), "{told}");
    }
}

/// F2, K1: what is wrong about the configuration is told before anything is served.
#[test]
fn a_wrong_configuration_is_told_at_once() {
    let folder = Folder::empty();
    std::fs::write(folder.path().join("steadfast.yaml"), policy(0)).unwrap();
    let (code, told) = folder.refused("serve --listen 127.0.0.1:0");
    assert_eq!(code, Some(78));
    assert!(told.contains("max_attempts") && told.contains("steadfast.yaml:3"), "{told}");
    std::fs::remove_file(folder.path().join("steadfast.yaml")).unwrap();

    let (code, told) = folder.refused("serve --listen 0.0.0.0:0");
    assert_eq!(code, Some(78));
    assert!(told.contains("0.0.0.0:0") && told.contains("help:"), "{told}");
    let hint = told.replace('\n', " ").split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, hint) = hint.split_once('`').unwrap();
    let (command, _) = hint.split_once('`').unwrap();
    folder.told(command.strip_prefix("steadfast ").unwrap());
    assert!(folder.path().join("tokens.toml").exists(), "the command of the hint works: {command}");

    for (flags, field) in [
        ("--listen 7700", "127.0.0.1:7700"),
        ("--lease 10ms", "at least one second"),
        ("--concurrency 0", "1..=100000"),
        ("--allow-target 10.0.0.0/99", "--allow-target"),
        ("--no-worker --allow-command backup", "--no-worker"),
        ("--server http://127.0.0.1:7700", "--store"),
    ] {
        let (code, told) = folder.refused(&format!("serve {flags}"));
        assert_eq!(code, Some(2), "{flags}");
        assert!(told.contains(field), "{flags}: {told}");
    }
}

/// D14: a store that a newer program wrote is left alone, and it is said what to do.
#[test]
fn a_store_of_a_newer_program_is_left_alone() {
    let folder = Folder::with(async |_| {});
    folder.sql("INSERT INTO steadfast_schema (version) VALUES (9999)");
    let (code, told) = folder.refused("serve --listen 127.0.0.1:0");
    assert_eq!(code, Some(78), "{told}");
    assert!(told.contains("9999") && told.contains("use the version"), "{told}");
}

/// F4: a changed file holds without a restart, and the audit log has what changed. A bad one
/// changes nothing, and is in the log, too.
#[test]
fn a_changed_policy_file_is_in_force_and_in_the_audit_log() {
    let folder = Folder::empty();
    let file = folder.path().join("steadfast.yaml");
    std::fs::write(&file, policy(3)).unwrap();
    let served = Served::start(&folder, "--no-worker");
    std::fs::write(&file, policy(5)).unwrap();
    served.signal(Signal::SIGHUP);
    let reloads = || -> Vec<Value> {
        let told: Value = serde_json::from_str(&served.told("audit --json")).unwrap();
        let all = told["items"].as_array().unwrap().iter();
        all.filter(|entry| entry["action"] == "policy.reload").cloned().collect()
    };
    let entry = until(|| reloads().into_iter().next());
    let change = &entry["detail"]["changes"][0];
    assert_eq!(change["path"], "policies.calls.max_attempts");
    assert_eq!((change["from"].to_string(), change["to"].to_string()), ("3".into(), "5".into()));
    assert!(entry["target"].as_str().unwrap().ends_with("steadfast.yaml"));

    std::fs::write(&file, policy(0)).unwrap();
    served.signal(Signal::SIGHUP);
    let refused = until(|| reloads().into_iter().find(|it| it["detail"]["outcome"] == "refused"));
    assert!(refused["detail"]["problems"].to_string().contains("max_attempts"), "{refused}");
    let preview = served.told("submit command --policy calls --dry-run --json -- true");
    let preview: Value = serde_json::from_str(&preview).unwrap();
    assert_eq!(preview["policy"]["max_attempts"], 5);
}

/// D13: a supervisor that waits for it is told when it can be asked, and when it ends.
#[test]
fn a_supervisor_is_told_when_it_is_ready() {
    let folder = Folder::empty();
    let path = folder.path().join("supervisor");
    let supervisor = UnixDatagram::bind(&path).unwrap();
    supervisor.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let heard = || {
        let mut words = [0; 64];
        let length = supervisor.recv(&mut words).unwrap();
        String::from_utf8_lossy(&words[..length]).trim().to_owned()
    };
    let mut served = Served::start_with(&folder, "--no-worker", |command| {
        command.env("NOTIFY_SOCKET", &path);
    });
    assert_eq!(heard(), "READY=1");
    served.signal(Signal::SIGTERM);
    assert_eq!(heard(), "STOPPING=1");
    assert_eq!(served.ended().code(), Some(0));
}

/// D13: the first signal waits for what runs, the second for nothing.
#[test]
fn a_second_signal_ends_at_once() {
    let folder = Folder::empty();
    let mut served = Served::start(&folder, "--allow-command sleep");
    served.told("submit command -- sleep 600");
    until(|| served.told("tasks list --status running").contains("command").then_some(()));
    served.signal(Signal::SIGTERM);
    until(|| served.log().contains("what runs may finish").then_some(()));
    served.signal(Signal::SIGTERM);
    assert_eq!(served.ended().code(), Some(128 + 15));
}

/// H1, D13: a server that drains says that it is not ready and answers everything else; a second
/// signal ends the draining, and the server ends in order.
#[test]
fn a_second_signal_ends_a_drain() {
    let folder = Folder::empty();
    let mut served = Served::start(&folder, "--no-worker --drain 10m");
    served.signal(Signal::SIGTERM);
    let ready = format!("doctor --ready --server {}", served.url);
    until(|| (!folder.output(&ready).status.success()).then_some(()));
    served.told("submit command -- true");
    served.signal(Signal::SIGTERM);
    assert_eq!(served.ended().code(), Some(0), "{}", served.log());
    assert!(folder.told("audit").contains("task.submit"), "the end of the log was written");
}

/// H1: whether a server is there is another question than whether it is of use. One that drains,
/// or whose store is away, is not ready, and whoever starts it again mends nothing.
#[test]
fn a_server_that_is_not_ready_is_alive() {
    let folder = Folder::empty();
    let mut served = Served::start(&folder, "--no-worker --drain 10m");
    let url = served.url.clone();
    let asked = |what: &str| folder.output(&format!("doctor --{what} --server {url}"));
    assert!(asked("ready").status.success() && asked("alive").status.success());
    served.signal(Signal::SIGTERM);
    until(|| (!asked("ready").status.success()).then_some(()));
    let alive = asked("alive");
    assert!(alive.status.success());
    let told = String::from_utf8_lossy(&alive.stdout).into_owned();
    assert!(told.contains("alive; its store was not asked"), "{told}");
    served.signal(Signal::SIGTERM);
    served.ended();
    assert_eq!(asked("alive").status.code(), Some(1));
}

/// A command whose process may have so many file descriptors at first, and at most.
fn limited(command: &mut std::process::Command, soft: u32, hard: u32) {
    let program = command.get_program().to_owned();
    let given: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    let folder = command.get_current_dir().map(ToOwned::to_owned);
    let limits = format!("ulimit -Sn {soft} && ulimit -Hn {hard} && exec \"$0\" \"$@\"");
    *command = std::process::Command::new("sh");
    command.arg("-c").arg(limits).arg(program).args(given).current_dir(folder.unwrap());
}

/// K4: a server takes all the file descriptors that it may have, and says when they are too few.
#[test]
fn a_server_asks_for_file_descriptors() {
    let folder = Folder::empty();
    let flags = "--no-worker --connections 500";
    let served = Served::start_with(&folder, flags, |command| limited(command, 64, 1000));
    assert!(!served.log().contains("too few"), "{}", served.log());
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", served.pid())).unwrap();
    let files = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    assert_eq!(files.split_whitespace().nth(3), Some("1000"), "{limits}");

    let folder = Folder::empty();
    let served = Served::start_with(&folder, flags, |command| limited(command, 64, 400));
    let log = served.log();
    assert!(log.contains("too few file descriptors") && log.contains("LimitNOFILE"), "{log}");
    assert!(log.contains("wanted=500") && log.contains("possible=144"), "{log}");
}
