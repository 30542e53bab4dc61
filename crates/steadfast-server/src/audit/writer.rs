//! Who asked what, on its way to the audit log (K3).
//!
//! What people do to tasks is written down by the store, with the deed itself. What is noted here
//! leaves no other trace there, or comes too often to be written each time: submissions, claims,
//! settlements, reads, logins, refusals. Those must not make anybody wait, so they are gathered
//! and written together every second, for as long as anybody is served, and at the end. What is
//! gathered is bounded, and so is what is written of it: whoever asks a million times makes the log
//! longer by lines, not by a million. Of what changes something each task is told of; reads, logins
//! and refusals that are too many are a number.
//!
//! A process that is killed takes the last second's notes with it, and of callers that go on and on
//! the last minute's sum.

use std::fmt;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::json;
use steadfast_api::{Deed, Seen, Witness};
use steadfast_store::{Actor, AuditEntry, Program, Store, TaskId};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::aggregate::Bulk;
use super::failed_logins::Refusals;
use super::read_dedup::{self, Reads};
use super::sums::Sums;
use crate::http::problem::no_answer;

/// How often what was gathered is written.
const EVERY: Duration = Duration::from_secs(1);
/// How long the store may take to write it.
const WITHIN: Duration = Duration::from_secs(5);
/// So many entries wait at most; the store may be away.
const MOST: usize = 10_000;
/// So many of them can be of what changes nothing.
const MOST_HARMLESS: usize = MOST / 2;

/// What was noted and not written yet.
#[derive(Default)]
pub(crate) struct Journal(Mutex<Held>);

#[derive(Default)]
struct Held {
    entries: Vec<AuditEntry>,
    bulk: Bulk,
    reads: Reads,
    sums: Sums,
    refusals: Refusals,
    lost: u64,
    /// Why nothing could be written the last time.
    trouble: Option<String>,
}

impl Held {
    fn add(&mut self, entry: AuditEntry) {
        self.add_within(MOST, entry);
    }

    fn add_harmless(&mut self, entry: AuditEntry) {
        self.add_within(MOST_HARMLESS, entry);
    }

    fn add_within(&mut self, most: usize, entry: AuditEntry) {
        if self.entries.len() < most {
            self.entries.push(entry);
        } else {
            self.lost += 1;
        }
    }

    /// What is to be written now.
    fn take(&mut self, now: Instant, is_end: bool) -> Vec<AuditEntry> {
        self.bulk.take(now, is_end).into_iter().for_each(|entry| self.add(entry));
        let harmless = self.sums.take(now, is_end).into_iter();
        let harmless = harmless.chain(self.refusals.take(now, is_end)).collect::<Vec<_>>();
        harmless.into_iter().for_each(|entry| self.add_harmless(entry));
        let mut entries = std::mem::take(&mut self.entries);
        let lost = std::mem::take(&mut self.lost);
        if lost > 0 {
            let entry = AuditEntry::new(Program::Server.into(), "audit.lost");
            entries.push(entry.detail(json!({ "entries": lost })));
        }
        entries
    }

    /// What could not be written comes first the next time.
    fn put_back(&mut self, unwritten: Vec<AuditEntry>) {
        let later = std::mem::replace(&mut self.entries, unwritten);
        later.into_iter().for_each(|entry| self.add(entry));
    }

    /// Tells that nothing can be written, once for as long as the reason is the same.
    fn cannot_write(&mut self, problem: String, unwritten: Vec<AuditEntry>) {
        if self.trouble.as_ref() != Some(&problem) {
            warn!(target: "steadfast", problem, entries = unwritten.len(), "the audit log has to wait");
        }
        self.trouble = Some(problem);
        self.put_back(unwritten);
    }

    fn has_written(&mut self) {
        if self.trouble.take().is_some() {
            info!(target: "steadfast", "the audit log is written again");
        }
    }
}

impl Journal {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what happens seldom, and is never to be left out.
    pub(crate) fn note(&self, entry: AuditEntry) {
        self.held().add(entry);
    }

    /// Notes what changes nothing and can be done without end. What is too much is counted.
    pub(crate) fn note_harmless(&self, entry: AuditEntry) {
        let mut held = self.held();
        if let Some(entry) = held.sums.add(entry, Instant::now()) {
            held.add_harmless(entry);
        }
    }

    /// Notes that a wrong token came from somewhere.
    pub(crate) fn refused(&self, from: Option<IpAddr>) {
        self.held().refusals.add(from);
    }

    /// Writes down what is noted, until everything is served.
    pub(crate) async fn keep(&self, store: &Store, served: &CancellationToken) {
        while !served.is_cancelled() {
            tokio::select! {
                () = served.cancelled() => {}
                () = sleep(EVERY) => self.write(store, false).await,
            }
        }
    }

    /// Writes down the rest, if the store takes it.
    pub(crate) async fn end(&self, store: &Store) {
        self.write(store, true).await;
        let lost = self.held().entries.len();
        if lost > 0 {
            warn!(target: "steadfast", entries = lost, "the end of the audit log is lost");
        }
    }

    /// Writes down what is noted. If the store is away, it is kept for the next time.
    async fn write(&self, store: &Store, is_end: bool) {
        let entries = self.held().take(Instant::now(), is_end);
        if entries.is_empty() {
            return;
        }
        let problem = match timeout(WITHIN, store.audit_all(&entries)).await {
            Ok(Ok(())) => return self.held().has_written(),
            Ok(Err(error)) => error.to_string(),
            Err(_) => no_answer(WITHIN).detail,
        };
        self.held().cannot_write(problem, entries);
    }
}

impl Witness for Journal {
    fn read(&self, by: &Actor, what: Seen<'_>) {
        let entry = read_dedup::entry(by, what);
        if self.held().reads.is_new(&entry, Instant::now()) {
            self.note_harmless(entry);
        }
    }

    fn did(&self, by: &Actor, deed: Deed, tasks: &[TaskId]) {
        let mut held = self.held();
        if let Some(entry) = held.bulk.add(by, action(deed), tasks, Instant::now()) {
            held.add(entry);
        }
    }
}

/// What a deed is called in the log.
const fn action(deed: Deed) -> &'static str {
    match deed {
        Deed::Submit => "task.submit",
        Deed::Claim => "task.claim",
        Deed::Complete => "task.complete",
        Deed::Fail => "task.fail",
        _ => "task.other",
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
        AuditEntry::new(Actor::new("ada"), format!("a.{number}"))
    }

    /// K3, K4: when the store is away, what was noted first is kept, and what is lost is counted.
    #[test]
    fn what_cannot_be_written_is_kept_within_bounds() {
        let mut held = Held::default();
        (0..MOST).for_each(|number| held.add(entry(number)));
        let unwritten = held.take(Instant::now(), false);
        (0..5).for_each(|number| held.add(entry(MOST + number)));
        held.put_back(unwritten);
        let entries = held.take(Instant::now(), false);
        assert_eq!(entries.len(), MOST + 1);
        assert_eq!(entries[0].action, "a.0");
        assert_eq!(
            (entries[MOST].action.as_str(), &entries[MOST].detail["entries"]),
            ("audit.lost", &json!(5))
        );
    }
    /// K3, K4: what changes nothing leaves room for what changes something.
    #[test]
    fn reads_leave_room_for_deeds() {
        let mut held = Held::default();
        (0..2 * MOST).for_each(|number| held.add_harmless(entry(number)));
        (0..MOST_HARMLESS).for_each(|_| held.add(AuditEntry::new(Actor::new("ada"), "deed")));
        let entries = held.take(Instant::now(), false);
        assert_eq!(
            entries.iter().filter(|entry| entry.action == "deed").count(),
            MOST - MOST_HARMLESS
        );
    }

    /// K4: a log that cannot be written is kept, and nobody is told each second.
    #[test]
    fn trouble_is_remembered_until_it_is_over() {
        let mut held = Held::default();
        held.cannot_write("it is away".to_owned(), vec![entry(1)]);
        assert_eq!(held.trouble.as_deref(), Some("it is away"));
        held.has_written();
        assert_eq!((held.trouble.clone(), held.take(Instant::now(), true).len()), (None, 1));
    }
}
