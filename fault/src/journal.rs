//! The journal of a process: its claims and settlements.
//!
//! A killed process leaves only what it has written, so each process writes every granted claim and
//! every settlement as a line to its own file before it continues. Times are of the machine's
//! monotonic clock, which all processes share and clock skew does not affect.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use steadfast_store::{FencingToken, Settled, TaskId};

/// Microseconds of the machine's monotonic clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Instant(pub(crate) i64);

impl Instant {
    pub(crate) fn now() -> Self {
        let time = clock_gettime(ClockId::Monotonic);
        Self(time.tv_sec.saturating_mul(1_000_000).saturating_add(time.tv_nsec / 1_000))
    }
}

/// The kind of a settlement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum VerdictKind {
    Completed,
    Retry,
    Failed,
    /// Too late, postponed or released: no attempt was made.
    NotAttempted,
}

/// A journal entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub(crate) enum Entry {
    /// These tasks were submitted.
    Submitted { ids: Vec<TaskId> },
    /// A claim, requested and granted at these times.
    Claimed { requested: Instant, granted: Instant, token: FencingToken, ids: Vec<TaskId> },
    /// A settlement is about to be sent.
    SettlementSent { at: Instant, id: TaskId, token: FencingToken, verdict: VerdictKind },
    /// A settlement was answered.
    SettlementAnswered {
        requested: Instant,
        answered: Instant,
        id: TaskId,
        token: FencingToken,
        verdict: VerdictKind,
        answer: Settled,
    },
    /// A handler was started.
    Started { id: TaskId, token: FencingToken, attempt: u32 },
}

/// The journal file of a process.
#[derive(Debug)]
pub(crate) struct Journal(Mutex<File>);

impl Journal {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self(Mutex::new(file)))
    }

    /// Writes one line in one call.
    pub(crate) fn write(&self, entry: &Entry) {
        let Ok(mut line) = serde_json::to_vec(entry) else {
            return;
        };
        line.push(b'\n');
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = file.write_all(&line) {
            eprintln!("cannot write the journal: {error}");
        }
    }
}

/// Reads a journal. Its last line may be truncated.
pub(crate) fn read(path: &Path) -> io::Result<Vec<Entry>> {
    let text = std::fs::read_to_string(path)?;
    let mut entries = Vec::new();
    for line in text.lines() {
        match serde_json::from_str(line) {
            Ok(entry) => entries.push(entry),
            Err(error) => eprintln!("{}: truncated line: {error}", path.display()),
        }
    }
    Ok(entries)
}
