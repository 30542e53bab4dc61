//! What is done by the thousand: submitting tasks, and claiming them with their payloads.
//!
//! A few requests are noted each, under the task's id. Somebody who asks thousands of times a
//! second gets a line for the rest of them, with their number and with the first and the last id:
//! ids are in the order of their making, so the tasks between them can be found.

use std::collections::HashMap;

use serde_json::json;
use steadfast_store::{AuditEntry, By, TaskId};

/// So many requests of one caller are noted each, until they are written.
const EACH: u32 = 20;
/// So many callers are told apart.
const CALLERS: usize = 1000;

/// What was done since it was last written.
#[derive(Default)]
pub(super) struct Bulk(HashMap<(By, &'static str), Many>);

#[derive(Default)]
struct Many {
    each: u32,
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
    ) -> Option<AuditEntry> {
        let ends = (*tasks.iter().min()?, *tasks.iter().max()?);
        let who = (by.clone(), action);
        if self.0.len() >= CALLERS && !self.0.contains_key(&who) {
            return Some(entry(by, action, tasks, ends));
        }
        let many = self.0.entry(who).or_default();
        if many.each < EACH {
            many.each += 1;
            return Some(entry(by, action, tasks, ends));
        }
        many.requests += 1;
        many.tasks += tasks.len();
        let (first, last) = many.ends.unwrap_or(ends);
        many.ends = Some((first.min(ends.0), last.max(ends.1)));
        None
    }

    /// The lines for what was gathered.
    pub(super) fn take(&mut self) -> Vec<AuditEntry> {
        let gathered = std::mem::take(&mut self.0).into_iter();
        gathered.filter_map(|((by, action), many)| many.entry(by, action)).collect()
    }
}

impl Many {
    fn entry(&self, by: By, action: &str) -> Option<AuditEntry> {
        let Self { requests, tasks, ends, .. } = self;
        let (first, last) = (*ends)?;
        let detail = json!({ "requests": requests, "tasks": tasks, "first": first, "last": last });
        Some(AuditEntry::new(by, action).detail(detail))
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
        let (mut bulk, ada) = (Bulk::default(), By::new("ada"));
        let tasks: Vec<TaskId> = (0..500).map(|_| TaskId::fresh()).collect();
        let each: Vec<_> = tasks.iter().filter_map(|id| bulk.add(&ada, "a", &[*id])).collect();
        assert_eq!(each.len(), 20);
        assert!(bulk.add(&ada, "b", &tasks).is_some(), "another deed");
        assert!(bulk.add(&By::new("bob"), "a", &tasks).is_some(), "another one");
        assert!(bulk.add(&ada, "a", &[]).is_none(), "nothing was done");
        let gathered = bulk.take();
        assert_eq!(gathered.len(), 1);
        let detail = &gathered[0].detail;
        assert_eq!((&detail["tasks"], &detail["requests"]), (&json!(480), &json!(480)));
        assert_eq!((&detail["first"], &detail["last"]), (&json!(tasks[20]), &json!(tasks[499])));
        assert!(bulk.take().is_empty());
    }

    /// K4: however many callers there are, memory is bounded.
    #[test]
    fn only_so_many_callers_are_told_apart() {
        let mut bulk = Bulk::default();
        for number in 0..2 * CALLERS {
            let by = By::new(number.to_string());
            assert!(bulk.add(&by, "a", &[TaskId::fresh()]).is_some());
        }
        assert_eq!(bulk.0.len(), CALLERS);
    }
}
