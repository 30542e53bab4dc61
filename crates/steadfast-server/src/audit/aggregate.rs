//! Aggregation of frequent audit entries.
//!
//! The first entries of an actor and action are written individually; a caller that continues, possibly
//! thousands of times a second, gets one summary entry per minute. Three kinds are aggregated:
//!
//! - Submits, claims and settles: the summary has the number of tasks and the first and last id. Ids are
//!   ordered by time, so the tasks between them can be found.
//! - Reads and logins, which change nothing: the summary has their number.
//! - Failed logins: a client needs no token to fail, and must not be able to fill the disk. So there is one
//!   entry per address and minute, and a limited number of addresses per minute.
//!
//! One entry per second would be 2.6 million a month for each worker over HTTP.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::time::Duration;

use lru::LruCache;
use serde_json::json;
use steadfast_store::{Actor, AuditEntry, Program, TaskId};
use tokio::time::Instant;

use super::token_bucket::{Rate, TokenBucket};

const FLUSH_INTERVAL: Duration = Duration::from_secs(60);
/// Callers that are distinguished by address; as many more are distinguished by name only.
const MAX_CALLERS: usize = 5000;
/// Addresses with their own entry per interval.
const MAX_ADDRESSES: usize = 50;

/// A sum of entries with the same key.
pub(super) trait Summary {
    type Key: Clone + Eq + Hash;
    const RATE: Rate;
    /// The number of keys that are counted separately.
    const CAPACITY: usize;

    fn merge(&mut self, other: Self);
    fn into_entry(self, key: &Self::Key) -> AuditEntry;
}

/// Entries grouped by key.
pub(super) struct Aggregator<S: Summary> {
    groups: LruCache<S::Key, Group<S>>,
    evicted: Vec<AuditEntry>,
}

struct Group<S> {
    bucket: TokenBucket,
    pending: Option<S>,
    flushed_at: Instant,
}

impl<S: Summary> Default for Aggregator<S> {
    fn default() -> Self {
        Self { groups: LruCache::unbounded(), evicted: Vec::new() }
    }
}

impl<S: Summary> Aggregator<S> {
    /// Whether this entry is to be written individually; otherwise it is added to the summary.
    fn admit(&mut self, key: S::Key, summary: S, now: Instant) -> bool {
        if self.groups.len() >= S::CAPACITY && !self.groups.contains(&key) {
            let evicted = self.groups.pop_lru();
            let entry = evicted.and_then(|(key, group)| Some(group.pending?.into_entry(&key)));
            self.evicted.extend(entry);
        }
        let group = self.groups.get_or_insert_mut(key, || Group {
            bucket: TokenBucket::new(S::RATE, now),
            pending: None,
            flushed_at: now,
        });
        match &mut group.pending {
            None if group.bucket.take(now) => return true,
            None => group.pending = Some(summary),
            Some(pending) => pending.merge(summary),
        }
        false
    }

    /// The summary entries that are due, or all of them on shutdown. Drops idle groups.
    pub(super) fn flush(&mut self, now: Instant, is_shutdown: bool) -> Vec<AuditEntry> {
        let mut entries = std::mem::take(&mut self.evicted);
        let mut idle = Vec::new();
        for (key, group) in &mut self.groups {
            if is_shutdown || now - group.flushed_at >= FLUSH_INTERVAL {
                if let Some(pending) = group.pending.take() {
                    // A summary counts as an individual entry.
                    group.bucket.take(now);
                    entries.push(pending.into_entry(key));
                }
                group.flushed_at = now;
            }
            if group.pending.is_none() && group.bucket.is_full(now) {
                idle.push(key.clone());
            }
        }
        idle.iter().for_each(|key| drop(self.groups.pop(key)));
        entries
    }
}

/// Submits, claims and settles by caller and action.
pub(super) type TaskActions = Aggregator<Tasks>;

pub(super) struct Tasks {
    requests: u64,
    tasks: usize,
    first: TaskId,
    last: TaskId,
}

impl Summary for Tasks {
    type Key = (Actor, &'static str);
    const RATE: Rate = Rate { burst: 20, refill_interval: FLUSH_INTERVAL };
    const CAPACITY: usize = 2 * MAX_CALLERS;

    fn merge(&mut self, other: Self) {
        self.requests += other.requests;
        self.tasks += other.tasks;
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
    }

    fn into_entry(self, (actor, action): &Self::Key) -> AuditEntry {
        let Self { requests, tasks, first, last } = self;
        let detail = json!({ "requests": requests, "tasks": tasks, "first": first, "last": last });
        AuditEntry::new(actor.clone(), *action).detail(detail)
    }
}

impl TaskActions {
    /// The entry of a request, unless it is added to a summary.
    pub(super) fn add(
        &mut self,
        actor: &Actor,
        action: &'static str,
        tasks: &[TaskId],
        now: Instant,
    ) -> Option<AuditEntry> {
        let (first, last) = (*tasks.iter().min()?, *tasks.iter().max()?);
        let summary = Tasks { requests: 1, tasks: tasks.len(), first, last };
        self.admit(self.key(actor, action), summary, now).then(|| {
            let entry = AuditEntry::new(actor.clone(), action);
            match tasks {
                [only] => entry.target(only),
                _ => entry.detail(json!({ "tasks": tasks.len(), "first": first, "last": last })),
            }
        })
    }

    /// The caller with its address, or its name alone if there are too many callers.
    fn key(&self, actor: &Actor, action: &'static str) -> (Actor, &'static str) {
        let key = (actor.clone(), action);
        let has_room = self.groups.len() < MAX_CALLERS || self.groups.contains(&key);
        if has_room { key } else { (Actor::new(&actor.name), action) }
    }
}

/// Reads and logins by name and action. Names cannot be made up, unlike addresses.
pub(super) type Calls = Aggregator<CallCount>;

pub(super) struct CallCount {
    times: u64,
    /// The address, if it is always the same.
    from: Option<String>,
}

impl Summary for CallCount {
    type Key = (String, String);
    const RATE: Rate = Rate { burst: 60, refill_interval: Duration::from_secs(10) };
    const CAPACITY: usize = 4096;

    fn merge(&mut self, other: Self) {
        self.times += other.times;
        if self.from != other.from {
            self.from = None;
        }
    }

    fn into_entry(self, (actor, action): &Self::Key) -> AuditEntry {
        let actor = Actor { name: actor.clone(), origin: self.from };
        AuditEntry::new(actor, action).detail(json!({ "times": self.times }))
    }
}

impl Calls {
    /// The entry, unless it is added to a summary.
    pub(super) fn add(&mut self, entry: AuditEntry, now: Instant) -> Option<AuditEntry> {
        let key = (entry.actor.name.clone(), entry.action.clone());
        let count = CallCount { times: 1, from: entry.actor.origin.clone() };
        self.admit(key, count, now).then_some(entry)
    }
}

#[derive(Default)]
pub(super) struct FailedLogins {
    by_address: HashMap<Option<IpAddr>, u64>,
    other_addresses: u64,
    flushed_at: Option<Instant>,
}

impl FailedLogins {
    pub(super) fn add(&mut self, from: Option<IpAddr>) {
        if self.by_address.len() < MAX_ADDRESSES || self.by_address.contains_key(&from) {
            *self.by_address.entry(from).or_default() += 1;
        } else {
            self.other_addresses += 1;
        }
    }

    /// The entries that are due: the first at once, then once per interval, and all on shutdown.
    pub(super) fn flush(&mut self, now: Instant, is_shutdown: bool) -> Vec<AuditEntry> {
        let is_early = self.flushed_at.is_some_and(|at| now - at < FLUSH_INTERVAL);
        if (is_early && !is_shutdown) || self.by_address.is_empty() {
            return Vec::new();
        }
        self.flushed_at = Some(now);
        let others = std::mem::take(&mut self.other_addresses);
        let others = (others > 0).then(|| login_refused(None, others));
        self.by_address
            .drain()
            .map(|(from, tries)| login_refused(from, tries))
            .chain(others)
            .collect()
    }
}

fn login_refused(from: Option<IpAddr>, tries: u64) -> AuditEntry {
    let by = Actor { origin: from.map(|it| it.to_string()), ..Program::Anonymous.into() };
    AuditEntry::new(by, "login.refused").detail(json!({ "tries": tries }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks_of(entries: &[AuditEntry]) -> u64 {
        entries.iter().filter_map(|entry| entry.detail["tasks"].as_u64()).sum()
    }

    /// K3: every task is in an individual entry or in a summary.
    #[test]
    fn frequent_task_actions_are_summarized_without_loss() {
        let (mut actions, ada, now) = (TaskActions::default(), Actor::new("ada"), Instant::now());
        let tasks: Vec<TaskId> = (0..500).map(|_| TaskId::fresh()).collect();
        let individual = tasks.iter().filter_map(|id| actions.add(&ada, "a", &[*id], now));
        assert_eq!(individual.count(), 20);
        assert!(actions.add(&ada, "b", &tasks, now).is_some(), "another action");
        assert!(actions.add(&Actor::new("bob"), "a", &tasks, now).is_some(), "another actor");
        assert!(actions.add(&ada, "a", &[], now).is_none(), "no task");
        assert!(actions.flush(now, false).is_empty(), "not due");
        let summaries = actions.flush(now + FLUSH_INTERVAL, false);
        assert_eq!(summaries.len(), 1);
        let detail = &summaries[0].detail;
        assert_eq!((&detail["tasks"], &detail["requests"]), (&json!(480), &json!(480)));
        assert_eq!((&detail["first"], &detail["last"]), (&json!(tasks[20]), &json!(tasks[499])));
        assert!(actions.flush(now + 2 * FLUSH_INTERVAL, true).is_empty());
    }

    /// K3, K4: sustained actions become one summary per minute without loss, and idle callers are
    /// dropped.
    #[test]
    fn sustained_task_actions_become_one_summary_per_minute() {
        let (mut actions, ada, mut now) =
            (TaskActions::default(), Actor::new("ada"), Instant::now());
        let (mut entries, mut recorded) = (0, 0);
        for _ in 0..600 {
            let added = (0..50).filter_map(|_| actions.add(&ada, "a", &[TaskId::fresh()], now));
            let individual = added.count();
            let summaries = actions.flush(now, false);
            entries += individual + summaries.len();
            recorded += individual as u64 + tasks_of(&summaries);
            now += Duration::from_secs(1);
        }
        assert!(entries <= 20 + 10, "{entries}");
        recorded += tasks_of(&actions.flush(now, true));
        assert_eq!(recorded, 600 * 50);
        actions.flush(now + 21 * FLUSH_INTERVAL, false);
        assert!(actions.groups.is_empty());
    }

    /// K3: on shutdown every summary is written.
    #[test]
    fn task_summary_is_flushed_on_shutdown() {
        let (mut actions, ada, now) = (TaskActions::default(), Actor::new("ada"), Instant::now());
        (0..30).for_each(|_| drop(actions.add(&ada, "a", &[TaskId::fresh()], now)));
        assert!(actions.flush(now, false).is_empty());
        assert_eq!(actions.flush(now, true)[0].detail["tasks"], json!(10));
    }

    /// K4: memory is bounded for any number of callers, and so are the entries of one name.
    #[test]
    fn tracked_callers_are_limited() {
        let (mut actions, now) = (TaskActions::default(), Instant::now());
        let mut ada_from = |address: usize| {
            let by = Actor { name: "ada".to_owned(), origin: Some(address.to_string()) };
            actions.add(&by, "a", &[TaskId::fresh()], now).is_some()
        };
        assert!((0..MAX_CALLERS).all(&mut ada_from));
        let individual = (MAX_CALLERS..3 * MAX_CALLERS).filter(|address| ada_from(*address));
        assert_eq!(individual.count(), 20);
        for number in 0..2 * MAX_CALLERS {
            let by = Actor::new(number.to_string());
            assert!(actions.add(&by, "a", &[TaskId::fresh()], now).is_some());
        }
        assert_eq!(actions.groups.len(), 2 * MAX_CALLERS);
    }

    fn read(actor: &str, from: &str) -> AuditEntry {
        let by = Actor { name: actor.to_owned(), origin: Some(from.to_owned()) };
        AuditEntry::new(by, "tasks.list")
    }

    /// K3, K4: frequent reads become one summary per minute that counts all of them.
    #[test]
    fn frequent_reads_become_one_summary_per_minute() {
        let (mut calls, now) = (Calls::default(), Instant::now());
        let individual = (0..10_000).filter_map(|_| calls.add(read("ada", "192.0.2.1"), now));
        assert_eq!(individual.count(), 60);
        assert!(calls.add(read("bob", "192.0.2.1"), now).is_some(), "another actor");
        assert!(calls.flush(now + FLUSH_INTERVAL / 2, false).is_empty());
        let summaries = calls.flush(now + FLUSH_INTERVAL, false);
        assert_eq!((summaries.len(), &summaries[0].detail), (1, &json!({"times": 9940})));
        assert_eq!(
            (summaries[0].actor.name.as_str(), summaries[0].actor.origin.as_deref()),
            ("ada", Some("192.0.2.1"))
        );
        assert!(calls.flush(now + 2 * FLUSH_INTERVAL, true).is_empty());
    }

    /// K3: on shutdown every summary is written.
    #[test]
    fn read_summary_is_flushed_on_shutdown() {
        let (mut calls, now) = (Calls::default(), Instant::now());
        for number in 0..100 {
            calls.add(read("ada", &format!("192.0.2.{number}")), now);
        }
        let summaries = calls.flush(now, true);
        assert_eq!((summaries.len(), &summaries[0].detail), (1, &json!({"times": 40})));
        assert_eq!(summaries[0].actor.origin, None, "several addresses");
    }

    /// K4: memory is bounded for any number of names, and an evicted summary is written.
    #[test]
    fn evicted_read_summary_is_written() {
        let (mut calls, now) = (Calls::default(), Instant::now());
        (0..61).for_each(|_| drop(calls.add(read("ada", "192.0.2.1"), now)));
        for number in 0..CallCount::CAPACITY {
            assert!(calls.add(read(&number.to_string(), "192.0.2.1"), now).is_some());
        }
        assert_eq!(calls.groups.len(), CallCount::CAPACITY);
        let summaries = calls.flush(now, false);
        assert_eq!((summaries.len(), summaries[0].actor.name.as_str()), (1, "ada"));
    }

    /// K3, K4: failures from any number of addresses become a few entries a minute.
    #[test]
    fn failed_logins_from_many_addresses_are_limited() {
        let (mut failures, now) = (FailedLogins::default(), Instant::now());
        let address = |number: u32| Some(IpAddr::V4(number.into()));
        failures.add(address(1));
        failures.add(address(1));
        let first = failures.flush(now, false);
        assert_eq!((first.len(), &first[0].detail["tries"]), (1, &json!(2)));
        assert_eq!(first[0].actor.origin.as_deref(), Some("0.0.0.1"));
        (0..100_000).for_each(|number| failures.add(address(number)));
        assert!(failures.flush(now + FLUSH_INTERVAL / 2, false).is_empty());
        let later = failures.flush(now + FLUSH_INTERVAL, false);
        assert_eq!(later.len(), MAX_ADDRESSES + 1);
        let tries: u64 = later.iter().map(|entry| entry.detail["tries"].as_u64().unwrap()).sum();
        assert_eq!(tries, 100_000);
    }
}
