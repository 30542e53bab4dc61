//! Redaction of secrets (O5).

use crate::child_process;
use crate::program::SECRET;

/// O5: secrets in payloads, URLs, headers, parameters and errors do not appear in metrics, logs, events,
/// records or responses.
#[test]
fn no_secret_is_exposed() {
    let (observed, log) = child_process::run(&[("STEADFAST_LOG", "trace")]);
    assert!(!log.is_empty() && observed.task["faults"][0].is_object(), "the run produced output");
    for (place, text) in [
        ("the metrics", observed.metrics),
        ("the log", log),
        ("the events", observed.events.to_string()),
        ("the sessions", observed.sessions.to_string()),
        ("the task", observed.task.to_string()),
        ("the problem", observed.problem.to_string()),
    ] {
        let shown = text.lines().find(|line| line.contains(SECRET));
        assert_eq!(shown, None, "in {place}");
    }
}
