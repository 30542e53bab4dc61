//! `submit`: one task, or a file of them (D9).

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod numbered;
mod store;

use std::io::Write;
use std::process::Stdio;

use serde_json::Value;
use steadfast_store::{Status, TaskId};

use numbered::{lines, numbers_in};
use store::Folder;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn id(told: &Value) -> TaskId {
    told["id"].as_str().unwrap().parse().unwrap()
}

/// D19: a call is what the handler reads: method, URL, headers, and a body to the letter.
#[test]
fn an_http_call_is_kept_as_its_handler_reads_it() {
    let folder = Folder::empty();
    std::fs::write(folder.path().join("user.json"), "{\"b\": 1.00, \"a\": 2}\n").unwrap();
    let line = "submit http PUT https://api.example.com/u/1 --body @user.json -H Accept:text/plain \
                --timeout 10s --queue mail --category a --priority 5 --key u-1 --hold-category \
                --correlation-id c-1 --preset sql --max-attempts 7 --in 2h --expires-in 1d --json";
    let told = json(&folder.told(line));
    assert_eq!((&told["existed"], &told["status"]), (&false.into(), &"scheduled".into()));
    let task = folder.change(async |store| store.task(id(&told)).await.unwrap());
    assert_eq!(task.kind, "http");
    let payload = r#"{"method":"PUT","url":"https://api.example.com/u/1","headers":{"Accept":"text/plain"},"body":{"b": 1.00, "a": 2},"timeout":10.0}"#;
    assert_eq!(task.payload, json(payload));
    assert_eq!((task.queue.as_str(), task.category.as_deref()), ("mail", Some("a")));
    assert_eq!((task.priority, task.max_attempts, task.hold_category), (5, 7, true));
    assert_eq!(task.idempotency_key.as_deref(), Some("u-1"));
    assert_eq!(task.correlation_id.as_deref(), Some("c-1"));
    let seconds = |time: jiff::Timestamp| time.duration_since(task.submitted_at).as_secs();
    assert_eq!(seconds(task.scheduled_at), 7200);
    assert_eq!(seconds(task.expires_at.unwrap()), 86_400);
}

/// Without a method it is GET, and with a body POST.
#[test]
fn the_method_follows_from_the_body() {
    let folder = Folder::empty();
    for (flags, method) in [("", "GET"), (" --body {}", "POST")] {
        let told = folder.told(&format!("submit http https://a.example/{flags} --json"));
        assert_eq!(json(&told)["payload"]["method"], method);
    }
}

/// D9: the same key is the same task; another payload under it is refused.
#[test]
fn a_key_makes_it_one_task() {
    let folder = Folder::empty();
    let line = "submit http https://a.example/ --key once --json";
    let (first, second) = (json(&folder.told(line)), json(&folder.told(line)));
    assert_eq!((&second["id"], &second["existed"]), (&first["id"], &true.into()));
    let (code, told) = folder.refused("submit http https://b.example/ --key once");
    assert_eq!(code, Some(2));
    assert!(told.contains("`once` belongs to task"), "{told}");
}

/// D19: a command with its input and environment, and no shell.
#[test]
fn a_command_is_kept_word_by_word() {
    let folder = Folder::empty();
    let line = "submit command --env REGION=eu --stdin yes --timeout 1m --json -- backup --full $x";
    let told = json(&folder.told(line));
    let payload = r#"{"program":"backup","args":["--full","$x"],"stdin":"yes","env":{"REGION":"eu"},"timeout":60.0}"#;
    assert_eq!(told["payload"], json(payload));
    let (code, told) = folder.refused("submit command --env LD_PRELOAD=x.so -- backup");
    assert_eq!(code, Some(2));
    assert!(told.contains("payload.env.LD_PRELOAD: "), "{told}");
}

/// O5: what looks like a secret is kept for the worker and not shown.
#[test]
fn a_secret_is_submitted_and_not_shown() {
    let folder = Folder::empty();
    let line = "submit http https://a.example/ -H Authorization:Bearer-t0ken --json";
    let told = folder.told(line);
    assert!(!told.contains("t0ken"), "{told}");
    let task = folder.change(async |store| store.task(id(&json(&told))).await.unwrap());
    assert_eq!(task.payload["headers"]["Authorization"], "Bearer-t0ken");
}

/// D18: the schedule is shown before anything is submitted, and nothing is made for it.
#[test]
fn a_dry_run_shows_the_schedule_and_makes_nothing() {
    let folder = Folder::empty();
    let line = "submit http https://a.example/ --preset sql --in 1h --dry-run --json";
    let told = json(&folder.told(line));
    let attempts: Vec<_> = told["next"].as_array().unwrap().iter().collect();
    assert_eq!(attempts.len(), 4);
    assert_eq!(attempts[3]["attempt"], 4);
    assert_eq!(told["policy"]["max_attempts"], 4);
    let late = "submit http https://a.example/ --in 2h --expires-in 1h --dry-run";
    assert_eq!(folder.told(late), "it would not be tried: it would be too late\n");
    std::fs::write(folder.path().join("tasks.jsonl"), lines(0..3)).unwrap();
    let told = folder.told("submit tasks.jsonl --dry-run");
    assert_eq!(told, "3 tasks would be submitted, nothing was\n");
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 1, "neither a store nor a journal");
}

/// H1: a file of lines, an array and a pipe are the same tasks, in the order of the file.
#[test]
fn lines_an_array_and_a_pipe_are_the_same() {
    let array = format!("[\n{}\n]", lines(0..2500).trim_end().replace('\n', ",\n"));
    for (name, text) in [("tasks.jsonl", lines(0..2500)), ("tasks.json", array)] {
        let folder = Folder::empty();
        std::fs::write(folder.path().join(name), text).unwrap();
        let told = json(&folder.told(&format!("submit {name} --json --queue mail")));
        assert_eq!((&told["submitted"], &told["existed"]), (&2500.into(), &0.into()));
        assert_eq!(numbers_in(&folder), (0..2500).collect::<Vec<_>>());
        assert!(!folder.path().join(format!("{name}.steadfast-progress")).exists());
    }
    let folder = Folder::empty();
    let mut child = folder.command("submit - --json").stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines(0..2500).as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(numbers_in(&folder), (0..2500).collect::<Vec<_>>());
}

/// Submitting a file twice is two times the work, unless its lines have keys.
#[test]
fn a_file_is_submitted_as_often_as_it_is_submitted() {
    let folder = Folder::empty();
    let keyed = r#"{"kind":"k","payload":0,"idempotency_key":"a"}"#;
    std::fs::write(folder.path().join("t"), lines(1..3) + keyed).unwrap();
    folder.told("submit t");
    let told = folder.told("submit t");
    assert!(
        told.starts_with("3 tasks submitted in ") && told.contains("1 were there already"),
        "{told}"
    );
    assert_eq!(numbers_in(&folder).len(), 5);
}

/// A line that is wrong ends it: what is before it is in the store, and the line can be mended.
#[test]
fn a_wrong_line_stops_it_and_can_be_mended() {
    let folder = Folder::empty();
    let file = folder.path().join("tasks.jsonl");
    let text = |wrong: &str| lines(0..1500) + wrong + "\n" + &lines(1501..3000);
    std::fs::write(&file, text(r#"{"kind":"k","payload":1500,"polcy":"sql"}"#)).unwrap();
    let (code, told) = folder.refused("submit tasks.jsonl");
    assert_eq!(code, Some(2));
    for words in [
        "tasks.jsonl, line 1501: ",
        "unknown field `polcy`",
        "did you mean `policy`?",
        "1500 tasks are submitted, up to line 1500",
        "steadfast submit tasks.jsonl --resume",
    ] {
        assert!(told.replace("\n        ", " ").contains(words), "{words}\n{told}");
    }
    assert_eq!(numbers_in(&folder), (0..1500).collect::<Vec<_>>());

    let (_, told) = folder.refused("submit tasks.jsonl");
    assert!(told.contains("an earlier run has submitted 1500 tasks"), "{told}");
    std::fs::write(&file, text(r#"{"kind":"k","payload":1500,"policy":"sql"}"#)).unwrap();
    let told = json(&folder.told("submit tasks.jsonl --resume --json"));
    assert_eq!((&told["submitted"], &told["resumed_after"]), (&3000.into(), &1500.into()));
    assert_eq!(numbers_in(&folder), (0..3000).collect::<Vec<_>>());
    let again = json(&folder.told("submit tasks.jsonl --resume --json"));
    assert_eq!(again["resumed_after"], 3000, "once more changes nothing");
    assert_eq!(numbers_in(&folder).len(), 3000);
}

/// D9: a key of other work is found in the middle of a batch, and nothing behind it is sent.
#[test]
fn a_key_that_is_taken_is_a_wrong_line() {
    let folder = Folder::empty();
    folder.told("submit http https://a.example/ --key taken");
    let keyed =
        |number| format!("{{\"kind\":\"k\",\"payload\":{number},\"idempotency_key\":\"taken\"}}\n");
    let text = lines(0..700) + &keyed(700) + &lines(701..1400);
    std::fs::write(folder.path().join("t"), &text).unwrap();
    let (code, told) = folder.refused("submit t");
    assert_eq!(code, Some(2));
    assert!(told.contains("t, line 701: idempotency_key: `taken` belongs to"), "{told}");
    assert_eq!(folder.change(async |store| store.stats().await.unwrap().pending), 701);

    let told = json(&folder.told("submit t --resume --skip-bad bad --json"));
    assert_eq!((&told["submitted"], &told["rejected"]), (&1399.into(), &1.into()));
    assert_eq!(std::fs::read_to_string(folder.path().join("bad")).unwrap(), keyed(700));
    assert_eq!(folder.change(async |store| store.stats().await.unwrap().pending), 1400);
}

/// Lines that are wrong can be set aside, as they were written.
#[test]
fn wrong_lines_can_be_set_aside() {
    let folder = Folder::empty();
    let bad = [
        "{\"kind\":1}",
        "{\"kind\":\"k\",\"payload\":1,\"policy\":\"patint\"}",
        "nonsense",
        "{\"kind\":\"http\",\"payload\":{\"uri\":1}}",
    ];
    let (some, more) = (lines(0..600), lines(600..1200));
    let text = format!("{}\n{some}{}\n{more}{}\n{}\n", bad[0], bad[1], bad[2], bad[3]);
    std::fs::write(folder.path().join("t"), text).unwrap();
    let output = folder.output("submit t --skip-bad bad.jsonl");
    let (told, notes) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{notes}");
    assert!(
        told.contains("1200 tasks submitted") && told.contains("4 tasks set aside in bad.jsonl")
    );
    assert!(notes.contains("note: line 1203 is set aside: this is not a task"), "{notes}");
    let aside = std::fs::read_to_string(folder.path().join("bad.jsonl")).unwrap();
    assert_eq!(aside.lines().collect::<Vec<_>>(), bad);
    assert!(
        notes.contains("line 602 is set aside: policy: there is no policy `patint`"),
        "{notes}"
    );
    assert_eq!(numbers_in(&folder), (0..1200).collect::<Vec<_>>());
}

/// What only the store's own rules refuse stops it at its line, too.
#[test]
fn a_line_that_the_store_refuses_stops_it() {
    let folder = Folder::empty();
    let wrong = "{\"kind\":\"k\",\"payload\":700,\"policy\":\"patint\"}\n";
    std::fs::write(folder.path().join("t"), lines(0..700) + wrong + &lines(701..1500)).unwrap();
    let (code, told) = folder.refused("submit t");
    assert_eq!(code, Some(2));
    assert!(told.contains("t, line 701: policy: there is no policy `patint`"), "{told}");
    assert_eq!(numbers_in(&folder), (0..700).collect::<Vec<_>>());
    std::fs::write(folder.path().join("t"), lines(0..1500)).unwrap();
    folder.told("submit t --resume");
    assert_eq!(numbers_in(&folder), (0..1500).collect::<Vec<_>>());
}

/// A dry run tells everything that is wrong at once.
#[test]
fn a_dry_run_tells_every_wrong_line() {
    let folder = Folder::empty();
    let wrong = "{\"kind\":\"k\"}\n";
    std::fs::write(folder.path().join("t"), lines(0..5) + &wrong.repeat(30)).unwrap();
    let (code, told) = folder.refused("submit t --dry-run");
    assert_eq!(code, Some(2));
    assert!(told.contains("t, line 6: ") && told.contains("t, line 25: "), "{told}");
    assert!(!told.contains("line 26") && told.contains("10 lines are wrong, too"), "{told}");
}

/// D3: flags say what lines leave open.
#[test]
fn flags_say_what_lines_leave_open() {
    let folder = Folder::empty();
    let own = r#"{"kind":"k","payload":1,"queue":"own","policy":{"max_attempts":2}}"#;
    std::fs::write(folder.path().join("t"), lines(0..1) + own).unwrap();
    folder.told("submit t --queue mail --preset patient --in 1d");
    let tasks = folder.change(async |store| {
        store.tasks(&Default::default(), &Default::default()).await.unwrap().items
    });
    let of = |queue: &str| tasks.iter().find(|task| task.queue == queue).unwrap();
    assert_eq!((of("mail").max_attempts, of("own").max_attempts), (9, 2));
    assert!(tasks.iter().all(|task| task.status == Status::Scheduled));
}
