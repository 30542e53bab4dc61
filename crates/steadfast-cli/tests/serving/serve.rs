//! Start, policy reload and shutdown of a server (H1, F4, D13).

use std::os::unix::net::UnixDatagram;
use std::time::Duration;

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::process::Served;
use crate::store::Folder;
use steadfast_testing::poll::wait_for;

fn policy(attempts: u32) -> String {
    format!("version: '1.1.0'\npolicies:\n  calls: {{max_attempts: {attempts}}}\n")
}

/// Section 10: without flags it creates its store, prints its address and shuts down gracefully.
#[test]
fn server_starts_without_flags() {
    let folder = Folder::empty();
    let mut served = Served::start(&folder, "");
    assert!(folder.path().join("steadfast.db").exists());
    let ready = served.run_ok("doctor --ready");
    assert!(ready.contains("ready, and its store responds"), "{ready}");
    served.signal(Signal::SIGTERM);
    assert_eq!(served.ended().code(), Some(0), "{}", served.log());
    assert!(served.log().contains("worker stopped"), "{}", served.log());
}

/// H1: with JSON output, address and log are JSON.
#[test]
fn log_is_json_on_request() {
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

/// H1: a port in use is reported with the flag to choose another.
#[test]
fn port_in_use_is_reported_with_advice() {
    let folder = Folder::empty();
    let served = Served::start(&folder, "--no-worker");
    let taken = served.url.strip_prefix("http://").unwrap();
    let (code, printed) = folder.run_err(&format!("serve --listen {taken}"));
    assert_eq!(code, Some(1));
    assert!(printed.contains("in use") && printed.contains("--listen"), "{printed}");
}

/// O3: a build without OTLP does not ignore its configuration.
#[test]
#[cfg(not(feature = "otlp"))]
fn otlp_endpoint_without_the_feature_is_rejected_with_advice() {
    let folder = Folder::empty();
    let mut serve = folder.command("serve --listen 127.0.0.1:0");
    let refused = serve.env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318").output();
    let refused = refused.unwrap();
    let error = String::from_utf8(refused.stderr).unwrap();
    assert_eq!(refused.status.code(), Some(78));
    assert!(error.contains("--features otlp"), "{error}");
}

/// D7: an unreasonable lease is rejected at start.
#[test]
fn invalid_lease_is_rejected() {
    let folder = Folder::empty();
    for (lease, problem) in [("10ms", "at least one second"), ("2d", "at most 24 hours")] {
        let (code, printed) = folder.run_err(&format!("serve --lease {lease}"));
        assert_eq!(code, Some(2));
        assert!(printed.contains(problem) && printed.contains("--lease"), "{printed}");
    }
}

/// F2, K1: configuration errors are reported at start.
#[test]
fn invalid_configuration_is_reported_at_start() {
    let folder = Folder::empty();
    std::fs::write(folder.path().join("steadfast.yaml"), policy(0)).unwrap();
    let (code, printed) = folder.run_err("serve --listen 127.0.0.1:0");
    assert_eq!(code, Some(78));
    assert!(printed.contains("max_attempts") && printed.contains("steadfast.yaml:3"), "{printed}");
    std::fs::remove_file(folder.path().join("steadfast.yaml")).unwrap();

    let (code, printed) = folder.run_err("serve --listen 0.0.0.0:0");
    assert_eq!(code, Some(78));
    assert!(printed.contains("0.0.0.0:0") && printed.contains("help:"), "{printed}");
    let hint = printed.replace('\n', " ").split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, hint) = hint.split_once('`').unwrap();
    let (command, _) = hint.split_once('`').unwrap();
    folder.run_ok(command.strip_prefix("steadfast ").unwrap());
    assert!(folder.path().join("tokens.toml").exists(), "the command of the hint works: {command}");

    for (flags, field) in [
        ("--listen 7700", "127.0.0.1:7700"),
        ("--lease 10ms", "at least one second"),
        ("--concurrency 0", "from 1 to 100000"),
        ("--allow-target 10.0.0.0/99", "--allow-target"),
        ("--no-worker --allow-command backup", "--no-worker"),
        ("--server http://127.0.0.1:7700", "--store"),
    ] {
        let (code, printed) = folder.run_err(&format!("serve {flags}"));
        assert_eq!(code, Some(2), "{flags}");
        assert!(printed.contains(field), "{flags}: {printed}");
    }
}

/// D14: a store with a newer schema is not changed, and the error gives advice.
#[test]
fn store_with_newer_schema_is_not_changed() {
    let folder = Folder::with(async |_| {});
    folder.sql("INSERT INTO steadfast_schema (version) VALUES (9999)");
    let (code, printed) = folder.run_err("serve --listen 127.0.0.1:0");
    assert_eq!(code, Some(78), "{printed}");
    assert!(printed.contains("9999") && printed.contains("upgrade"), "{printed}");
}

/// F4: a changed policy file is applied without a restart and recorded in the audit log. An
/// invalid one is logged and changes nothing.
#[test]
fn changed_policy_file_is_applied_and_audited() {
    let folder = Folder::empty();
    let file = folder.path().join("steadfast.yaml");
    std::fs::write(&file, policy(3)).unwrap();
    let served = Served::start(&folder, "--no-worker");
    std::fs::write(&file, policy(5)).unwrap();
    served.signal(Signal::SIGHUP);
    let reloads = || -> Vec<Value> {
        let printed: Value = serde_json::from_str(&served.run_ok("audit --json")).unwrap();
        let all = printed["items"].as_array().unwrap().iter();
        all.filter(|entry| entry["action"] == "policy.reload").cloned().collect()
    };
    let entry = wait_for("the reload is audited", || reloads().into_iter().next());
    let change = &entry["detail"]["changes"][0];
    assert_eq!(change["path"], "policies.calls.max_attempts");
    assert_eq!((change["from"].to_string(), change["to"].to_string()), ("3".into(), "5".into()));
    assert!(entry["target"].as_str().unwrap().ends_with("steadfast.yaml"));

    std::fs::write(&file, policy(0)).unwrap();
    served.signal(Signal::SIGHUP);
    let refused = wait_for("the rejected reload is audited", || {
        reloads().into_iter().find(|it| it["detail"]["outcome"] == "refused")
    });
    assert!(refused["detail"]["problems"].to_string().contains("max_attempts"), "{refused}");
    let preview = served.run_ok("submit command --policy calls --dry-run --json -- true");
    let preview: Value = serde_json::from_str(&preview).unwrap();
    assert_eq!(preview["policy"]["max_attempts"], 5);
}

/// D13: systemd is notified of readiness and shutdown.
#[test]
fn systemd_is_notified_when_ready() {
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

/// D13: the first signal waits for running tasks, the second exits at once.
#[test]
fn second_signal_exits_at_once() {
    let folder = Folder::empty();
    let mut served = Served::start(&folder, "--allow-command sleep");
    served.run_ok("submit command -- sleep 600");
    wait_for("the task is running", || {
        served.run_ok("tasks list --status running").contains("command").then_some(())
    });
    served.signal(Signal::SIGTERM);
    wait_for("the shutdown is logged", || {
        served.log().contains("waiting for running tasks").then_some(())
    });
    served.signal(Signal::SIGTERM);
    assert_eq!(served.ended().code(), Some(128 + 15));
}

/// H1, D13: a draining server reports not ready and serves requests; a second signal ends the
/// drain, followed by a graceful shutdown.
#[test]
fn second_signal_ends_the_drain() {
    let folder = Folder::empty();
    let mut served = Served::start(&folder, "--no-worker --drain 10m");
    served.signal(Signal::SIGTERM);
    let ready = format!("doctor --ready --server {}", served.url);
    wait_for("the server is not ready", || (!folder.output(&ready).status.success()).then_some(()));
    served.run_ok("submit command -- true");
    served.signal(Signal::SIGTERM);
    assert_eq!(served.ended().code(), Some(0), "{}", served.log());
    assert!(folder.run_ok("audit").contains("task.submit"), "the end of the log was written");
}

/// H1: a draining server, or one with an unreachable store, is alive but not ready.
#[test]
fn server_that_is_not_ready_is_alive() {
    let folder = Folder::empty();
    let mut served = Served::start(&folder, "--no-worker --drain 10m");
    let url = served.url.clone();
    let asked = |what: &str| folder.output(&format!("doctor --{what} --server {url}"));
    assert!(asked("ready").status.success() && asked("alive").status.success());
    served.signal(Signal::SIGTERM);
    wait_for("the server is not ready", || (!asked("ready").status.success()).then_some(()));
    let alive = asked("alive");
    assert!(alive.status.success());
    let printed = String::from_utf8_lossy(&alive.stdout).into_owned();
    assert!(printed.contains("alive; its store was not checked"), "{printed}");
    served.signal(Signal::SIGTERM);
    served.ended();
    assert_eq!(asked("alive").status.code(), Some(1));
}

/// Limits the file descriptors of a command.
fn limited(command: &mut std::process::Command, soft: u32, hard: u32) {
    let program = command.get_program().to_owned();
    let given: Vec<_> = command.get_args().map(ToOwned::to_owned).collect();
    let folder = command.get_current_dir().map(ToOwned::to_owned);
    let limits = format!("ulimit -Sn {soft} && ulimit -Hn {hard} && exec \"$0\" \"$@\"");
    *command = std::process::Command::new("sh");
    command.arg("-c").arg(limits).arg(program).args(given).current_dir(folder.unwrap());
}

/// K4: a server raises its file descriptor limit, and warns if it is too low.
#[test]
fn server_raises_its_descriptor_limit() {
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
