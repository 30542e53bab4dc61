//! Commands give the same output with a store and with a server.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;

use steadfast::{Fault, Policy};
use steadfast_store::{Actor, Task};

use crate::process::Served;
use crate::store::{Folder, failed_for_good, failed_once, failing, later, work};

fn store_with_tasks() -> Folder {
    Folder::with(async |store| {
        let by = Actor::new("ada");
        store.submit(Task::new("http", &"a").queue("mail").key("k/1").category("c")).await.unwrap();
        store.submit(later(Task::new("report", &1), "2h")).await.unwrap();
        store.submit(failed_for_good(Task::new("report", &2))).await.unwrap();
        store.submit(failed_once(Task::new("report", &3))).await.unwrap();
        let secret = serde_json::json!({"password": "s3cret"});
        let gone = store.submit(Task::new("secret", &secret).queue("keys")).await.unwrap();
        store.cancel(gone.id, &by).await.unwrap();
        let hour = Policy::fixed(Duration::from_secs(3600)).build().unwrap();
        store.submit(Task::new("flaky", &4).queue("flaky").under(hour)).await.unwrap();
        work(&store, "flaky", failing(Fault::http(503).with_message("busy"))).await;
        store.pause("mail", &by).await.unwrap();
    })
}

/// The id of the only task of this kind.
fn id(folder: &Folder, kind: &str) -> String {
    let printed = folder.run_ok(&format!("tasks list --kind {kind} --json"));
    let page: serde_json::Value = serde_json::from_str(&printed).unwrap();
    page["items"][0]["id"].as_str().unwrap().to_owned()
}

/// The output for a store and for its server. Relative times change, so the store's output before
/// and after is compared.
fn output_of_both(folder: &Folder, served: &Served, line: &str) -> String {
    for _ in 0..50 {
        let before = folder.run_ok(line);
        let through = served.run_ok(line);
        if before == folder.run_ok(line) {
            assert_eq!(through, before, "{line}");
            return through;
        }
    }
    panic!("{line} says something else each time");
}

/// Section 10: read commands give the same text and JSON.
#[test]
fn read_commands_give_the_same_output() {
    let folder = store_with_tasks();
    let served = Served::start(&folder, "--no-worker");
    let flaky = id(&folder, "flaky");
    let secret = id(&folder, "secret");
    for line in [
        "stats",
        "tasks list",
        "tasks list --status failed",
        "tasks list --due-within 24h",
        "tasks list --kind nothing",
        "queue list",
        "breaker list",
        "audit",
        "audit --actor ada",
        "events",
        &format!("tasks show {flaky}"),
        &format!("tasks show {secret}"),
        "tasks show --key k/1",
    ] {
        for line in [line.to_owned(), format!("{line} --json")] {
            let through = output_of_both(&folder, &served, &line);
            assert!(!through.contains("s3cret"), "{line}");
        }
    }
}

/// Section 10: errors of a server have the same text and exit code.
#[test]
fn errors_are_the_same() {
    let folder = store_with_tasks();
    let served = Served::start(&folder, "--no-worker");
    let secret = id(&folder, "secret");
    for line in [
        format!("tasks cancel {secret}"),
        format!("tasks run-now {secret}"),
        "tasks show 01985c2e-6a5c-7b1e-9f0a-3c5d7e9f1a2b".to_owned(),
        "tasks show --key missing".to_owned(),
        "tasks list --after nonsense".to_owned(),
        "breaker open patient".to_owned(),
        "submit http --policy patint https://a.example/".to_owned(),
        "submit http --key k/1 https://a.example/".to_owned(),
    ] {
        let through = folder.run_err(&format!("{line} --server {}", served.url));
        assert_eq!(through, folder.run_err(&line), "{line}");
    }
}

/// Section 10, D10: control commands through a server change its store.
#[test]
fn control_commands_change_the_store() {
    let folder = store_with_tasks();
    let served = Served::start(&folder, "--no-worker");
    let report =
        |status: &str| folder.run_ok(&format!("tasks list --kind report --status {status}"));
    served.run_ok("queue resume mail");
    assert!(!folder.run_ok("queue list").contains("paused"));
    served.run_ok("tasks requeue --status failed --yes");
    assert!(report("failed").contains("no "), "{}", report("failed"));
    let flaky = id(&folder, "flaky");
    served.run_ok(&format!("tasks run-now {flaky}"));
    served.run_ok(&format!("tasks expire {flaky} --in 1h"));
    served.run_ok(&format!("tasks cancel {flaky}"));
    assert!(folder.run_ok(&format!("tasks show {flaky}")).contains("cancelled"));
    let audited = folder.run_ok("audit --json");
    for action in ["queue.resume", "task.cancel", "tasks.requeue"] {
        assert!(audited.contains(action), "{action}: {audited}");
    }
}

/// Section 10, D9: a file is submitted through a server in batches, each task once.
#[test]
fn file_is_submitted_through_a_server() {
    let folder = Folder::empty();
    let served = Served::start(&folder, "--no-worker");
    let line = |n| format!("{{\"kind\": \"k\", \"payload\": {n}, \"policy\": \"patient\"}}\n");
    let lines: String = (0..2500).map(line).collect();
    std::fs::write(folder.path().join("tasks.jsonl"), lines).unwrap();
    let printed = served.run_ok("submit tasks.jsonl --quiet");
    assert!(printed.contains("2500"), "{printed}");
    assert!(folder.run_ok("stats --json").contains("\"pending\":2500"));
}

/// Section 10, O1: events are streamed through a server.
#[test]
fn events_are_streamed_through_a_server() {
    let folder = Folder::empty();
    let served = Served::start(&folder, "--allow-target 127.0.0.1");
    let mut following = folder.command(&format!("events --follow --json --server {}", served.url));
    let mut following = following.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(following.stdout.take().unwrap()).lines();
    // Nothing listens on port 1 of this machine.
    served.run_ok("submit http --max-attempts 2 --backoff-type immediate http://127.0.0.1:1/");
    for expected in ["retry_attempt", "retry_failure"] {
        let line = lines.next().unwrap().unwrap();
        assert!(line.contains(expected), "{line}");
    }
    following.kill().unwrap();
    following.wait().unwrap();
}

/// Section 10: flags override the environment; contradictions are errors.
#[test]
fn target_selection_is_unambiguous() {
    let folder = store_with_tasks();
    let elsewhere = Folder::empty();
    let served = Served::start(&folder, "--no-worker");
    let says = |command: &mut std::process::Command| {
        let output = command.output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    };
    let by_variable = says(elsewhere.command("queue list").env("STEADFAST_SERVER", &served.url));
    assert_eq!(by_variable, (Some(0), folder.run_ok("queue list")));
    let nowhere = "http://127.0.0.1:1";
    let flag = format!("queue list --server {}", served.url);
    let flag_wins = says(elsewhere.command(&flag).env("STEADFAST_SERVER", nowhere));
    assert_eq!(flag_wins, by_variable);
    let store_wins = says(
        folder.command("queue list --store sqlite:steadfast.db").env("STEADFAST_SERVER", nowhere),
    );
    assert_eq!(store_wins, by_variable);
    let (code, printed) = says(
        folder.command("stats").env("STEADFAST_SERVER", nowhere).env("STEADFAST_STORE", "sqlite:a"),
    );
    assert!(code == Some(78) && printed.contains("both set"), "{printed}");

    for (line, code, words) in [
        ("stats --store sqlite:a --server http://a.example", 2, "cannot be used with"),
        ("stats --server http://127.0.0.1:1", 1, "steadfast serve"),
        ("stats --server localhost:7700", 2, "http://localhost:7700"),
        ("stats --token t", 2, "--server"),
        ("stats --server http://127.0.0.1:1 --token-file nowhere", 78, "nowhere"),
        ("db status --server http://127.0.0.1:1", 2, "--store"),
        ("doctor --server http://127.0.0.1:1", 1, ""),
    ] {
        let output = folder.output(line);
        let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(code), "{line}: {printed}");
        assert!(printed.contains(words), "{line}: {printed}");
    }
    let (code, printed) = says(elsewhere.command("db status").env("STEADFAST_SERVER", &served.url));
    assert!(code == Some(2) && printed.contains("--store"), "{printed}");
}

/// Section 10: `doctor` reports what a server knows of its store.
#[test]
fn doctor_checks_a_server() {
    let folder = store_with_tasks();
    let served = Served::start(&folder, "--no-worker");
    let printed = served.run_ok("doctor");
    for check in ["server", "clock", "due tasks", "queues", "breakers"] {
        assert!(printed.contains(check), "{check}: {printed}");
    }
    assert!(printed.contains("paused: mail"), "{printed}");
}
