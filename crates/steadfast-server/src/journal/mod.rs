//! Who asked what, on its way to the audit log (K3).
//!
//! What people do to tasks is written down by the store, with the deed itself. What is noted here
//! leaves no other trace there, or comes too often to be written each time: submissions, claims,
//! reads, logins, refusals. Those must not make anybody wait, so they are gathered and written together
//! every second, and when the server stops. What is gathered is bounded, and so is what is
//! written of it: whoever asks a million times makes the log longer by lines, not by a million.
//!
//! A process that is killed takes the last second's notes with it.

mod bulk;
mod reads;
mod refusals;

use std::fmt;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::json;
use steadfast_api::{TaskFilter, Witness};
use steadfast_store::{AuditEntry, By, Store, TaskId};
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;
use tracing::warn;

use bulk::Bulk;
use reads::{Look, Reads};
use refusals::Refusals;

/// How often what was gathered is written.
const EVERY: Duration = Duration::from_secs(1);
/// So many entries wait at most; the store may be away.
const MOST: usize = 10_000;

/// What was noted and not written yet.
#[derive(Default)]
pub(crate) struct Journal(Mutex<Held>);

#[derive(Default)]
struct Held {
    entries: Vec<AuditEntry>,
    bulk: Bulk,
    reads: Reads,
    refusals: Refusals,
    lost: u64,
}

impl Held {
    fn add(&mut self, entry: AuditEntry) {
        if self.entries.len() < MOST {
            self.entries.push(entry);
        } else {
            self.lost += 1;
        }
    }

    /// What is to be written now.
    fn take(&mut self) -> Vec<AuditEntry> {
        let gathered = self.bulk.take().into_iter().chain(self.refusals.take(Instant::now()));
        for entry in gathered.collect::<Vec<_>>() {
            self.add(entry);
        }
        let mut entries = std::mem::take(&mut self.entries);
        let lost = std::mem::take(&mut self.lost);
        if lost > 0 {
            let entry = AuditEntry::new(By::new("server"), "audit.lost");
            entries.push(entry.detail(json!({ "entries": lost })));
        }
        entries
    }

    /// What could not be written comes first the next time.
    fn put_back(&mut self, unwritten: Vec<AuditEntry>) {
        let later = std::mem::replace(&mut self.entries, unwritten);
        later.into_iter().for_each(|entry| self.add(entry));
    }
}

impl Journal {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what happens seldom.
    pub(crate) fn note(&self, entry: AuditEntry) {
        self.held().add(entry);
    }

    /// Notes that a wrong token came from somewhere.
    pub(crate) fn refused(&self, from: Option<IpAddr>) {
        self.held().refusals.add(from);
    }

    fn read(&self, by: &By, action: &str, look: Look) {
        let entry = look.entry(by, action);
        let mut held = self.held();
        if held.reads.is_new(by, look, Instant::now()) {
            held.add(entry);
        }
    }

    fn many(&self, by: &By, action: &'static str, tasks: &[TaskId]) {
        let mut held = self.held();
        if let Some(entry) = held.bulk.add(by, action, tasks) {
            held.add(entry);
        }
    }

    /// Writes down what is noted, until the server stops.
    pub(crate) async fn keep(&self, store: &Store, stopping: &CancellationToken) {
        while !stopping.is_cancelled() {
            tokio::select! {
                () = stopping.cancelled() => {}
                () = sleep(EVERY) => self.write(store).await,
            }
        }
    }

    /// Writes down what is noted. If the store is away, it is kept for the next time.
    pub(crate) async fn write(&self, store: &Store) {
        let entries = self.held().take();
        if entries.is_empty() {
            return;
        }
        if let Err(error) = store.audit_all(&entries).await {
            warn!(target: "steadfast", %error, entries = entries.len(), "the audit log has to wait");
            self.held().put_back(entries);
        }
    }
}

impl Witness for Journal {
    fn task_read(&self, by: &By, id: TaskId) {
        self.read(by, "task.read", Look::Task(id));
    }

    fn tasks_listed(&self, by: &By, filter: &TaskFilter) {
        self.read(by, "tasks.list", Look::List(filter.clone()));
    }

    fn submitted(&self, by: &By, tasks: &[TaskId]) {
        self.many(by, "task.submit", tasks);
    }

    fn claimed(&self, by: &By, tasks: &[TaskId]) {
        self.many(by, "task.claim", tasks);
    }
}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Journal(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: usize) -> AuditEntry {
        AuditEntry::new(By::new("ada"), format!("a.{number}"))
    }

    /// K3, K4: when the store is away, what was noted first is kept, and what is lost is counted.
    #[test]
    fn what_cannot_be_written_is_kept_within_bounds() {
        let mut held = Held::default();
        (0..MOST).for_each(|number| held.add(entry(number)));
        let unwritten = held.take();
        (0..5).for_each(|number| held.add(entry(MOST + number)));
        held.put_back(unwritten);
        let entries = held.take();
        assert_eq!(entries.len(), MOST + 1);
        assert_eq!(entries[0].action, "a.0");
        assert_eq!(
            (entries[MOST].action.as_str(), &entries[MOST].detail["entries"]),
            ("audit.lost", &json!(5))
        );
    }
}
