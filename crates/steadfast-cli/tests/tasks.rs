//! `tasks`, `queue` and `audit` on a store with something in it (D10, D15, D16, D18, K3, O4, O5).

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

/// One of each.
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

/// D15: every task in a line, with where it is, how often it was tried, when, and what went
/// wrong.
#[test]
fn tasks_are_listed_with_where_they_are() {
    let folder = filled();
    let listed = folder.told("tasks list");
    let lines: Vec<&str> = listed.lines().collect();
    assert_eq!(lines.len(), 8, "{listed}");
    assert!(lines[0].starts_with("task "), "{listed}");
    for line in [
        "cancelled  send   default    0/3  now",
        "failed     fetch  mail       1/3  now     final: HTTP 404, no such invoice",
        "scheduled  fetch  mail       1/4  in 1 h  HTTP 503, down for repair",
        "scheduled  send   default    0/3  in 3 d",
        "pending    send   default    0/3  now",
        "running    send   held       0/3  now",
        "completed  send   done       1/3  now",
    ] {
        assert!(listed.contains(line), "{line}\n{listed}");
    }
    assert!(listed.lines().all(|line| line == line.trim_end()), "{listed}");
}

/// D15: filters hold together, and the next 24 hours are those that wait.
#[test]
fn tasks_are_filtered() {
    let folder = filled();
    let found = |flags: &str| {
        let page = json(&folder.told(&format!("tasks list --json {flags}")));
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

/// H1: a list is read a page at a time, and each says how to go on.
#[test]
fn a_long_list_says_how_to_go_on() {
    let folder = filled();
    let first = folder.output("tasks list --limit 5");
    let note = String::from_utf8(first.stderr).unwrap();
    let cursor = note.trim().strip_prefix("note: there are more: go on with --after ").unwrap();
    let second = folder.output(&format!("tasks list --limit 5 --after {cursor}"));
    assert_eq!(String::from_utf8(second.stdout).unwrap().lines().count(), 3);
    assert!(second.stderr.is_empty());
    let (code, told) = folder.refused("tasks list --after nonsense");
    assert_eq!(code, Some(2));
    assert!(told.contains("begin without one"), "{told}");
}

/// Section 10: what is empty says what to do, and a slip is recognised.
#[test]
fn nothing_says_what_to_do() {
    let folder = filled();
    assert!(folder.told("tasks list --kind nobody").contains("no such tasks"));
    let told = folder.told("tasks list --queue mial");
    assert_eq!(told, "there is no queue `mial`: did you mean `mail`?\n");
    let (code, told) = folder.refused("tasks list --status faild");
    assert_eq!(code, Some(2));
    assert!(told.contains("'failed'"), "{told}");
    let (code, told) = folder.refused("tasks show 42");
    assert_eq!(code, Some(2));
    assert!(told.contains("tasks list"), "{told}");
    let (code, told) = folder.refused(&format!("tasks show {}", TaskId::fresh()));
    assert_eq!(code, Some(1));
    assert!(told.contains("there is no task"), "{told}");
    assert_eq!(folder.refused("tasks show --key nobody").0, Some(1));

    let empty = Folder::with(async |_| {});
    assert!(empty.told("tasks list").contains("steadfast submit"));
    assert!(empty.told("queue list").contains("steadfast submit"));
    assert!(empty.told("audit").starts_with("no entries"));
}

/// O4, D18: the timeline says what went wrong, why it was decided so, what was waited and what
/// comes next.
#[test]
fn a_task_is_shown_with_the_why_of_each_attempt() {
    let folder = Folder::with(async |store| {
        let policy = steadfast::Policy::fixed(Duration::from_secs(3600)).max_attempts(9);
        let task = Task::new("send", &json!({"to": "ada"})).under(policy.build().unwrap());
        put(&store, task.key("invoice-42")).await;
        let busy = Fault::http(429).with_hint(Hint::After(Duration::ZERO));
        work(&store, "default", failing(busy)).await;
        store.promote(10).await.unwrap();
        work(&store, "default", failing(Fault::http(503).with_message("down for repair"))).await;
    });
    let shown = folder.told("tasks show --key invoice-42");
    for line in [
        "status         scheduled",
        "attempts       1 of 9",
        "asked to wait  1 time\n",
        "rate limited: HTTP 429",
        "because rule `429` (default) makes it rate_limited; hint of the server: 0s",
        "retryable: HTTP 503, down for repair",
        "because rule `5xx` (default) makes it retryable; backoff of retry 1 is 1h",
        "then a wait of 1h",
        " 2  in 1 h",
        " 3  in 2 h",
        " 3 more, the last in 8 h",
        "    \"to\": \"ada\"",
    ] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
    let json = json(&folder.told("tasks show --key invoice-42 --json"));
    assert_eq!(json["faults"][1]["next_delay"], 3600.0);
    assert_eq!(json["next"][0]["attempt"], 2);
}

/// D18: what nobody has taken in time moves what follows it along.
#[test]
fn what_is_overdue_begins_now() {
    let folder = Folder::with(async |store| {
        let hour = steadfast::Policy::fixed(Duration::from_secs(3600)).max_attempts(3);
        let long_ago = "2020-01-01T00:00:00Z".parse().unwrap();
        put(&store, Task::new("k", &1).under(hour.build().unwrap()).at(long_ago).key("k1")).await;
    });
    let shown = folder.told("tasks show --key k1");
    for line in [" 1  now", " 2  in 1 h", " 3  in 2 h"] {
        assert!(shown.contains(line), "{line}\n{shown}");
    }
}

/// O4: the end of a task is the end of its timeline, with the reason.
#[test]
fn an_ended_task_says_how_it_ended() {
    let folder = Folder::with(async |store| {
        put(&store, failed_for_good(Task::new("k", &1)).key("bad")).await;
        put(&store, Task::new("k", &1).key("good")).await;
        work(&store, "default", |_, _| Verdict::Completed {
            result: Some(r#"{"token": "t1", "number": 7}"#.to_owned()),
        })
        .await;
    });
    let bad = folder.told("tasks show --key bad");
    assert!(bad.contains("reason     final"), "{bad}");
    assert!(bad.contains("failed  now"), "{bad}");
    let good = folder.told("tasks show --key good");
    assert!(good.contains(" completed  now"), "{good}");
    assert!(good.contains("\"number\": 7") && good.contains("\"token\": \"***\""), "{good}");
}

/// O5: what looks like a secret is shown to nobody who did not ask for it.
#[test]
fn secrets_are_masked_until_they_are_asked_for() {
    let payload =
        json!({"url": "https://ada:hunter2@a.example/", "headers": {"authorization": "x1"}});
    let folder = Folder::with(async |store| {
        put(&store, Task::new("http", &payload).key("k1")).await;
    });
    for line in ["tasks show --key k1", "tasks show --key k1 --json", "tasks list --json"] {
        let told = folder.told(line);
        assert!(!told.contains("hunter2") && !told.contains("x1"), "{line}: {told}");
        assert!(told.contains("***"), "{line}: {told}");
    }
    let told = folder.told("tasks show --key k1 --show-secrets");
    assert!(told.contains("hunter2") && told.contains("x1"), "{told}");
}

/// D10: each does what it says, and what cannot be done is told with what can.
#[test]
fn tasks_are_steered_by_their_ids() {
    let folder = Folder::empty();
    let [first, second] = folder.change(async |store| {
        [put(&store, later(Task::new("k", &1), "1h")).await, put(&store, Task::new("k", &2)).await]
    });
    assert_eq!(folder.told(&format!("tasks run-now {first}")), format!("due now: {first}\n"));
    assert_eq!(status(&folder, first), Status::Pending);
    let cancelled = folder.told(&format!("tasks cancel {first} {second}"));
    assert_eq!(cancelled, format!("cancelled {first}\ncancelled {second}\n"));
    assert_eq!(status(&folder, second), Status::Cancelled);

    let (code, told) = folder.refused(&format!("tasks cancel {first}"));
    assert_eq!(code, Some(1));
    assert!(told.contains("is cancelled") && told.contains("requeue it"), "{told}");

    let requeued = json(&folder.told(&format!("tasks requeue {first} --json")));
    assert_eq!((&requeued["status"], &requeued["attempts"]), (&json!("pending"), &json!(0)));
    folder.told(&format!("tasks expire {first} --in 2h"));
    let expires = |folder: &Folder| json(&folder.told(&format!("tasks show {first} --json")));
    assert!(expires(&folder)["expires_at"].is_string());
    folder.told(&format!("tasks expire {first} --never"));
    assert!(expires(&folder)["expires_at"].is_null());
    assert_eq!(folder.refused(&format!("tasks expire {first}")).0, Some(2));
    assert_eq!(folder.refused(&format!("tasks expire {first} --at soon")).0, Some(2));
}

/// D10: what was called off by mistake goes on when it was going to.
#[test]
fn a_requeued_task_can_keep_its_time() {
    let folder = Folder::empty();
    let id = folder.change(async |store| put(&store, later(Task::new("k", &1), "1h")).await);
    folder.told(&format!("tasks cancel {id}"));
    folder.told(&format!("tasks requeue {id} --keep-count --keep-time"));
    assert_eq!(status(&folder, id), Status::Scheduled);
    assert_eq!(folder.refused("tasks requeue --status cancelled --keep-time --yes").0, Some(2));
}

/// D10: one that cannot be steered does not keep the others from it.
#[test]
fn the_others_are_steered_all_the_same() {
    let folder = Folder::empty();
    let id = folder.change(async |store| put(&store, Task::new("k", &1)).await);
    let output = folder.output(&format!("tasks cancel {} {id}", TaskId::fresh()));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("cancelled {id}\n"));
    assert!(String::from_utf8(output.stderr).unwrap().contains("there is no task"));
}

/// D16: a dry run changes nothing; a script has to say yes; a rate spreads them.
#[test]
fn an_outages_failures_are_requeued_at_a_rate() {
    let folder = Folder::with(async |store| {
        for _ in 0..4 {
            put(&store, failed_for_good(Task::new("k", &1).queue("mail"))).await;
        }
        put(&store, failed_for_good(Task::new("k", &1))).await;
    });
    let which = "tasks requeue --status failed --queue mail --rate 2/s";
    let told = folder.told(&format!("{which} --dry-run"));
    assert_eq!(told, "nothing was changed; it would be 4 failed tasks over 2s\n");
    let (code, told) = folder.refused(which);
    assert_eq!(code, Some(2));
    assert!(told.contains("requeue 4 failed tasks over 2s?") && told.contains("--yes"), "{told}");

    let told = folder.told(&format!("{which} --limit 3 --yes --json"));
    assert_eq!(told, "{\"count\":3,\"over\":1.5,\"dry_run\":false}\n");
    let stats = json(&folder.told("stats --json"));
    assert_eq!((&stats["failed"], &stats["queues"][1]["name"]), (&json!(2), &json!("mail")));

    let told = folder.output("tasks requeue --queue mial --yes");
    assert_eq!(String::from_utf8(told.stdout).unwrap(), "there are no such failed tasks\n");
    assert!(String::from_utf8(told.stderr).unwrap().contains("did you mean `mail`?"));
}

/// D16: who keeps the count gets one more attempt.
#[test]
fn a_count_can_be_kept() {
    let folder = Folder::empty();
    let ids = folder.change(async |store| {
        let bad = || failed_for_good(Task::new("k", &1));
        [put(&store, bad()).await, put(&store, bad()).await]
    });
    folder.told(&format!("tasks requeue {} --keep-count", ids[0]));
    folder.told(&format!("tasks requeue {} --fresh", ids[1]));
    let attempts =
        ids.map(|id| json(&folder.told(&format!("tasks show {id} --json")))["attempts"].clone());
    assert_eq!(attempts, [json!(1), json!(0)]);
}

/// D10, K3: a queue is paused and resumed, and the log says who did it.
#[test]
fn what_people_do_is_in_the_audit_log() {
    let folder = filled();
    let told = folder.told("queue pause mail");
    assert_eq!(told, "mail is paused: 0 pending, 1 scheduled\n");
    assert!(folder.told("queue list").contains("mail           0          1  paused"));
    assert_eq!(folder.told("queue resume mail"), "mail goes on: 0 pending, 1 scheduled\n");

    let (code, told) = folder.refused("queue pause mial");
    assert_eq!(code, Some(2));
    assert!(told.contains("did you mean `mail`?"), "{told}");
    assert!(folder.told("queue pause reports --new").starts_with("reports is paused"));

    let log = json(&folder.told("audit --target mail --json"));
    let actions: Vec<_> = log["items"].as_array().unwrap().iter().map(|e| &e["action"]).collect();
    assert_eq!(actions, ["queue.resume", "queue.pause"]);
    assert!(log["items"][0]["by"]["from"].as_str().unwrap().starts_with("cli@"));
    let log = folder.told("audit --actor ada");
    assert!(log.contains("task.cancel"), "{log}");
    assert_eq!(log.lines().count(), 2, "{log}");
}

/// K4: no text of a task commands the terminal that shows it.
#[test]
fn no_character_of_a_task_commands_the_terminal() {
    let folder = Folder::with(async |store| {
        let fault = Fault::http(404).with_message("\u{1b}[2Jgone\u{9b}2J");
        let payload = json!({"text": "\u{9b}2J \u{1b}[2J"});
        put(&store, Task::new("k", &payload).key("k1").failed_once(fault)).await;
    });
    for line in ["tasks list", "tasks show --key k1"] {
        let told = folder.told(&format!("--color always {line}"));
        assert!(told.contains("gone"), "{told}");
        assert!(!told.contains("\u{1b}[2J") && !told.contains('\u{9b}'), "{line}: {told:?}");
    }
}
