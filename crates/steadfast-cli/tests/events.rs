//! `steadfast events` (O1).

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test may panic")]

mod store;

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use jiff::Timestamp;
use serde_json::Value;
use steadfast::observe::{ErrorRecord, Event, EventType, Subject};
use steadfast::{Policy, Reason};
use steadfast_store::{Record, Store};

use store::Folder;

fn event(event_type: EventType, operation: &str) -> Event {
    let policy = Policy::immediate().id("calls").build().unwrap();
    let at: Timestamp = "2026-01-29T12:00:00Z".parse().unwrap();
    let subject = Subject::of(&policy, operation, "task-1", Some("order-7"), "worker");
    let mut event = Event::new(event_type, at, &subject);
    (event.attempt, event.max_attempts) = (Some(2), Some(3));
    event
}

fn given_up(operation: &str) -> Event {
    let mut event = event(EventType::RetryFailure, operation);
    event.reason = Some(Reason::AttemptsExhausted);
    event.error = Some(ErrorRecord::new("http", "503 from \u{1b}[31mhost"));
    event
}

async fn record(store: &Store, events: &[Event]) {
    let records: Vec<Record> = events.iter().map(|event| event.try_into().unwrap()).collect();
    store.record(&records).await.unwrap();
}

/// O1: one line per event, oldest first, without terminal control characters.
#[test]
fn events_are_printed_one_per_line() {
    let folder = Folder::with(async |store| {
        let events = [event(EventType::RetryAttempt, "mail"), given_up("mail")];
        record(&store, &events).await;
    });
    let printed = folder.run_ok("events");
    let lines: Vec<&str> = printed.lines().collect();
    assert_eq!(lines.len(), 2, "{printed}");
    assert_eq!(
        lines[0],
        "2026-01-29 12:00:00  retry_attempt           mail  attempt 2 of 3  policy calls  session task-1"
    );
    let start = "2026-01-29 12:00:00  retry_failure           mail  attempt 2 of 3: attempts exhausted  policy calls";
    assert!(lines[1].starts_with(start), "{printed}");
    assert!(lines[1].contains("503 from") && !printed.contains('\u{1b}'), "{printed:?}");
}

/// Section 10: JSON output has one event per line, with its number.
#[test]
fn json_output_has_one_event_per_line() {
    let folder = Folder::with(async |store| {
        let numbered = |number| event(EventType::RetryAttempt, &format!("k{number}"));
        record(&store, &(0..30).map(numbered).collect::<Vec<_>>()).await;
    });
    let printed = folder.run_ok("events --json -n 3");
    let events: Vec<Value> =
        printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let operations: Vec<_> = events.iter().map(|event| event["operation"].clone()).collect();
    assert_eq!(operations, ["k27", "k28", "k29"]);
    assert!(events[0]["number"].as_i64() < events[1]["number"].as_i64());
    assert_eq!(events[0]["event_type"], "retry_attempt");
}

/// O1: all given filters must match.
#[test]
fn filters_select_events() {
    let folder = Folder::with(async |store| {
        record(&store, &[event(EventType::RetrySuccess, "mail"), given_up("print")]).await;
    });
    for (flags, count) in [
        ("--type retry_failure", 1),
        ("--kind mail", 1),
        ("--policy calls --task task-1 --correlation-id order-7", 2),
        ("--kind mail --type retry_failure", 0),
    ] {
        assert_eq!(
            folder.run_ok(&format!("events --json {flags}")).lines().count(),
            count,
            "{flags}"
        );
    }
    let printed = folder.run_ok("events --kind mial");
    assert_eq!(printed, "no matching events; remove a filter to see others\n");
}

/// O1: new events are printed until stdout is closed.
#[test]
fn follow_prints_new_events() {
    let folder = Folder::with(async |store| record(&store, &[given_up("first")]).await);
    let mut following = folder.command("events --follow --json -n 1");
    let mut following = following.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(following.stdout.take().unwrap()).lines();
    let mut next = || {
        let line: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        line["operation"].clone()
    };
    assert_eq!(next(), "first");
    for operation in ["second", "third"] {
        folder.change(async |store| record(&store, &[given_up(operation)]).await);
        assert_eq!(next(), operation);
    }
    drop(lines);
    // The closed pipe is noticed at the next event.
    folder.change(async |store| record(&store, &[given_up("last")]).await);
    assert!(following.wait().unwrap().success());
}

/// Section 10: an empty list says why it is empty.
#[test]
fn empty_list_is_explained() {
    let folder = Folder::with(async |_| ());
    assert!(folder.run_ok("events").starts_with("no events yet"));
    assert_eq!(folder.run_ok("events --json"), "");
}

/// F2: a misspelled type gets a suggestion.
#[test]
fn unknown_type_is_rejected_with_suggestion() {
    let (code, said) = Folder::empty().run_err("events --type retry_failed");
    assert_eq!(code, Some(2));
    assert!(said.contains("did you mean `retry_failure`?"), "{said}");
}
