//! Secrets do not show (O5).

use crate::child;
use crate::program::SECRET;

/// O5: whatever people put into payloads, URLs, headers, parameters and errors, none of it is in
/// figures, logs, events, records or answers, however much is logged.
#[test]
fn no_secret_is_told() {
    let (told, log) = child::run(&[("STEADFAST_LOG", "trace")]);
    assert!(!log.is_empty() && told.task["faults"][0].is_object(), "there was something to tell");
    for (place, text) in [
        ("the figures", told.metrics),
        ("the log", log),
        ("the events", told.events.to_string()),
        ("the sessions", told.sessions.to_string()),
        ("the task", told.task.to_string()),
        ("the problem", told.problem.to_string()),
    ] {
        let shown = text.lines().find(|line| line.contains(SECRET));
        assert_eq!(shown, None, "in {place}");
    }
}
