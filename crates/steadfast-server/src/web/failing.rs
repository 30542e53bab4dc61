//! What fails, by sorts: a hundred failures that say the same would hide the one that does not.
//!
//! A failure that is retried is told with its code before its words, "HTTP 503, busy", and one that
//! is given up with its words alone. They are one sort.

use std::cmp::Reverse;

use steadfast::observe::EventType;
use steadfast_api::EventView;
use steadfast_store::{Status, task_of};

use super::{events, link};

/// How many sorts are shown.
const FAILURES: usize = 8;
/// So many letters of an error are sought; an address has room for no more.
const SOUGHT: usize = 100;

/// The failures among events, oldest first, by sorts: that of most failures first.
pub(super) fn failing(events: &[EventView]) -> Vec<Failures<'_>> {
    let mut sorts = alike(events.iter().rev().filter(|event| is_failure(event)));
    sorts.sort_by_key(|sort| Reverse(sort.times()));
    sorts.truncate(FAILURES);
    sorts
}

/// Failures of one operation that say the same.
#[derive(Debug)]
pub(super) struct Failures<'e> {
    /// The latest.
    pub(super) latest: &'e EventView,
    /// What all of them say.
    said: Option<&'e str>,
    given_up: usize,
    retried: usize,
    lost: usize,
}

impl<'e> Failures<'e> {
    fn of(latest: &'e EventView) -> Self {
        let said = events::said(&latest.event);
        let mut sort = Self { latest, said, given_up: 0, retried: 0, lost: 0 };
        sort.add(latest);
        sort
    }

    fn add(&mut self, event: &'e EventView) {
        match event.event.event_type {
            EventType::RetryFailure => self.given_up += 1,
            EventType::LeaseLost => self.lost += 1,
            _ => self.retried += 1,
        }
        let shorter = |said: &&str| self.said.is_none_or(|known| said.len() < known.len());
        self.said = events::said(&event.event).filter(shorter).or(self.said);
    }

    /// How many there were lately.
    pub(super) const fn times(&self) -> usize {
        self.given_up + self.retried + self.lost
    }

    /// The same, by what became of them.
    pub(super) fn told(&self) -> String {
        let all = [(self.given_up, "gave up"), (self.retried, "retried"), (self.lost, "lost")];
        let some = all.into_iter().filter(|(times, _)| *times > 0);
        some.map(|(times, what)| format!("{times} {what}")).collect::<Vec<_>>().join(", ")
    }

    /// Where they are: the tasks that say the same, or what happened to programs that do.
    pub(super) fn address(&self) -> String {
        let event = &self.latest.event;
        if task_of(event).is_none() {
            return link::narrowed("/events", &[("operation", &event.operation)]);
        }
        let status = if self.given_up > 0 { Status::Failed.name() } else { "" };
        let said: String = self.said.unwrap_or_default().chars().take(SOUGHT).collect();
        let all: [(&str, &str); 3] =
            [("status", status), ("kind", &event.operation), ("text", &said)];
        let some: Vec<_> = all.into_iter().filter(|(_, value)| !value.is_empty()).collect();
        link::narrowed("/tasks", &some)
    }

    fn are_like(&self, event: &EventView) -> bool {
        let is_same = match (self.said, events::said(&event.event)) {
            (Some(one), Some(other)) => is_same(one, other),
            (one, other) => one == other,
        };
        is_same && self.latest.event.operation == event.event.operation
    }
}

/// Whether two errors have the same words, one of them perhaps with its code before them.
fn is_same(one: &str, other: &str) -> bool {
    let (short, long) = if one.len() < other.len() { (one, other) } else { (other, one) };
    long.strip_suffix(short).is_some_and(|code| code.is_empty() || code.ends_with(", "))
}

/// Each sort, with its latest.
fn alike<'e>(events: impl Iterator<Item = &'e EventView>) -> Vec<Failures<'e>> {
    let mut sorts: Vec<Failures<'e>> = Vec::new();
    for event in events {
        match sorts.iter_mut().find(|sort| sort.are_like(event)) {
            Some(sort) => sort.add(event),
            None => sorts.push(Failures::of(event)),
        }
    }
    sorts
}

fn is_failure(event: &EventView) -> bool {
    use EventType::{LeaseLost, RetryAttempt, RetryFailure};
    matches!(event.event.event_type, LeaseLost | RetryAttempt | RetryFailure)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// H2: an error is the same with its code and without, and no other.
    #[test]
    fn a_code_before_the_words_makes_no_other_error() {
        assert!(is_same("busy", "busy") && is_same("HTTP 503, busy", "busy"));
        assert!(is_same("busy", "HTTP 503, busy"));
        assert!(!is_same("too busy", "busy") && !is_same("HTTP 503, busy", "HTTP 500, busy"));
    }
}
