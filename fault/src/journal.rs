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
pub(crate) enum Word {
    Completed,
    Retry,
    Failed,
    /// Too late, postponed or released: no attempt was made.
    Untried,
}

/// A journal entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "saw", rename_all = "snake_case")]
pub(crate) enum Sight {
    /// These tasks were submitted.
    Submitted { ids: Vec<TaskId> },
    /// A claim, requested and granted at these times.
    Claimed { asked: Instant, granted: Instant, version: FencingToken, ids: Vec<TaskId> },
    /// A settlement is about to be sent.
    Saying { at: Instant, id: TaskId, version: FencingToken, word: Word },
    /// A settlement was answered.
    Said {
        asked: Instant,
        answered: Instant,
        id: TaskId,
        version: FencingToken,
        word: Word,
        answer: Settled,
    },
    /// A handler was started.
    Ran { id: TaskId, version: FencingToken, attempt: u32 },
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
    pub(crate) fn write(&self, sight: &Sight) {
        let Ok(mut line) = serde_json::to_vec(sight) else {
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
pub(crate) fn read(path: &Path) -> io::Result<Vec<Sight>> {
    let text = std::fs::read_to_string(path)?;
    let mut sights = Vec::new();
    for line in text.lines() {
        match serde_json::from_str(line) {
            Ok(sight) => sights.push(sight),
            Err(error) => eprintln!("{}: truncated line: {error}", path.display()),
        }
    }
    Ok(sights)
}
