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
//! - The subsystem is what the kind or the operation begins with, up to the first dot, unless a
//!   session says its own.
//!
//! Even the database takes seconds to add up a million. So each minute is summed up once, some
//! time after it is over ([`Store::rollup`](crate::Store::rollup)), and a window is made of whole
//! minutes and of what is left at its two ends, which is counted one by one ([`cut`]). What is
//! summed up stays so: a task that is requeued or pruned later has ended all the same.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use tracing::error;

use crate::error::Result;

/// A minute in microseconds, as times are here.
pub(crate) const MINUTE: i64 = 60_000_000;

/// How long after its end a minute is summed up. What ended in it is written by then: nobody's
/// last word takes longer to commit.
const AFTER: i64 = 2 * MINUTE;

/// The sessions of one policy and subsystem.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rollup {
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

impl Rollup {
    fn add(&mut self, other: &Self) {
        self.sessions += other.sessions;
        self.successful += other.successful;
        self.attempts += other.attempts;
        self.most_attempts = self.most_attempts.max(other.most_attempts);
        self.duration = self.duration.saturating_add(other.duration);
    }
}

/// One for each policy and subsystem.
pub(crate) fn merged(sums: Vec<Rollup>) -> Vec<Rollup> {
    let mut merged: BTreeMap<(String, String), Rollup> = BTreeMap::new();
    for sum in sums {
        let name = (sum.policy_id.clone(), sum.subsystem.clone());
        merged.entry(name).and_modify(|known| known.add(&sum)).or_insert(sum);
    }
    merged.into_values().collect()
}

/// The minute that a time is in.
pub(crate) const fn minute_of(time: i64) -> i64 {
    time.div_euclid(MINUTE) * MINUTE
}

/// Before when minutes may be summed up.
pub(crate) const fn over(now: i64) -> i64 {
    minute_of(now - AFTER)
}

/// Whether minutes are said to be summed up in which something may still end, because the clock ran
/// ahead when they were: nothing would be seen until it is as late as it was then.
pub(crate) const fn is_ahead(until: i64, over: i64) -> bool {
    until > over + AFTER
}

/// The sums of a minute; none if something in it cannot be added up, which must not keep all later
/// minutes from it (K4).
pub(crate) fn or_left_out(minute: i64, sums: Result<Vec<Rollup>>) -> Result<Vec<Rollup>> {
    match sums {
        Err(error) if error.is_about_a_value() => {
            let minute = Timestamp::from_microsecond(minute).unwrap_or_default();
            error!(
                target: "steadfast",
                %minute,
                %error,
                "what ended in a minute cannot be added up, and is left out of the figures"
            );
            Ok(Vec::new())
        }
        sums => sums,
    }
}

/// A window of time in two sorts of pieces.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Cut {
    /// Whole minutes that are summed up, from the first to before the last.
    pub(crate) minutes: Option<(i64, i64)>,
    /// From one time to another, both included.
    pub(crate) rest: Vec<(i64, i64)>,
}

/// Cuts a window, both ends included, where everything before `until` is summed up.
pub(crate) fn cut(from: i64, to: i64, until: i64) -> Cut {
    let first = minute_of(from.saturating_add(MINUTE - 1));
    let end = minute_of(to.saturating_add(1)).min(until);
    if first >= end {
        return Cut { minutes: None, rest: vec![(from, to)] };
    }
    let rest = [(from, first - 1), (end, to)];
    Cut { minutes: Some((first, end)), rest: rest.into_iter().filter(|(a, b)| a <= b).collect() }
}

/// The columns of a sum, as both engines have them.
macro_rules! summed {
    ($row:expr) => {{
        use sqlx::Row;
        let row = $row;
        let count = |name: &str| row.try_get::<i64, _>(name).map(i64::unsigned_abs);
        Ok::<_, sqlx::Error>(crate::maintenance::rollup::Rollup {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// O1: what is not summed up yet is counted one by one, and so are the ends of a window.
    #[test]
    fn a_window_is_cut_at_whole_minutes() {
        let (one, two, three) = (MINUTE, 2 * MINUTE, 3 * MINUTE);
        let all = |from, to| Cut { minutes: None, rest: vec![(from, to)] };
        assert_eq!(cut(one, three, 0), all(one, three), "nothing is summed up");
        assert_eq!(cut(one + 1, two - 2, three), all(one + 1, two - 2), "within a minute");
        let minutes = Some((one, two));
        assert_eq!(cut(one, two - 1, three), Cut { minutes, rest: vec![] }, "a whole one");
        assert_eq!(cut(one, two, three), Cut { minutes, rest: vec![(two, two)] });
        assert_eq!(
            cut(one - 5, two + 5, two),
            Cut { minutes, rest: vec![(one - 5, one - 1), (two, two + 5)] }
        );
        let ever = cut(i64::MIN / 16, i64::MAX / 16, three);
        assert_eq!(ever.minutes.map(|(_, end)| end), Some(three));
    }

    /// O1: a task and a session of one policy and subsystem are one sum.
    #[test]
    fn sums_of_the_same_are_one() {
        let sum = |subsystem: &str, most_attempts| Rollup {
            policy_id: "calls".to_owned(),
            subsystem: subsystem.to_owned(),
            sessions: 1,
            successful: 1,
            attempts: most_attempts,
            most_attempts,
            duration: Duration::from_secs(1),
        };
        let merged = merged(vec![sum("mail", 3), sum("shop", 1), sum("mail", 2)]);
        let shown = merged.iter().map(|it| (&*it.subsystem, it.sessions, it.attempts));
        assert_eq!(shown.collect::<Vec<_>>(), [("mail", 2, 5), ("shop", 1, 1)]);
        assert_eq!((merged[0].most_attempts, merged[0].duration), (3, Duration::from_secs(2)));
    }
}
