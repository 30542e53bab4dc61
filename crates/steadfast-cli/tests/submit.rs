//! `steadfast submit`: one task or a file of tasks (D9).

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

fn id(printed: &Value) -> TaskId {
    printed["id"].as_str().unwrap().parse().unwrap()
}

/// D19: the payload is what the handler reads: method, URL, headers and the unchanged body.
#[test]
fn http_payload_is_stored_for_its_handler() {
    let folder = Folder::empty();
    std::fs::write(folder.path().join("user.json"), "{\"b\": 1.00, \"a\": 2}\n").unwrap();
    let line = "submit http PUT https://api.example.com/u/1 --body @user.json -H Accept:text/plain \
                --timeout 10s --queue mail --category a --priority 5 --key u-1 --hold-category \
                --correlation-id c-1 --preset sql --max-attempts 7 --in 2h --expires-in 1d --json";
    let printed = json(&folder.run_ok(line));
    assert_eq!((&printed["existed"], &printed["status"]), (&false.into(), &"scheduled".into()));
    let task = folder.change(async |store| store.task(id(&printed)).await.unwrap());
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

/// The default method is GET, or POST with a body.
#[test]
fn method_defaults_by_body() {
    let folder = Folder::empty();
    for (flags, method) in [("", "GET"), (" --body {}", "POST")] {
        let printed = folder.run_ok(&format!("submit http https://a.example/{flags} --json"));
        assert_eq!(json(&printed)["payload"]["method"], method);
    }
}

/// D9: the same key is the same task; a different payload with it is rejected.
#[test]
fn key_makes_submit_idempotent() {
    let folder = Folder::empty();
    let line = "submit http https://a.example/ --key once --json";
    let (first, second) = (json(&folder.run_ok(line)), json(&folder.run_ok(line)));
    assert_eq!((&second["id"], &second["existed"]), (&first["id"], &true.into()));
    let (code, printed) = folder.run_err("submit http https://b.example/ --key once");
    assert_eq!(code, Some(2));
    assert!(printed.contains("`once` was already used for task"), "{printed}");
}

/// D19: a command with stdin and environment, without a shell.
#[test]
fn command_arguments_are_stored_unchanged() {
    let folder = Folder::empty();
    let line = "submit command --env REGION=eu --stdin yes --timeout 1m --json -- backup --full $x";
    let printed = json(&folder.run_ok(line));
    let payload = r#"{"program":"backup","args":["--full","$x"],"stdin":"yes","env":{"REGION":"eu"},"timeout":60.0}"#;
    assert_eq!(printed["payload"], json(payload));
    let (code, printed) = folder.run_err("submit command --env LD_PRELOAD=x.so -- backup");
    assert_eq!(code, Some(2));
    assert!(printed.contains("payload.env.LD_PRELOAD: "), "{printed}");
}

/// O5: secrets are stored for the worker, and redacted in output.
#[test]
fn secret_is_stored_and_redacted_in_output() {
    let folder = Folder::empty();
    let line = "submit http https://a.example/ -H Authorization:Bearer-t0ken --json";
    let printed = folder.run_ok(line);
    assert!(!printed.contains("t0ken"), "{printed}");
    let task = folder.change(async |store| store.task(id(&json(&printed))).await.unwrap());
    assert_eq!(task.payload["headers"]["Authorization"], "Bearer-t0ken");
}

/// D18: the preview submits and creates nothing.
#[test]
fn dry_run_shows_attempts_and_creates_nothing() {
    let folder = Folder::empty();
    let line = "submit http https://a.example/ --preset sql --in 1h --dry-run --json";
    let printed = json(&folder.run_ok(line));
    let attempts: Vec<_> = printed["next"].as_array().unwrap().iter().collect();
    assert_eq!(attempts.len(), 4);
    assert_eq!(attempts[3]["attempt"], 4);
    assert_eq!(printed["policy"]["max_attempts"], 4);
    let late = "submit http https://a.example/ --in 2h --expires-in 1h --dry-run";
    assert_eq!(folder.run_ok(late), "no attempt would be made: it expires first\n");
    std::fs::write(folder.path().join("tasks.jsonl"), lines(0..3)).unwrap();
    let printed = folder.run_ok("submit tasks.jsonl --dry-run");
    assert_eq!(printed, "3 tasks would be submitted\n");
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 1, "neither a store nor a journal");
}

/// H1: lines, an array and stdin give the same tasks in the same order.
#[test]
fn lines_array_and_stdin_are_equivalent() {
    let array = format!("[\n{}\n]", lines(0..2500).trim_end().replace('\n', ",\n"));
    for (name, text) in [("tasks.jsonl", lines(0..2500)), ("tasks.json", array)] {
        let folder = Folder::empty();
        std::fs::write(folder.path().join(name), text).unwrap();
        let printed = json(&folder.run_ok(&format!("submit {name} --json --queue mail")));
        assert_eq!((&printed["submitted"], &printed["existed"]), (&2500.into(), &0.into()));
        assert_eq!(numbers_in(&folder), (0..2500).collect::<Vec<_>>());
        assert!(!folder.path().join(format!("{name}.steadfast-progress")).exists());
    }
    let folder = Folder::empty();
    let mut child = folder.command("submit - --json").stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines(0..2500).as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(numbers_in(&folder), (0..2500).collect::<Vec<_>>());
}

/// Submitting a file twice doubles its tasks, unless its lines have keys.
#[test]
fn file_can_be_submitted_twice() {
    let folder = Folder::empty();
    let keyed = r#"{"kind":"k","payload":0,"idempotency_key":"a"}"#;
    std::fs::write(folder.path().join("t"), lines(1..3) + keyed).unwrap();
    folder.run_ok("submit t");
    let printed = folder.run_ok("submit t");
    assert!(
        printed.starts_with("3 tasks submitted in ") && printed.contains("1 already existed"),
        "{printed}"
    );
    assert_eq!(numbers_in(&folder).len(), 5);
}

/// An invalid line stops the submission after the lines before it, and can be fixed.
#[test]
fn invalid_line_stops_submission_and_can_be_fixed() {
    let folder = Folder::empty();
    let file = folder.path().join("tasks.jsonl");
    let text = |wrong: &str| lines(0..1500) + wrong + "\n" + &lines(1501..3000);
    std::fs::write(&file, text(r#"{"kind":"k","payload":1500,"polcy":"sql"}"#)).unwrap();
    let (code, printed) = folder.run_err("submit tasks.jsonl");
    assert_eq!(code, Some(2));
    for words in [
        "tasks.jsonl, line 1501: ",
        "unknown field `polcy`",
        "did you mean `policy`?",
        "1500 tasks submitted, up to line 1500",
        "steadfast submit tasks.jsonl --resume",
    ] {
        assert!(printed.replace("\n        ", " ").contains(words), "{words}\n{printed}");
    }
    assert_eq!(numbers_in(&folder), (0..1500).collect::<Vec<_>>());

    let (_, printed) = folder.run_err("submit tasks.jsonl");
    assert!(printed.contains("an earlier run submitted 1500 tasks"), "{printed}");
    std::fs::write(&file, text(r#"{"kind":"k","payload":1500,"policy":"sql"}"#)).unwrap();
    let printed = json(&folder.run_ok("submit tasks.jsonl --resume --json"));
    assert_eq!((&printed["submitted"], &printed["resumed_after"]), (&3000.into(), &1500.into()));
    assert_eq!(numbers_in(&folder), (0..3000).collect::<Vec<_>>());
    let again = json(&folder.run_ok("submit tasks.jsonl --resume --json"));
    assert_eq!(again["resumed_after"], 3000, "once more changes nothing");
    assert_eq!(numbers_in(&folder).len(), 3000);
}

/// D9: a key conflict within a batch stops before that line.
#[test]
fn key_conflict_is_an_invalid_line() {
    let folder = Folder::empty();
    folder.run_ok("submit http https://a.example/ --key taken");
    let keyed =
        |number| format!("{{\"kind\":\"k\",\"payload\":{number},\"idempotency_key\":\"taken\"}}\n");
    let text = lines(0..700) + &keyed(700) + &lines(701..1400);
    std::fs::write(folder.path().join("t"), &text).unwrap();
    let (code, printed) = folder.run_err("submit t");
    assert_eq!(code, Some(2));
    assert!(
        printed.contains("t, line 701: idempotency_key: `taken` was already used"),
        "{printed}"
    );
    assert_eq!(folder.change(async |store| store.stats().await.unwrap().pending), 701);

    let printed = json(&folder.run_ok("submit t --resume --skip-bad bad --json"));
    assert_eq!((&printed["submitted"], &printed["rejected"]), (&1399.into(), &1.into()));
    assert_eq!(std::fs::read_to_string(folder.path().join("bad")).unwrap(), keyed(700));
    assert_eq!(folder.change(async |store| store.stats().await.unwrap().pending), 1400);
}

/// Invalid lines can be skipped, and are saved unchanged.
#[test]
fn invalid_lines_can_be_skipped() {
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
    let (printed, notes) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert!(output.status.success(), "{notes}");
    assert!(
        printed.contains("1200 tasks submitted")
            && printed.contains("4 invalid lines written to bad.jsonl")
    );
    assert!(notes.contains("note: line 1203 skipped: invalid task"), "{notes}");
    let aside = std::fs::read_to_string(folder.path().join("bad.jsonl")).unwrap();
    assert_eq!(aside.lines().collect::<Vec<_>>(), bad);
    assert!(notes.contains("line 602 skipped: policy: unknown policy `patint`"), "{notes}");
    assert_eq!(numbers_in(&folder), (0..1200).collect::<Vec<_>>());
}

/// A line that only the store rejects also stops the submission.
#[test]
fn line_rejected_by_the_store_stops_submission() {
    let folder = Folder::empty();
    let wrong = "{\"kind\":\"k\",\"payload\":700,\"policy\":\"patint\"}\n";
    std::fs::write(folder.path().join("t"), lines(0..700) + wrong + &lines(701..1500)).unwrap();
    let (code, printed) = folder.run_err("submit t");
    assert_eq!(code, Some(2));
    assert!(printed.contains("t, line 701: policy: unknown policy `patint`"), "{printed}");
    assert_eq!(numbers_in(&folder), (0..700).collect::<Vec<_>>());
    std::fs::write(folder.path().join("t"), lines(0..1500)).unwrap();
    folder.run_ok("submit t --resume");
    assert_eq!(numbers_in(&folder), (0..1500).collect::<Vec<_>>());
}

/// A dry run reports all invalid lines.
#[test]
fn dry_run_reports_every_invalid_line() {
    let folder = Folder::empty();
    let wrong = "{\"kind\":\"k\"}\n";
    std::fs::write(folder.path().join("t"), lines(0..5) + &wrong.repeat(30)).unwrap();
    let (code, printed) = folder.run_err("submit t --dry-run");
    assert_eq!(code, Some(2));
    assert!(printed.contains("t, line 6: ") && printed.contains("t, line 25: "), "{printed}");
    assert!(!printed.contains("line 26") && printed.contains("10 more invalid lines"), "{printed}");
}

/// D3: flags fill omitted fields.
#[test]
fn flags_fill_omitted_fields() {
    let folder = Folder::empty();
    let own = r#"{"kind":"k","payload":1,"queue":"own","policy":{"max_attempts":2}}"#;
    std::fs::write(folder.path().join("t"), lines(0..1) + own).unwrap();
    folder.run_ok("submit t --queue mail --preset patient --in 1d");
    let tasks = folder.change(async |store| {
        store.tasks(&Default::default(), &Default::default()).await.unwrap().items
    });
    let of = |queue: &str| tasks.iter().find(|task| task.queue == queue).unwrap();
    assert_eq!((of("mail").max_attempts, of("own").max_attempts), (9, 2));
    assert!(tasks.iter().all(|task| task.status == Status::Scheduled));
}
