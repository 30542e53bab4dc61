//! What fails, by sorts: a hundred failures that say the same would hide the one that does not.

use steadfast::observe::EventType;
use steadfast_api::EventView;
use steadfast_store::task_of;

use super::{events, link};

/// How many sorts are shown.
const FAILURES: usize = 8;
/// So many letters of an error are sought; an address has room for no more.
const SOUGHT: usize = 100;

/// The latest failures among events, oldest first.
pub(super) fn failing(events: &[EventView]) -> Vec<Failures<'_>> {
    alike(events.iter().rev().filter(|event| is_failure(event)))
}

/// Failures of one operation that say the same.
#[derive(Debug)]
pub(super) struct Failures<'e> {
    /// The latest.
    pub(super) latest: &'e EventView,
    /// How many there were lately.
    pub(super) times: usize,
}

impl Failures<'_> {
    /// The words of the error.
    pub(super) fn said(&self) -> Option<&str> {
        events::said(&self.latest.event)
    }

    /// Where they are: the tasks that say the same, or what happened to programs that do.
    pub(super) fn address(&self) -> String {
        let event = &self.latest.event;
        if task_of(event).is_none() {
            return link::narrowed("/events", &[("operation", &event.operation)]);
        }
        let said: String = self.said().unwrap_or_default().chars().take(SOUGHT).collect();
        link::narrowed("/tasks", &[("kind", &event.operation), ("text", &said)])
    }

    fn are_like(&self, event: &EventView) -> bool {
        let (latest, other) = (&self.latest.event, &event.event);
        latest.operation == other.operation
            && latest.reason == other.reason
            && events::said(latest) == events::said(other)
    }
}

/// The latest of each sort.
fn alike<'e>(events: impl Iterator<Item = &'e EventView>) -> Vec<Failures<'e>> {
    let mut sorts: Vec<Failures<'e>> = Vec::new();
    for event in events {
        match sorts.iter_mut().find(|sort| sort.are_like(event)) {
            Some(sort) => sort.times += 1,
            None => sorts.push(Failures { latest: event, times: 1 }),
        }
    }
    sorts.truncate(FAILURES);
    sorts
}

fn is_failure(event: &EventView) -> bool {
    use EventType::{LeaseLost, RetryAttempt, RetryFailure};
    matches!(event.event.event_type, LeaseLost | RetryAttempt | RetryFailure)
}
