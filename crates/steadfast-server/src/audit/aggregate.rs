//! What is done by the thousand: submitting tasks, claiming them with their payloads, settling
//! them.
//!
//! A few requests are noted each, under the task's id. Somebody who goes on, be it thousands of
//! times a second, gets a line a minute for the rest of them, with their number and with the first
//! and the last id: ids are in the order of their making, so the tasks between them can be found.
//! A line a second would be 2.6 million a month for each worker that comes over HTTP.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::json;
use steadfast_store::{Actor, AuditEntry, TaskId};
use tokio::time::Instant;

use super::token_bucket::{Allowance, Pace};

/// How many lines one caller gets for one sort of deed, be it for one request or for many.
const LINES: Pace = Pace { at_once: 20, every: Duration::from_secs(60) };
/// So many callers are told apart by their address, and as many more by their name alone.
const CALLERS: usize = 5000;

/// What was done since it was last written.
#[derive(Default)]
pub(super) struct Bulk(HashMap<(Actor, &'static str), Many>);

struct Many {
    lines: Allowance,
    requests: u64,
    tasks: usize,
    ends: Option<(TaskId, TaskId)>,
}

impl Bulk {
    /// Notes a request: its entry, or none if it is gathered with others.
    pub(super) fn add(
        &mut self,
        by: &Actor,
        action: &'static str,
        tasks: &[TaskId],
        now: Instant,
    ) -> Option<AuditEntry> {
        let ends = (*tasks.iter().min()?, *tasks.iter().max()?);
        let Some(who) = self.apart(by, action) else {
            return Some(entry(by, action, tasks, ends));
        };
        let many = self.0.entry(who).or_insert_with(|| Many::new(now));
        // What was gathered is told first.
        if many.requests == 0 && many.lines.take(now) {
            return Some(entry(by, action, tasks, ends));
        }
        many.requests += 1;
        many.tasks += tasks.len();
        let (first, last) = many.ends.unwrap_or(ends);
        many.ends = Some((first.min(ends.0), last.max(ends.1)));
        None
    }

    /// Whom a request is counted for: nobody if there are too many.
    fn apart(&self, by: &Actor, action: &'static str) -> Option<(Actor, &'static str)> {
        let has_room = |who: &_, most| self.0.len() < most || self.0.contains_key(who);
        let exactly = (by.clone(), action);
        if has_room(&exactly, CALLERS) {
            return Some(exactly);
        }
        let by_name = (Actor::new(&by.actor), action);
        has_room(&by_name, 2 * CALLERS).then_some(by_name)
    }

    /// The lines for what was gathered that are due; all of them if it is the end.
    pub(super) fn take(&mut self, now: Instant, is_end: bool) -> Vec<AuditEntry> {
        let gathered = self.0.iter_mut().filter(|(_, many)| many.requests > 0);
        let due = gathered.filter_map(|(who, many)| {
            let may = many.lines.take(now) || is_end;
            may.then(|| many.entry(who)).flatten()
        });
        let lines = due.collect();
        self.0.retain(|_, many| many.requests > 0 || !many.lines.is_whole(now));
        lines
    }
}

impl Many {
    const fn new(now: Instant) -> Self {
        Self { lines: Allowance::new(LINES, now), requests: 0, tasks: 0, ends: None }
    }

    fn entry(&mut self, (by, action): &(Actor, &'static str)) -> Option<AuditEntry> {
        let (first, last) = self.ends.take()?;
        let (requests, tasks) =
            (std::mem::take(&mut self.requests), std::mem::take(&mut self.tasks));
        let detail = json!({ "requests": requests, "tasks": tasks, "first": first, "last": last });
        Some(AuditEntry::new(by.clone(), *action).detail(detail))
    }
}

fn entry(
    by: &Actor,
    action: &str,
    tasks: &[TaskId],
    (first, last): (TaskId, TaskId),
) -> AuditEntry {
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
        let (mut bulk, ada, now) = (Bulk::default(), Actor::new("ada"), Instant::now());
        let tasks: Vec<TaskId> = (0..500).map(|_| TaskId::fresh()).collect();
        let each: Vec<_> = tasks.iter().filter_map(|id| bulk.add(&ada, "a", &[*id], now)).collect();
        assert_eq!(each.len(), 20);
        assert!(bulk.add(&ada, "b", &tasks, now).is_some(), "another deed");
        assert!(bulk.add(&Actor::new("bob"), "a", &tasks, now).is_some(), "another one");
        assert!(bulk.add(&ada, "a", &[], now).is_none(), "nothing was done");
        assert!(bulk.take(now, false).is_empty(), "its minute is not over");
        let gathered = bulk.take(now + LINES.every, false);
        assert_eq!(gathered.len(), 1);
        let detail = &gathered[0].detail;
        assert_eq!((&detail["tasks"], &detail["requests"]), (&json!(480), &json!(480)));
        assert_eq!((&detail["first"], &detail["last"]), (&json!(tasks[20]), &json!(tasks[499])));
        assert!(bulk.take(now + 2 * LINES.every, true).is_empty());
    }

    /// K3, K4: who goes on at that gets a line a minute that leaves nothing out, and is forgotten
    /// when they stop.
    #[test]
    fn whoever_goes_on_gets_a_line_a_minute() {
        let (mut bulk, ada, mut now) = (Bulk::default(), Actor::new("ada"), Instant::now());
        let (mut lines, mut told) = (0, 0);
        for _ in 0..600 {
            let noted = (0..50).filter_map(|_| bulk.add(&ada, "a", &[TaskId::fresh()], now));
            let noted = noted.count();
            let sums = bulk.take(now, false);
            lines += noted + sums.len();
            told += noted as u64;
            told += sums.iter().filter_map(|line| line.detail["tasks"].as_u64()).sum::<u64>();
            now += Duration::from_secs(1);
        }
        assert!(lines <= 20 + 10, "{lines}");
        let rest = bulk.take(now, true);
        told += rest.iter().filter_map(|line| line.detail["tasks"].as_u64()).sum::<u64>();
        assert_eq!(told, 600 * 50);
        bulk.take(now + 21 * LINES.every, false);
        assert!(bulk.0.is_empty());
    }

    /// K3: when the server stops, nothing is left to be told.
    #[test]
    fn at_the_end_everything_is_told() {
        let (mut bulk, ada, now) = (Bulk::default(), Actor::new("ada"), Instant::now());
        (0..30).for_each(|_| drop(bulk.add(&ada, "a", &[TaskId::fresh()], now)));
        assert!(bulk.take(now, false).is_empty());
        assert_eq!(bulk.take(now, true)[0].detail["tasks"], json!(10));
    }

    /// K4: however many callers there are, memory is bounded, and so are the lines of those with
    /// one name.
    #[test]
    fn only_so_many_callers_are_told_apart() {
        let (mut bulk, now) = (Bulk::default(), Instant::now());
        let mut ada_from = |place: usize| {
            let by = Actor { actor: "ada".to_owned(), from: Some(place.to_string()) };
            bulk.add(&by, "a", &[TaskId::fresh()], now).is_some()
        };
        assert!((0..CALLERS).all(&mut ada_from));
        assert_eq!((CALLERS..3 * CALLERS).filter(|place| ada_from(*place)).count(), 20);
        for number in 0..2 * CALLERS {
            let by = Actor::new(number.to_string());
            assert!(bulk.add(&by, "a", &[TaskId::fresh()], now).is_some());
        }
        assert_eq!(bulk.0.len(), 2 * CALLERS);
    }
}
