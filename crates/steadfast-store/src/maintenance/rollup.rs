//! Rollups of ended sessions by the minute (O1).
//!
//! A million tasks may end within an hour, so the database aggregates them to one row per policy
//! and subsystem. Both engines follow the same rules:
//!
//! - A task is one session, which counts at the time of its end. A session of a process counts at
//!   the time of its record, because the store's clock is the one that all processes share (D4).
//! - Completed is a success; failed and cancelled are not.
//! - Every call is an attempt, including those that were rate limited.
//! - The duration is from the submission, or the last fresh requeue, to the end.
//! - The subsystem is the kind or the operation up to the first dot, unless a session has its own.
//!
//! Aggregating a million rows takes the database seconds. So each minute is aggregated once, some
//! time after its end ([`Store::rollup`](crate::Store::rollup)). A window consists of whole minutes
//! and of two ends, which are aggregated on each read ([`Window`]). A rollup does not change when
//! its tasks are requeued or pruned later.

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use tracing::error;

use crate::engine::row::EngineRow;
use crate::error::Result;

pub(crate) const MINUTE_MICROS: i64 = 60_000_000;

/// The time after its end at which a minute is aggregated. By then every end in it is committed.
const ROLLUP_DELAY_MICROS: i64 = 2 * MINUTE_MICROS;

/// The ended sessions of one policy and subsystem.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Rollup {
    /// The policy's id; `inline` if it has none.
    pub policy_id: String,
    /// The subsystem.
    pub subsystem: String,
    /// The number of sessions.
    pub sessions: u64,
    /// The number of successful sessions.
    pub successful: u64,
    /// The total number of attempts.
    pub attempts: u64,
    /// Maximum number of attempts in one session.
    pub most_attempts: u64,
    /// The total duration.
    pub duration: Duration,
}

impl Rollup {
    pub(crate) fn decode<R: EngineRow>(rows: &[R]) -> Result<Vec<Self>> {
        let rollup = |row: &R| {
            let seconds = Duration::try_from_secs_f64(row.get("seconds")?);
            Ok(Self {
                policy_id: row.get("policy_id")?,
                subsystem: row.get("subsystem")?,
                sessions: row.count("sessions")?,
                successful: row.count("successful")?,
                attempts: row.count("attempts")?,
                most_attempts: row.count("most_attempts")?,
                duration: seconds.unwrap_or(Duration::MAX),
            })
        };
        rows.iter().map(rollup).collect()
    }

    fn add(&mut self, other: &Self) {
        self.sessions += other.sessions;
        self.successful += other.successful;
        self.attempts += other.attempts;
        self.most_attempts = self.most_attempts.max(other.most_attempts);
        self.duration = self.duration.saturating_add(other.duration);
    }
}

/// Merges rollups of the same policy and subsystem.
pub(crate) fn merge(rollups: Vec<Rollup>) -> Vec<Rollup> {
    let mut merged: BTreeMap<(String, String), Rollup> = BTreeMap::new();
    for rollup in rollups {
        let key = (rollup.policy_id.clone(), rollup.subsystem.clone());
        merged.entry(key).and_modify(|other| other.add(&rollup)).or_insert(rollup);
    }
    merged.into_values().collect()
}

/// The start of the minute that contains a time.
pub(crate) const fn minute_of(time: i64) -> i64 {
    time.div_euclid(MINUTE_MICROS) * MINUTE_MICROS
}

/// The time before which minutes may be aggregated.
pub(crate) const fn completed_until(now: i64) -> i64 {
    minute_of(now - ROLLUP_DELAY_MICROS)
}

/// Whether future minutes are marked as aggregated, because the clock was ahead: their sessions
/// would be missing.
pub(crate) const fn is_ahead(until: i64, completed: i64) -> bool {
    until > completed + ROLLUP_DELAY_MICROS
}

/// The rollups of a minute; empty if a value in it cannot be aggregated, so that later minutes are
/// not blocked (K4).
pub(crate) fn or_skipped(minute: i64, rollups: Result<Vec<Rollup>>) -> Result<Vec<Rollup>> {
    match rollups {
        Err(error) if error.is_about_a_value() => {
            let minute = Timestamp::from_microsecond(minute).unwrap_or_default();
            error!(
                target: "steadfast",
                %minute,
                %error,
                "cannot aggregate a minute; its sessions are missing from the metrics"
            );
            Ok(Vec::new())
        }
        rollups => rollups,
    }
}

/// A time window, split into aggregated minutes and the rest.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Window {
    /// Aggregated minutes, from the first to before the last.
    pub(crate) minutes: Option<(i64, i64)>,
    /// Spans that are not aggregated, both ends included.
    pub(crate) rest: Vec<(i64, i64)>,
}

impl Window {
    /// Splits a window, both ends included, where everything before `until` is aggregated.
    pub(crate) fn split(from: i64, to: i64, until: i64) -> Self {
        let first = minute_of(from.saturating_add(MINUTE_MICROS - 1));
        let end = minute_of(to.saturating_add(1)).min(until);
        if first >= end {
            return Self { minutes: None, rest: vec![(from, to)] };
        }
        let rest = [(from, first - 1), (end, to)];
        let rest = rest.into_iter().filter(|(from, to)| from <= to).collect();
        Self { minutes: Some((first, end)), rest }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// O1: only whole aggregated minutes come from rollups.
    #[test]
    fn window_is_split_at_whole_minutes() {
        let (one, two, three) = (MINUTE_MICROS, 2 * MINUTE_MICROS, 3 * MINUTE_MICROS);
        let all = |from, to| Window { minutes: None, rest: vec![(from, to)] };
        let minutes = Some((one, two));
        let around = vec![(one - 5, one - 1), (two, two + 5)];
        for (from, to, until, expected, what) in [
            (one, three, 0, all(one, three), "nothing is aggregated"),
            (one + 1, two - 2, three, all(one + 1, two - 2), "within a minute"),
            (one, two - 1, three, Window { minutes, rest: vec![] }, "a whole one"),
            (one, two, three, Window { minutes, rest: vec![(two, two)] }, "one, and a moment"),
            (one - 5, two + 5, two, Window { minutes, rest: around }, "one, and both ends"),
        ] {
            assert_eq!(Window::split(from, to, until), expected, "{what}");
        }
        let ever = Window::split(i64::MIN / 16, i64::MAX / 16, three);
        assert_eq!(ever.minutes.map(|(_, end)| end), Some(three));
    }

    /// O1: a task and a session of one policy and subsystem are one rollup.
    #[test]
    fn rollups_of_the_same_policy_and_subsystem_merge() {
        let rollup = |subsystem: &str, most_attempts| Rollup {
            policy_id: "calls".to_owned(),
            subsystem: subsystem.to_owned(),
            sessions: 1,
            successful: 1,
            attempts: most_attempts,
            most_attempts,
            duration: Duration::from_secs(1),
        };
        let merged = merge(vec![rollup("mail", 3), rollup("shop", 1), rollup("mail", 2)]);
        let shown = merged.iter().map(|it| (&*it.subsystem, it.sessions, it.attempts));
        assert_eq!(shown.collect::<Vec<_>>(), [("mail", 2, 5), ("shop", 1, 1)]);
        assert_eq!((merged[0].most_attempts, merged[0].duration), (3, Duration::from_secs(2)));
    }
}
