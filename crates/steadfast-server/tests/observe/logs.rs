//! The log in JSON, with what each line belongs to (O2).

use serde_json::Value;

use crate::child;
use crate::program::{REQUEST, TRACEPARENT};

fn lines(log: &str) -> Vec<Value> {
    let parse =
        |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"));
    log.lines().filter(|line| !line.is_empty()).map(parse).collect()
}

/// O2: an object a line; a retry is INFO and giving up WARN, with what they are about.
#[test]
fn what_happens_is_logged_as_json() {
    let (told, log) = child::run(&[("STEADFAST_LOG", "debug")]);
    let lines = lines(&log);
    let of_task = |message: &str| {
        let is_it = |line: &&Value| {
            line["session"] == told.task["id"]
                && line["message"].as_str().unwrap_or_default().starts_with(message)
        };
        lines.iter().find(is_it).unwrap_or_else(|| panic!("no `{message}` in {log}")).clone()
    };
    let retrying = of_task("retrying");
    assert_eq!((&retrying["level"], &retrying["operation"]), (&"INFO".into(), &"http".into()));
    assert_eq!((&retrying["attempt"], &retrying["max"]), (&1.into(), &2.into()));
    assert_eq!((&retrying["class"], &retrying["delay"]), (&"retryable".into(), &0.0.into()));
    assert_eq!(retrying["correlation_id"], TRACEPARENT);
    let gave_up = of_task("gave up");
    assert_eq!(
        (&gave_up["level"], &gave_up["reason"]),
        (&"WARN".into(), &"attempts_exhausted".into())
    );

    let answered = lines.iter().find(|line| line["span"]["route"] == "/api/v1/tasks").unwrap();
    assert_eq!(
        (&answered["level"], &answered["span"]["request_id"]),
        (&"DEBUG".into(), &REQUEST.into())
    );
}

/// O2: what is not asked for is not there.
#[test]
fn what_is_logged_is_what_was_asked_for() {
    let (_, log) = child::run(&[("STEADFAST_LOG", "warn")]);
    let levels: Vec<_> = lines(&log).into_iter().map(|line| line["level"].clone()).collect();
    assert!(!levels.is_empty() && levels.iter().all(|level| level == "WARN" || level == "ERROR"));
}
