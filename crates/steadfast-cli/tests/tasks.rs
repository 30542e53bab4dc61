//! `steadfast tasks`, `queue` and `audit` (D10, D15, D16, D18, K3, O4, O5).

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod store;

use std::time::Duration;

use serde_json::{Value, json};
use steadfast::{Fault, Hint};
use steadfast_store::{Actor, ClaimRequest, Status, Store, Task, TaskId, Verdict};

use store::{Folder, failed_for_good, failed_once, failing, later, work};

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

async fn put(store: &Store, task: Task) -> TaskId {
    store.submit(task).await.unwrap().id
}

fn status(folder: &Folder, id: TaskId) -> Status {
    folder.change(async |store| store.task(id).await.unwrap().status)
}

/// A store with a task of each status.
fn filled() -> Folder {
    Folder::with(async |store| {
        put(&store, Task::new("send", &1).queue("done")).await;
        work(&store, "done", |_, _| Verdict::Completed { result: None }).await;
        put(&store, Task::new("send", &1).queue("held")).await;
        store.claim(&ClaimRequest::new("w1", 1).queue("held")).await.unwrap();
        put(&store, Task::new("send", &1)).await;
        put(&store, later(Task::new("send", &1).category("c1"), "3d")).await;
        put(&store, failed_once(Task::new("fetch", &1).queue("mail"))).await;
        put(&store, failed_for_good(Task::new("fetch", &1).queue("mail"))).await;
        let called_off = put(&store, Task::new("send", &1)).await;
        store.cancel(called_off, &Actor::new("ada")).await.unwrap();
    })
}

/// D15: one line per task, with status, attempts, time and last error.
#[test]
fn list_shows_status_attempts_and_error() {
    let folder = filled();
    let listed = folder.run_ok("tasks list");
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines.len(), 8, "{listed}");
    assert!(lines[0].starts_with("task "), "{listed}");
    for line in [
        "cancelled  send   default       0/3  now",
        "failed     fetch  mail          1/3  now     not retryable: HTTP 404, no such invoice",
        "scheduled  fetch  mail          1/4  in 1 h  HTTP 503, down for repair",
        "scheduled  send   default       0/3  in 3 d",
        "pending    send   default       0/3  now",
        "running    send   held          0/3  now",
        "completed  send   done          1/3  now",
    ] {
        assert!(listed.contains(line), "{line}\n{listed}");
    }
    assert!(listed.lines().all(|line| line == line.trim_end()), "{listed}");
}

/// D15: filters combine; `--due-within` selects waiting tasks.
#[test]
fn list_filters_combine() {
    let folder = filled();
    let found = |flags: &str| {
        let page = json(&folder.run_ok(&format!("tasks list --json {flags}")));
        page["items"].as_array().unwrap().len()
    };
    assert_eq!(found("--limit 1000"), 7);
    assert_eq!(found("--status scheduled"), 2);
    assert_eq!(found("--due-within 24h"), 1);
    assert_eq!(found("--queue mail --status failed"), 1);
    assert_eq!(found("--class final"), 1);
    assert_eq!(found("--kind fetch"), 2);
    assert_eq!(found("--category c1"), 1);
    assert_eq!(found("--correlation-id r1"), 0);
    assert_eq!(found("--since 1h"), 7);
    assert_eq!(found("--since 2999-01-01T00:00:00Z"), 0);
    assert_eq!(found("--ended-since 1h"), 3);
}

/// H1: each page prints the cursor of the next.
#[test]
fn long_list_prints_the_next_cursor() {
    let folder = filled();
    let first = folder.output("tasks list --limit 5");
    let note = String::from_utf8(first.stderr).unwrap();
    let cursor = note.trim().strip_prefix("note: more entries: continue with --after ").unwrap();
    let second = folder.output(&format!("tasks list --limit 5 --after {cursor}"));
    assert_eq!(String::from_utf8(second.stdout).unwrap().lines().count(), 3);
    assert!(second.stderr.is_empty());
    let (code, printed) = folder.run_err("tasks list --after nonsense");
    assert_eq!(code, Some(2));
    assert!(printed.contains("start at the first page"), "{printed}");
}

/// Section 10: an empty list gives advice, and a misspelled name a suggestion.
#[test]
fn empty_list_gives_advice() {
    let folder = filled();
    assert!(folder.run_ok("tasks list --kind missing").contains("no matching tasks"));
    let printed = folder.run_ok("tasks list --queue mial");
    assert_eq!(printed, "unknown queue `mial`: did you mean `mail`?\n");
    let (code, printed) = folder.run_err("tasks list --status faild");
    assert_eq!(code, Some(2));
    assert!(printed.contains("'failed'"), "{printed}");
    let (code, printed) = folder.run_err("tasks show 42");
    assert_eq!(code, Some(2));
    assert!(printed.contains("tasks list"), "{printed}");
    let (code, printed) = folder.run_err(&format!("tasks show {}", TaskId::fresh()));
    assert_eq!(code, Some(1));
    assert!(printed.contains("no task"), "{printed}");
    assert_eq!(folder.run_err("tasks show --key missing").0, Some(1));

    let empty = Folder::with(async |_| {});
    assert!(empty.run_ok("tasks list").contains("steadfast submit"));
    assert!(empty.run_ok("queue list").contains("steadfast submit"));
    assert!(empty.run_ok("audit").starts_with("no entries"));
}

/// O4, D18: the timeline shows each failure, its decision, its delay and the upcoming attempts.
#[test]
fn show_explains_each_attempt() {
    let folder = Folder::with(async |store| {
        let policy = steadfast::Policy::fixed(Duration::from_secs(3600)).max_attempts(9);
        let task = Task::new("send", &json!({"to": "ada"})).under(policy.build().unwrap());
        put(&store, task.key("invoice-42")).await;
        let busy = Fault::http(429).with_hint(Hint::After(Duration::from_micros(1)));
        work(&store, "default", failing(busy)).await;
        store.promote(10).await.unwrap();
        work(&store, "default", failing(Fault::http(503).with_message("down for repair"))).await;
    });
    let shown = folder.run_ok("tasks show --key invoice-42");
    for line in [
        "status        scheduled",
        "attempts      1 of 9",
        "rate limited  1 time\n",
        "rate limited: HTTP 429",
        "because rule `429` (default) makes it rate_limited; server hint: ",
        "retryable: HTTP 503, down for repair",
        "because rule `5xx` (default) makes it retryable; backoff for retry 1: 1h",
        " 2  in 1 h",
        " 3  in 2 h",
        " 3 more, last in 8 h",
        "    \"to\": \"ada\"",
    ] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
    let json = json(&folder.run_ok("tasks show --key invoice-42 --json"));
    assert_eq!(json["faults"][1]["next_delay"], 3600.0);
    assert_eq!(json["next"][0]["attempt"], 2);
}

/// D18: an overdue task shifts its later attempts.
#[test]
fn overdue_attempt_starts_now() {
    let folder = Folder::with(async |store| {
        let hour = steadfast::Policy::fixed(Duration::from_secs(3600)).max_attempts(3);
        let long_ago = "2020-01-01T00:00:00Z".parse().unwrap();
        put(&store, Task::new("k", &1).under(hour.build().unwrap()).at(long_ago).key("k1")).await;
    });
    let shown = folder.run_ok("tasks show --key k1");
    for line in [" 1  now", " 2  in 1 h", " 3  in 2 h"] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
}

/// O4: the timeline of a finished task ends with its reason.
#[test]
fn ended_task_shows_its_reason() {
    let folder = Folder::with(async |store| {
        put(&store, failed_for_good(Task::new("k", &1)).key("bad")).await;
        put(&store, Task::new("k", &1).key("good")).await;
        work(&store, "default", |_, _| Verdict::Completed {
            result: Some(r#"{"token": "t1", "number": 7}"#.to_owned()),
        })
        .await;
    });
    let bad = folder.run_ok("tasks show --key bad");
    assert!(bad.contains("reason     not retryable"), "{bad}");
    assert!(bad.contains("failed  now"), "{bad}");
    let good = folder.run_ok("tasks show --key good");
    assert!(good.contains(" completed  now"), "{good}");
    assert!(good.contains("\"number\": 7") && good.contains("\"token\": \"***\""), "{good}");
}

/// O5: secrets are redacted unless requested.
#[test]
fn secrets_are_redacted_unless_requested() {
    let payload =
        json!({"url": "https://ada:hunter2@a.example/", "headers": {"authorization": "x1"}});
    let folder = Folder::with(async |store| {
        put(&store, Task::new("http", &payload).key("k1")).await;
    });
    for line in ["tasks show --key k1", "tasks show --key k1 --json", "tasks list --json"] {
        let printed = folder.run_ok(line);
        assert!(!printed.contains("hunter2") && !printed.contains("x1"), "{line}: {printed}");
        assert!(printed.contains("***"), "{line}: {printed}");
    }
    let printed = folder.run_ok("tasks show --key k1 --show-secrets");
    assert!(printed.contains("hunter2") && printed.contains("x1"), "{printed}");
}

/// D10: each operation works on ids, and an impossible one is an error with advice.
#[test]
fn tasks_are_controlled_by_id() {
    let folder = Folder::empty();
    let [first, second] = folder.change(async |store| {
        [put(&store, later(Task::new("k", &1), "1h")).await, put(&store, Task::new("k", &2)).await]
    });
    assert_eq!(folder.run_ok(&format!("tasks run-now {first}")), format!("due now: {first}\n"));
    assert_eq!(status(&folder, first), Status::Pending);
    let cancelled = folder.run_ok(&format!("tasks cancel {first} {second}"));
    assert_eq!(cancelled, format!("cancelled {first}\ncancelled {second}\n"));
    assert_eq!(status(&folder, second), Status::Cancelled);

    let (code, printed) = folder.run_err(&format!("tasks cancel {first}"));
    assert_eq!(code, Some(1));
    assert!(
        printed.contains("is already cancelled") && printed.contains("requeue it"),
        "{printed}"
    );

    let requeued = json(&folder.run_ok(&format!("tasks requeue {first} --json")));
    assert_eq!((&requeued["status"], &requeued["attempts"]), (&json!("pending"), &json!(0)));
    folder.run_ok(&format!("tasks expire {first} --in 2h"));
    let expires = |folder: &Folder| json(&folder.run_ok(&format!("tasks show {first} --json")));
    assert!(expires(&folder)["expires_at"].is_string());
    folder.run_ok(&format!("tasks expire {first} --never"));
    assert!(expires(&folder)["expires_at"].is_null());
    assert_eq!(folder.run_err(&format!("tasks expire {first}")).0, Some(2));
    assert_eq!(folder.run_err(&format!("tasks expire {first} --at soon")).0, Some(2));
}

/// D10: a task cancelled by mistake keeps its due time.
#[test]
fn requeued_task_keeps_its_time_on_request() {
    let folder = Folder::empty();
    let id = folder.change(async |store| put(&store, later(Task::new("k", &1), "1h")).await);
    folder.run_ok(&format!("tasks cancel {id}"));
    folder.run_ok(&format!("tasks requeue {id} --keep-count --keep-time"));
    assert_eq!(status(&folder, id), Status::Scheduled);
    assert_eq!(folder.run_err("tasks requeue --status cancelled --keep-time --yes").0, Some(2));
}

/// D10: a failure on one task does not affect the others.
#[test]
fn failure_on_one_task_does_not_stop_others() {
    let folder = Folder::empty();
    let id = folder.change(async |store| put(&store, Task::new("k", &1)).await);
    let output = folder.output(&format!("tasks cancel {} {id}", TaskId::fresh()));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("cancelled {id}\n"));
    assert!(String::from_utf8(output.stderr).unwrap().contains("no task"));
}

/// D16: a dry run changes nothing; a script needs --yes; a rate spreads the tasks.
#[test]
fn bulk_requeue_is_spread_at_the_rate() {
    let folder = Folder::with(async |store| {
        for _ in 0..4 {
            put(&store, failed_for_good(Task::new("k", &1).queue("mail"))).await;
        }
        put(&store, failed_for_good(Task::new("k", &1))).await;
    });
    let which = "tasks requeue --status failed --queue mail --rate 2/s";
    let printed = folder.run_ok(&format!("{which} --dry-run"));
    assert_eq!(printed, "nothing changed; would requeue 4 failed tasks over 2s\n");
    let (code, printed) = folder.run_err(which);
    assert_eq!(code, Some(2));
    assert!(printed.contains("pass --yes to requeue 4 failed tasks over 2s"), "{printed}");

    let printed = folder.run_ok(&format!("{which} --limit 3 --yes --json"));
    assert_eq!(printed, "{\"count\":3,\"over\":1.5,\"dry_run\":false}\n");
    let stats = json(&folder.run_ok("stats --json"));
    assert_eq!((&stats["failed"], &stats["queues"][1]["name"]), (&json!(2), &json!("mail")));

    let printed = folder.output("tasks requeue --queue mial --yes");
    assert_eq!(String::from_utf8(printed.stdout).unwrap(), "no matching failed tasks\n");
    assert!(String::from_utf8(printed.stderr).unwrap().contains("did you mean `mail`?"));
}

/// D16: with --keep-count an exhausted task gets one more attempt.
#[test]
fn keep_count_grants_one_more_attempt() {
    let folder = Folder::empty();
    let ids = folder.change(async |store| {
        let bad = || failed_for_good(Task::new("k", &1));
        [put(&store, bad()).await, put(&store, bad()).await]
    });
    folder.run_ok(&format!("tasks requeue {} --keep-count", ids[0]));
    folder.run_ok(&format!("tasks requeue {} --fresh", ids[1]));
    let attempts =
        ids.map(|id| json(&folder.run_ok(&format!("tasks show {id} --json")))["attempts"].clone());
    assert_eq!(attempts, [json!(1), json!(0)]);
}

/// D10, K3: pausing and resuming a queue is recorded in the audit log.
#[test]
fn operator_actions_are_in_the_audit_log() {
    let folder = filled();
    let printed = folder.run_ok("queue pause mail");
    assert_eq!(printed, "mail paused: 0 pending, 1 scheduled\n");
    assert!(folder.run_ok("queue list").contains("mail           0          1  paused"));
    assert_eq!(folder.run_ok("queue resume mail"), "mail resumed: 0 pending, 1 scheduled\n");

    let (code, printed) = folder.run_err("queue pause mial");
    assert_eq!(code, Some(2));
    assert!(printed.contains("did you mean `mail`?"), "{printed}");
    assert!(folder.run_ok("queue pause reports --new").starts_with("reports paused"));

    let log = json(&folder.run_ok("audit --target mail --json"));
    let actions: Vec<_> = log["items"].as_array().unwrap().iter().map(|e| &e["action"]).collect();
    assert_eq!(actions, ["queue.resume", "queue.pause"]);
    assert!(log["items"][0]["actor"]["origin"].as_str().unwrap().starts_with("cli@"));
    let log = folder.run_ok("audit --actor ada");
    assert!(log.contains("task.cancel"), "{log}");
    assert_eq!(log.lines().count(), 2, "{log}");
}

/// K4: control characters of a task do not reach the terminal.
#[test]
fn control_characters_of_a_task_are_replaced() {
    let folder = Folder::with(async |store| {
        let fault = Fault::http(404).with_message("\u{1b}[2Jgone\u{9b}2J");
        let payload = json!({"text": "\u{9b}2J \u{1b}[2J"});
        put(&store, Task::new("k", &payload).key("k1").failed_once(fault)).await;
    });
    for line in ["tasks list", "tasks show --key k1"] {
        let printed = folder.run_ok(&format!("--color always {line}"));
        assert!(printed.contains("gone"), "{printed}");
        assert!(
            !printed.contains("\u{1b}[2J") && !printed.contains('\u{9b}'),
            "{line}: {printed:?}"
        );
    }
}
