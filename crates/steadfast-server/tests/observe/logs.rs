//! JSON log lines with their context (O2).

use serde_json::Value;

use crate::child_process;
use crate::program::{REQUEST, TRACEPARENT};

fn lines(log: &str) -> Vec<Value> {
    let parse =
        |line: &str| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"));
    log.lines().filter(|line| !line.is_empty()).map(parse).collect()
}

/// O2: one object per line; a retry is INFO and giving up WARN, with their context.
#[test]
fn log_lines_are_json_with_context() {
    let (observed, log) = child_process::run(&[("STEADFAST_LOG", "debug")]);
    let lines = lines(&log);
    let of_task = |message: &str| {
        let is_it = |line: &&Value| {
            line["session"] == observed.task["id"]
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

/// O2: filtered events are not logged.
#[test]
fn log_filter_is_applied() {
    let (_, log) = child_process::run(&[("STEADFAST_LOG", "warn")]);
    let levels: Vec<_> = lines(&log).into_iter().map(|line| line["level"].clone()).collect();
    assert!(!levels.is_empty() && levels.iter().all(|level| level == "WARN" || level == "ERROR"));
}
