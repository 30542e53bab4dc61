//! What each process saw, as it saw it.
//!
//! A process that is killed cannot be asked afterwards, so each writes down every claim it was
//! granted and every last word it had, one line each, before it goes on: into a file of its own,
//! which outlives it. Times are of the machine's monotonic clock, which all processes share and
//! no skew touches.

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

/// What became of a task, by a worker's word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Word {
    Completed,
    Retry,
    Failed,
    /// Too late, postponed or given back: no attempt was made.
    Untried,
}

/// One line.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "saw", rename_all = "snake_case")]
pub(crate) enum Sight {
    /// The store took these tasks.
    Submitted { ids: Vec<TaskId> },
    /// A claim, asked for and granted between these times.
    Claimed { asked: Instant, granted: Instant, version: FencingToken, ids: Vec<TaskId> },
    /// A last word is about to be had.
    Saying { at: Instant, id: TaskId, version: FencingToken, word: Word },
    /// What the store said to it.
    Said {
        asked: Instant,
        answered: Instant,
        id: TaskId,
        version: FencingToken,
        word: Word,
        answer: Settled,
    },
    /// A handler was begun.
    Ran { id: TaskId, version: FencingToken, attempt: u32 },
}

/// A process's own file.
#[derive(Debug)]
pub(crate) struct Journal(Mutex<File>);

impl Journal {
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self(Mutex::new(file)))
    }

    /// Writes one line, whole or not at all.
    pub(crate) fn write(&self, sight: &Sight) {
        let Ok(mut line) = serde_json::to_vec(sight) else {
            return;
        };
        line.push(b'\n');
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = file.write_all(&line) {
            eprintln!("the journal cannot be written: {error}");
        }
    }
}

/// Everything in one file. The last line may be cut off, where its writer was.
pub(crate) fn read(path: &Path) -> io::Result<Vec<Sight>> {
    let text = std::fs::read_to_string(path)?;
    let mut sights = Vec::new();
    for line in text.lines() {
        match serde_json::from_str(line) {
            Ok(sight) => sights.push(sight),
            Err(error) => eprintln!("{}: a line is cut off: {error}", path.display()),
        }
    }
    Ok(sights)
}
