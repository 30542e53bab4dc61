//! Recent failures, grouped by operation and error message.
//!
//! A hundred equal failures would hide the one that differs. The event of a retried failure carries
//! the code before the message ("HTTP 503, busy") and the event of a final failure the message alone;
//! both belong to one group.

use std::cmp::Reverse;

use steadfast::observe::EventType;
use steadfast_api::EventView;
use steadfast_store::{Status, task_of_event};

use super::{events, link};

const MAX_GROUPS: usize = 8;
/// How many characters of an error message go into the search link.
const MAX_SEARCH_CHARS: usize = 100;

/// The failures among these events (oldest first) in groups, the largest group first.
pub(super) fn group_failures(events: &[EventView]) -> Vec<FailureGroup<'_>> {
    use EventType::{LeaseLost, RetryAttempt, RetryFailure};
    let is_failure = |event: &&EventView| {
        matches!(event.event.event_type, LeaseLost | RetryAttempt | RetryFailure)
    };
    let mut groups: Vec<FailureGroup<'_>> = Vec::new();
    for event in events.iter().rev().filter(is_failure) {
        match groups.iter_mut().find(|group| group.contains(event)) {
            Some(group) => group.add(event),
            None => groups.push(FailureGroup::of(event)),
        }
    }
    groups.sort_by_key(|group| Reverse(group.count()));
    groups.truncate(MAX_GROUPS);
    groups
}

/// Failures of one operation with the same message.
pub(super) struct FailureGroup<'e> {
    pub(super) latest: &'e EventView,
    /// The message that all of them share.
    message: Option<&'e str>,
    failed: usize,
    retried: usize,
    leases_lost: usize,
}

impl<'e> FailureGroup<'e> {
    fn of(latest: &'e EventView) -> Self {
        let message = events::error_message(&latest.event);
        let mut group = Self { latest, message, failed: 0, retried: 0, leases_lost: 0 };
        group.add(latest);
        group
    }

    fn add(&mut self, event: &'e EventView) {
        match event.event.event_type {
            EventType::RetryFailure => self.failed += 1,
            EventType::LeaseLost => self.leases_lost += 1,
            _ => self.retried += 1,
        }
        let is_shorter =
            |message: &&str| self.message.is_none_or(|known| message.len() < known.len());
        self.message = events::error_message(&event.event).filter(is_shorter).or(self.message);
    }

    pub(super) const fn count(&self) -> usize {
        self.failed + self.retried + self.leases_lost
    }

    /// The number of failures by outcome: "failed 3×, retried 2×".
    pub(super) fn summary(&self) -> String {
        let counts = [
            (self.failed, "failed"),
            (self.retried, "retried"),
            (self.leases_lost, "lost its lease"),
        ];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        counts.map(|(count, outcome)| format!("{outcome} {count}×")).collect::<Vec<_>>().join(", ")
    }

    /// The list of these failures: tasks with the same message, or events of a program.
    pub(super) fn url(&self) -> String {
        let event = &self.latest.event;
        if task_of_event(event).is_none() {
            return link::filtered("/events", [("operation", &event.operation)]);
        }
        let status = if self.failed > 0 { Status::Failed.name() } else { "" };
        let message: String =
            self.message.unwrap_or_default().chars().take(MAX_SEARCH_CHARS).collect();
        let all: [(&str, &str); 3] =
            [("status", status), ("kind", &event.operation), ("text", &message)];
        let given: Vec<_> = all.into_iter().filter(|(_, value)| !value.is_empty()).collect();
        link::filtered("/tasks", given)
    }

    fn contains(&self, event: &EventView) -> bool {
        let has_same_error = match (self.message, events::error_message(&event.event)) {
            (Some(one), Some(other)) => is_same_error(one, other),
            (one, other) => one == other,
        };
        has_same_error && self.latest.event.operation == event.event.operation
    }
}

/// Whether two messages are equal, one of them possibly with a code before it.
fn is_same_error(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    long.strip_suffix(short).is_some_and(|code| code.is_empty() || code.ends_with(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H2: an error with its code and without it is the same error.
    #[test]
    fn code_before_the_message_is_ignored() {
        assert!(is_same_error("busy", "busy") && is_same_error("HTTP 503, busy", "busy"));
        assert!(is_same_error("busy", "HTTP 503, busy"));
        assert!(!is_same_error("too busy", "busy"));
        assert!(!is_same_error("HTTP 503, busy", "HTTP 500, busy"));
    }
}
