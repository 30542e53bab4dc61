//! Session statistics over a time window (O1).

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::record::Session;
use super::record_error::RecordError;
use super::serde_format::{self, deserialize_validated};

/// The statistics of all sessions that ended within a time window. [`Tally`] computes them.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(
    feature = "openapi",
    schema(description = "A summary of the sessions that ended in a time window.")
)]
#[non_exhaustive]
pub struct MetricsSummary {
    /// The start of the window.
    pub time_window_start: Timestamp,
    /// The end of the window.
    pub time_window_end: Timestamp,
    /// Number of sessions.
    pub total_sessions: u64,
    /// Number of successful sessions.
    pub successful_sessions: u64,
    /// Number of failed sessions.
    pub failed_sessions: u64,
    /// Number of attempts of all sessions.
    pub total_attempts: u64,
    /// Average number of attempts per session.
    pub average_attempts_per_session: f64,
    /// The most attempts of one session.
    pub max_attempts_in_session: u64,
    /// Total duration of all sessions, in seconds.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub total_duration: Duration,
    /// Average duration per session, in seconds.
    #[cfg_attr(feature = "openapi", schema(value_type = f64))]
    pub average_duration_per_session: Duration,
    /// Statistics by policy.
    pub by_policy: BTreeMap<String, GroupStats>,
    /// Statistics by subsystem: the part before the first dot of an operation or kind, or of the name
    /// by which a registry found the policy.
    pub by_subsystem: BTreeMap<String, GroupStats>,
}

/// The statistics of one policy or subsystem.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct GroupStats {
    /// Number of sessions.
    pub sessions: u64,
    /// The share of successful sessions, from 0 to 1.
    pub success_rate: f64,
    /// Average number of attempts per session.
    pub average_attempts: f64,
}

/// The fields of [`MetricsSummary`] as data. With `remote = "Self"` the derived functions would be public.
#[derive(Serialize, Deserialize)]
#[serde(remote = "MetricsSummary")]
struct MetricsSummaryFields {
    #[serde(with = "serde_format::time")]
    time_window_start: Timestamp,
    #[serde(with = "serde_format::time")]
    time_window_end: Timestamp,
    total_sessions: u64,
    successful_sessions: u64,
    failed_sessions: u64,
    total_attempts: u64,
    average_attempts_per_session: f64,
    max_attempts_in_session: u64,
    #[serde(with = "serde_format::seconds")]
    total_duration: Duration,
    #[serde(with = "serde_format::seconds")]
    average_duration_per_session: Duration,
    by_policy: BTreeMap<String, GroupStats>,
    by_subsystem: BTreeMap<String, GroupStats>,
}

deserialize_validated!(MetricsSummary, MetricsSummaryFields);

impl MetricsSummary {
    /// Validates the statistics: an ordered window, sessions that add up, rates from 0.0 to 1.0 and
    /// averages of at least 0.
    ///
    /// # Errors
    /// The first invalid field.
    pub fn validate(&self) -> Result<(), RecordError> {
        let ordered = self.time_window_start <= self.time_window_end;
        RecordError::require(ordered, "time_window_end", "must not be before time_window_start")?;
        let adds_up =
            self.successful_sessions.checked_add(self.failed_sessions) == Some(self.total_sessions);
        let rule = "must equal successful_sessions + failed_sessions";
        RecordError::require(adds_up, "total_sessions", rule)?;
        average("average_attempts_per_session", self.average_attempts_per_session)?;
        let bounded = self.max_attempts_in_session <= self.total_attempts;
        RecordError::require(
            bounded,
            "max_attempts_in_session",
            "must not be above total_attempts",
        )?;
        for (field, groups) in
            [("by_policy", &self.by_policy), ("by_subsystem", &self.by_subsystem)]
        {
            for (name, stats) in groups {
                stats.validate().map_err(|error| error.within(&format!("{field}.{name}")))?;
            }
        }
        Ok(())
    }
}

impl GroupStats {
    fn validate(&self) -> Result<(), RecordError> {
        let is_rate = (0.0..=1.0).contains(&self.success_rate);
        RecordError::require(is_rate, "success_rate", "must be from 0.0 to 1.0")?;
        average("average_attempts", self.average_attempts)
    }
}

fn average(field: &str, value: f64) -> Result<(), RecordError> {
    RecordError::require(value.is_finite() && value >= 0.0, field, "must be a number of at least 0")
}

/// Aggregates the sessions that end within a time window, without storing them.
///
/// ```
/// use jiff::{SignedDuration, Timestamp};
/// use steadfast::observe::{Memory, Recorder, Tally};
/// use steadfast::{Policy, retry};
///
/// let memory = Memory::default();
/// let policy = Policy::immediate().build()?;
/// retry(&policy, || Ok::<_, std::io::Error>(()))
///     .named("browser.save")
///     .instrument(Recorder::new(&memory))
///     .call()?;
///
/// let now = Timestamp::now();
/// let mut tally = Tally::new(now - SignedDuration::from_hours(1), now);
/// for session in memory.sessions() {
///     tally.add(&session);
/// }
/// assert_eq!(tally.summary().by_subsystem["browser"].sessions, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tally {
    start: Timestamp,
    end: Timestamp,
    all: SessionSum,
    by_policy: BTreeMap<String, SessionSum>,
    by_subsystem: BTreeMap<String, SessionSum>,
}

/// Sessions of one policy and subsystem, aggregated elsewhere, such as in a database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionSum {
    /// Number of sessions.
    pub sessions: u64,
    /// Sessions that succeeded.
    pub successful: u64,
    /// Attempts of all sessions.
    pub attempts: u64,
    /// Most attempts of one session.
    pub most_attempts: u64,
    /// Total duration of the sessions.
    pub duration: Duration,
}

impl Tally {
    /// An empty tally of the window from `start` to `end`, both inclusive.
    #[must_use]
    pub fn new(start: Timestamp, end: Timestamp) -> Self {
        Self {
            start,
            end: end.max(start),
            all: SessionSum::default(),
            by_policy: BTreeMap::new(),
            by_subsystem: BTreeMap::new(),
        }
    }

    /// Adds a session that ended within the window. Returns whether it did.
    pub fn add(&mut self, session: &Session) -> bool {
        let Some(end) = session.end_time else {
            return false;
        };
        let attempts = session.calls();
        let sum = SessionSum {
            sessions: 1,
            successful: session.success.into(),
            attempts,
            most_attempts: attempts,
            duration: session.total_duration().unwrap_or_default(),
        };
        let mapped = session.subsystem.as_deref();
        let subsystem = mapped.unwrap_or_else(|| subsystem(&session.operation));
        self.add_at(end, &session.policy_id, subsystem, sum)
    }

    /// Adds a session that a breaker rejected before its first attempt, and that has no record.
    /// Returns whether that was within the window.
    pub fn add_rejected(&mut self, at: Timestamp, policy_id: &str, operation: &str) -> bool {
        let sum = SessionSum { sessions: 1, ..SessionSum::default() };
        self.add_at(at, policy_id, subsystem(operation), sum)
    }

    fn add_at(&mut self, at: Timestamp, policy: &str, subsystem: &str, sum: SessionSum) -> bool {
        let is_within = (self.start..=self.end).contains(&at);
        if is_within {
            self.add_sum(policy, subsystem, sum);
        }
        is_within
    }

    /// Adds sessions that were aggregated elsewhere. The caller ensures that they ended within the
    /// window.
    pub fn add_sum(&mut self, policy_id: &str, subsystem: &str, mut sum: SessionSum) {
        if sum.sessions == 0 {
            return;
        }
        sum.attempts = sum.attempts.max(sum.most_attempts);
        sum.successful = sum.successful.min(sum.sessions);
        self.all.add(sum);
        self.by_policy.entry(policy_id.to_owned()).or_default().add(sum);
        self.by_subsystem.entry(subsystem.to_owned()).or_default().add(sum);
    }

    /// The statistics so far.
    #[must_use]
    pub fn summary(&self) -> MetricsSummary {
        let SessionSum { sessions, successful, attempts, most_attempts, duration } = self.all;
        let groups = |sums: &BTreeMap<String, SessionSum>| {
            sums.iter().map(|(name, sum)| (name.clone(), sum.stats())).collect()
        };
        let average = duration.as_secs_f64() / sessions.max(1) as f64;
        MetricsSummary {
            time_window_start: self.start,
            time_window_end: self.end,
            total_sessions: sessions,
            successful_sessions: successful,
            failed_sessions: sessions - successful,
            total_attempts: attempts,
            average_attempts_per_session: self.all.stats().average_attempts,
            max_attempts_in_session: most_attempts,
            total_duration: duration,
            average_duration_per_session: Duration::try_from_secs_f64(average).unwrap_or_default(),
            by_policy: groups(&self.by_policy),
            by_subsystem: groups(&self.by_subsystem),
        }
    }
}

impl SessionSum {
    fn add(&mut self, other: Self) {
        self.sessions = self.sessions.saturating_add(other.sessions);
        self.successful = self.successful.saturating_add(other.successful);
        self.attempts = self.attempts.saturating_add(other.attempts);
        self.most_attempts = self.most_attempts.max(other.most_attempts);
        self.duration = self.duration.saturating_add(other.duration);
    }

    /// Without sessions, every average is 0.
    fn stats(self) -> GroupStats {
        let per_session = |count: u64| count as f64 / self.sessions.max(1) as f64;
        GroupStats {
            sessions: self.sessions,
            success_rate: per_session(self.successful),
            average_attempts: per_session(self.attempts),
        }
    }
}

/// The first part of a name: `browser` of `browser.state_operations.timeout`.
pub(super) fn subsystem(operation: &str) -> &str {
    operation.split('.').next().unwrap_or(operation)
}
