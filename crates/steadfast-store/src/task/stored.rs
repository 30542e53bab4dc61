//! A task as the store has it: what `tasks show` and the API answer with.

use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use steadfast::observe::Why;
use steadfast::{Class, Fault, Policy, Reason};

use super::{Status, TaskId};
use crate::page::{Cursor, SortKey};
use crate::queue::claim::FencingToken;

/// One failed attempt, kept for good (D8).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FaultRecord {
    /// The number of the attempt, from 1. Repeats where a wait was asked for, because that
    /// uses up no attempt.
    pub attempt: u32,
    /// When it was written down, by the store's clock.
    pub at: Timestamp,
    /// What it meant.
    pub class: Class,
    /// The error's own words.
    pub message: String,
    /// The facts.
    pub fault: Fault,
    /// Why it was decided as it was (O4).
    pub why: Option<Why>,
    /// What was waited after it, in seconds; nothing if it was the last.
    pub next_delay: Option<f64>,
}

/// Who has a running task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldLease {
    /// The worker.
    pub owner: String,
    /// Until when, unless it is kept alive.
    pub until: Timestamp,
    /// Its fencing token.
    #[serde(rename = "version", alias = "fencing_token")]
    pub fencing_token: FencingToken,
}

/// The last failure, in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastError {
    /// What it meant.
    pub class: Class,
    /// The error's own words.
    pub message: String,
}

/// Everything about one task.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StoredTask {
    /// Its name.
    pub id: TaskId,
    /// Who does it.
    pub kind: String,
    /// What is to be done.
    pub payload: Value,
    /// The line it stands in.
    pub queue: String,
    /// What it is about.
    pub category: Option<String>,
    /// A higher one goes first.
    pub priority: i16,
    /// How it is tried again, as of its submission; nothing if that cannot be read.
    pub policy: Option<Arc<Policy>>,
    /// Where it is.
    pub status: Status,
    /// Why it failed, if it did.
    pub reason: Option<Reason>,
    /// Attempts that were used up.
    pub attempts: u32,
    /// How many there may be; 0 if its policy cannot be read.
    pub max_attempts: u32,
    /// Waits that the other side asked for; they use up no attempt.
    pub rate_limit_waits: u32,
    /// When the store took it.
    pub submitted_at: Timestamp,
    /// What `max_duration` counts from: when it was first due, or its last fresh start.
    pub counted_from: Timestamp,
    /// When it is or was due.
    pub scheduled_at: Timestamp,
    /// When its last attempt ended.
    pub last_attempt_at: Option<Timestamp>,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// When it is too late.
    pub expires_at: Option<Timestamp>,
    /// Who has it.
    pub lease: Option<HeldLease>,
    /// Its last failure.
    pub last_error: Option<LastError>,
    /// Every failure, oldest first. Not part of a list.
    pub faults: Vec<FaultRecord>,
    /// What its handler answered.
    pub result: Option<Value>,
    /// Names the work to whoever must not do it twice.
    pub idempotency_key: Option<String>,
    /// Ties it to what else belongs to the same request.
    pub correlation_id: Option<String>,
    /// Whether a wait that it is asked for holds for its whole category.
    pub hold_category: bool,
    /// What of it cannot be read, and why: a newer version wrote it, or somebody changed it by
    /// hand. It is not run until it can be.
    pub problem: Option<String>,
}

impl StoredTask {
    /// Where a [list by ends](crate::Store::latest_ended) goes on behind it, if it has ended.
    #[must_use]
    pub fn ended_cursor(&self) -> Option<Cursor> {
        Some(SortKey::ended(self.ended_at?, self.id).cursor(SortKey::ENDED))
    }
}
