//! The audit writer: buffers entries and writes them to the store in batches (K3).
//!
//! The store itself records control actions on tasks together with the action. The entries here have no
//! other trace in the store or are too frequent to write one by one: submits, claims, settles, reads,
//! logins and failed logins. They must not delay requests, so they are buffered, written every second and
//! on shutdown. Buffer and output are bounded: a million requests add a few entries to the log, not a
//! million. Summaries of actions cover every task; frequent reads, logins and failed logins are counted.
//!
//! A killed process loses the entries of the last second, and of busy callers the summary of the last
//! minute.

use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::json;
use steadfast_api::{AuditHook, ReadAction, TaskAction};
use steadfast_store::{Actor, AuditEntry, Program, Store, TaskId};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::aggregate::{Calls, FailedLogins, TaskActions};
use super::read_dedup::{self, ReadDedup};
use crate::http::store_timeout;
use crate::lock::lock;

const WRITE_INTERVAL: Duration = Duration::from_secs(1);
const WRITE_TIMEOUT: Duration = Duration::from_secs(5);
/// The capacity of the buffer while the store is unreachable.
const MAX_ENTRIES: usize = 10_000;
/// The part of the buffer available to entries of reads, logins and failed logins.
const MAX_LOW_PRIORITY_ENTRIES: usize = MAX_ENTRIES / 2;

#[derive(Default)]
pub(crate) struct AuditWriter(Mutex<Buffer>);

#[derive(Default)]
struct Buffer {
    entries: Vec<AuditEntry>,
    task_actions: TaskActions,
    reads: ReadDedup,
    calls: Calls,
    failed_logins: FailedLogins,
    lost: u64,
    write_error: Option<String>,
}

impl Buffer {
    fn add(&mut self, entry: AuditEntry) {
        self.add_up_to(MAX_ENTRIES, entry);
    }

    fn add_low_priority(&mut self, entry: AuditEntry) {
        self.add_up_to(MAX_LOW_PRIORITY_ENTRIES, entry);
    }

    fn add_up_to(&mut self, max_entries: usize, entry: AuditEntry) {
        if self.entries.len() < max_entries {
            self.entries.push(entry);
        } else {
            self.lost += 1;
        }
    }

    fn take(&mut self, now: Instant, is_shutdown: bool) -> Vec<AuditEntry> {
        for entry in self.task_actions.flush(now, is_shutdown) {
            self.add(entry);
        }
        let calls = self.calls.flush(now, is_shutdown);
        for entry in calls.into_iter().chain(self.failed_logins.flush(now, is_shutdown)) {
            self.add_low_priority(entry);
        }
        let mut entries = std::mem::take(&mut self.entries);
        let lost = std::mem::take(&mut self.lost);
        if lost > 0 {
            let entry = AuditEntry::new(Program::Server.into(), "audit.lost");
            entries.push(entry.detail(json!({ "entries": lost })));
        }
        entries
    }

    /// Returns unwritten entries to the front of the buffer.
    fn put_back(&mut self, unwritten: Vec<AuditEntry>) {
        let later = std::mem::replace(&mut self.entries, unwritten);
        later.into_iter().for_each(|entry| self.add(entry));
    }

    /// Handles a failed write. The same error is logged once.
    fn write_failed(&mut self, error: String, unwritten: Vec<AuditEntry>) {
        if self.write_error.as_ref() != Some(&error) {
            warn!(target: "steadfast", error, entries = unwritten.len(), "cannot write the audit log, retrying");
        }
        self.write_error = Some(error);
        self.put_back(unwritten);
    }

    fn write_succeeded(&mut self) {
        if self.write_error.take().is_some() {
            info!(target: "steadfast", "audit log writes recovered");
        }
    }
}

impl AuditWriter {
    /// Records a rare entry that must not be aggregated.
    pub(crate) fn record(&self, entry: AuditEntry) {
        lock(&self.0).add(entry);
    }

    /// Records an entry of a read or login; frequent ones are aggregated.
    pub(crate) fn record_frequent(&self, entry: AuditEntry) {
        let mut buffer = lock(&self.0);
        if let Some(entry) = buffer.calls.add(entry, Instant::now()) {
            buffer.add_low_priority(entry);
        }
    }

    pub(crate) fn record_failed_login(&self, from: Option<IpAddr>) {
        lock(&self.0).failed_logins.add(from);
    }

    /// Writes entries every second until `stopped`.
    pub(crate) async fn run(&self, store: &Store, stopped: &CancellationToken) {
        while !stopped.is_cancelled() {
            tokio::select! {
                () = stopped.cancelled() => {}
                () = sleep(WRITE_INTERVAL) => self.write(store, false).await,
            }
        }
    }

    pub(crate) async fn flush(&self, store: &Store) {
        self.write(store, true).await;
        let lost = lock(&self.0).entries.len();
        if lost > 0 {
            warn!(target: "steadfast", entries = lost, "the last audit entries are lost: the store is unreachable");
        }
    }

    /// Writes the buffered entries. On an error they stay in the buffer.
    async fn write(&self, store: &Store, is_shutdown: bool) {
        let entries = lock(&self.0).take(Instant::now(), is_shutdown);
        if entries.is_empty() {
            return;
        }
        let error = match timeout(WRITE_TIMEOUT, store.audit_all(&entries)).await {
            Ok(Ok(())) => return lock(&self.0).write_succeeded(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => store_timeout(WRITE_TIMEOUT).detail,
        };
        lock(&self.0).write_failed(error, entries);
    }
}

impl AuditHook for AuditWriter {
    fn on_read(&self, by: &Actor, what: ReadAction<'_>) {
        let entry = read_dedup::entry(by, what);
        if lock(&self.0).reads.is_new(&entry, Instant::now()) {
            self.record_frequent(entry);
        }
    }

    fn on_task_action(&self, by: &Actor, action: TaskAction, tasks: &[TaskId]) {
        let mut buffer = lock(&self.0);
        if let Some(entry) = buffer.task_actions.add(by, action_name(action), tasks, Instant::now())
        {
            buffer.add(entry);
        }
    }
}

const fn action_name(action: TaskAction) -> &'static str {
    match action {
        TaskAction::Submit => "task.submit",
        TaskAction::Claim => "task.claim",
        TaskAction::Complete => "task.complete",
        TaskAction::Fail => "task.fail",
        _ => "task.other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: usize) -> AuditEntry {
        AuditEntry::new(Actor::new("ada"), format!("a.{number}"))
    }

    /// K3, K4: while the store is unreachable, the oldest entries are kept and lost ones are counted.
    #[test]
    fn unwritten_entries_are_kept_up_to_the_limit() {
        let mut buffer = Buffer::default();
        (0..MAX_ENTRIES).for_each(|number| buffer.add(entry(number)));
        let unwritten = buffer.take(Instant::now(), false);
        (0..5).for_each(|number| buffer.add(entry(MAX_ENTRIES + number)));
        buffer.put_back(unwritten);
        let entries = buffer.take(Instant::now(), false);
        assert_eq!(entries.len(), MAX_ENTRIES + 1);
        assert_eq!(entries[0].action, "a.0");
        assert_eq!(
            (entries[MAX_ENTRIES].action.as_str(), &entries[MAX_ENTRIES].detail["entries"]),
            ("audit.lost", &json!(5))
        );
    }

    /// K3, K4: low-priority entries leave room for others.
    #[test]
    fn low_priority_entries_leave_room_for_actions() {
        let mut buffer = Buffer::default();
        (0..2 * MAX_ENTRIES).for_each(|number| buffer.add_low_priority(entry(number)));
        (0..MAX_LOW_PRIORITY_ENTRIES)
            .for_each(|_| buffer.add(AuditEntry::new(Actor::new("ada"), "action")));
        let entries = buffer.take(Instant::now(), false);
        assert_eq!(
            entries.iter().filter(|entry| entry.action == "action").count(),
            MAX_ENTRIES - MAX_LOW_PRIORITY_ENTRIES
        );
    }

    /// K4: a write error keeps the entries and is logged once.
    #[test]
    fn write_error_is_cleared_by_next_success() {
        let mut buffer = Buffer::default();
        buffer.write_failed("unreachable".to_owned(), vec![entry(1)]);
        assert_eq!(buffer.write_error.as_deref(), Some("unreachable"));
        buffer.write_succeeded();
        assert_eq!(
            (buffer.write_error.clone(), buffer.take(Instant::now(), true).len()),
            (None, 1)
        );
    }
}
