//! What is done by the thousand: submitting tasks, claiming them with their payloads, settling
//! them.
//!
//! A few requests are noted each, under the task's id. Somebody who asks thousands of times a
//! second gets a line a second for the rest of them, with their number and with the first and the
//! last id: ids are in the order of their making, so the tasks between them can be found.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::json;
use steadfast_store::{AuditEntry, By, TaskId};
use tokio::time::Instant;

use super::allowance::{Allowance, Pace};

/// How many requests of one caller are noted each.
const EACH: Pace = Pace { at_once: 20, every: Duration::from_secs(1) };
/// So many callers are told apart.
const CALLERS: usize = 1000;

/// What was done since it was last written.
#[derive(Default)]
pub(super) struct Bulk(HashMap<(By, &'static str), Many>);

struct Many {
    each: Allowance,
    requests: u64,
    tasks: usize,
    ends: Option<(TaskId, TaskId)>,
}

impl Bulk {
    /// Notes a request: its entry, or none if it is gathered with others.
    pub(super) fn add(
        &mut self,
        by: &By,
        action: &'static str,
        tasks: &[TaskId],
        now: Instant,
    ) -> Option<AuditEntry> {
        let ends = (*tasks.iter().min()?, *tasks.iter().max()?);
        let who = (by.clone(), action);
        if self.0.len() >= CALLERS && !self.0.contains_key(&who) {
            return Some(entry(by, action, tasks, ends));
        }
        let many = self.0.entry(who).or_insert_with(|| Many::new(now));
        if many.each.take(now) {
            return Some(entry(by, action, tasks, ends));
        }
        many.requests += 1;
        many.tasks += tasks.len();
        let (first, last) = many.ends.unwrap_or(ends);
        many.ends = Some((first.min(ends.0), last.max(ends.1)));
        None
    }

    /// The lines for what was gathered.
    pub(super) fn take(&mut self, now: Instant) -> Vec<AuditEntry> {
        let gathered = self.0.iter_mut();
        let lines = gathered.filter_map(|((by, action), many)| many.entry(by, action)).collect();
        self.0.retain(|_, many| !many.each.is_whole(now));
        lines
    }
}

impl Many {
    const fn new(now: Instant) -> Self {
        Self { each: Allowance::new(EACH, now), requests: 0, tasks: 0, ends: None }
    }

    fn entry(&mut self, by: &By, action: &str) -> Option<AuditEntry> {
        let (first, last) = self.ends.take()?;
        let (requests, tasks) =
            (std::mem::take(&mut self.requests), std::mem::take(&mut self.tasks));
        let detail = json!({ "requests": requests, "tasks": tasks, "first": first, "last": last });
        Some(AuditEntry::new(by.clone(), action).detail(detail))
    }
}

fn entry(by: &By, action: &str, tasks: &[TaskId], (first, last): (TaskId, TaskId)) -> AuditEntry {
    let entry = AuditEntry::new(by.clone(), action);
    match tasks {
        [only] => entry.target(only),
        tasks => entry.detail(json!({ "tasks": tasks.len(), "first": first, "last": last })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K3: every task is told of, whether under its own id or with others.
    #[test]
    fn no_task_is_left_out() {
        let (mut bulk, ada, now) = (Bulk::default(), By::new("ada"), Instant::now());
        let tasks: Vec<TaskId> = (0..500).map(|_| TaskId::fresh()).collect();
        let each: Vec<_> = tasks.iter().filter_map(|id| bulk.add(&ada, "a", &[*id], now)).collect();
        assert_eq!(each.len(), 20);
        assert!(bulk.add(&ada, "b", &tasks, now).is_some(), "another deed");
        assert!(bulk.add(&By::new("bob"), "a", &tasks, now).is_some(), "another one");
        assert!(bulk.add(&ada, "a", &[], now).is_none(), "nothing was done");
        let gathered = bulk.take(now);
        assert_eq!(gathered.len(), 1);
        let detail = &gathered[0].detail;
        assert_eq!((&detail["tasks"], &detail["requests"]), (&json!(480), &json!(480)));
        assert_eq!((&detail["first"], &detail["last"]), (&json!(tasks[20]), &json!(tasks[499])));
        assert!(bulk.take(now).is_empty());
    }

    /// K4: who goes on at that gets two lines a second, and is forgotten when they stop.
    #[test]
    fn whoever_goes_on_gets_two_lines_a_second() {
        let (mut bulk, ada, mut now) = (Bulk::default(), By::new("ada"), Instant::now());
        let mut lines = 0;
        for _ in 0..100 {
            let noted = (0..50).filter_map(|_| bulk.add(&ada, "a", &[TaskId::fresh()], now));
            lines += noted.count();
            lines += bulk.take(now).len();
            now += Duration::from_secs(1);
        }
        assert!(lines <= 20 + 2 * 100, "{lines}");
        bulk.take(now + Duration::from_secs(60));
        assert!(bulk.0.is_empty());
    }

    /// K4: however many callers there are, memory is bounded.
    #[test]
    fn only_so_many_callers_are_told_apart() {
        let (mut bulk, now) = (Bulk::default(), Instant::now());
        for number in 0..2 * CALLERS {
            let by = By::new(number.to_string());
            assert!(bulk.add(&by, "a", &[TaskId::fresh()], now).is_some());
        }
        assert_eq!(bulk.0.len(), CALLERS);
    }
}
