//! What ended within a window of time, summed up (O1).
//!
//! A million tasks may end within an hour, so they are not read: the database adds them up, and
//! what leaves it is a row for each policy and subsystem. What counts is said here, once for both
//! engines:
//!
//! - A task's session is its life, and it ends when the task does. It counts by the time of its
//!   end; a session of a process by the time when the store took its record, for that is the one
//!   clock that all processes share (D4).
//! - Completed is a success; failed and cancelled are none.
//! - An attempt is a call that was made, whether or not it was told to wait.
//! - It takes from its submission, or its last fresh start, to its end.
//! - The subsystem is what the kind or the operation begins with, up to the first dot.
//!
//! A task that is requeued has not ended any more, and a task that was pruned was never there.

use std::time::Duration;

/// The sessions of one policy and subsystem.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Summed {
    /// The policy's id; `inline` if it has none.
    pub policy_id: String,
    /// The subsystem.
    pub subsystem: String,
    /// How many sessions ended.
    pub sessions: u64,
    /// How many of them with success.
    pub successful: u64,
    /// How many attempts they made together.
    pub attempts: u64,
    /// The most that one of them made.
    pub most_attempts: u64,
    /// How long they took together.
    pub duration: Duration,
}

/// The columns of a sum, as both engines have them.
macro_rules! summed {
    ($row:expr) => {{
        use sqlx::Row;
        let row = $row;
        let count = |name: &str| row.try_get::<i64, _>(name).map(i64::unsigned_abs);
        Ok::<_, sqlx::Error>(crate::figures::Summed {
            policy_id: row.try_get("policy_id")?,
            subsystem: row.try_get("subsystem")?,
            sessions: count("sessions")?,
            successful: count("successful")?,
            attempts: count("attempts")?,
            most_attempts: count("most_attempts")?,
            duration: std::time::Duration::try_from_secs_f64(row.try_get("seconds")?)
                .unwrap_or(std::time::Duration::MAX),
        })
    }};
}
pub(crate) use summed;
