//! Figures over a window of time: how many sessions, how well, how often retried (O1).

use std::collections::BTreeMap;
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::invalid::Invalid;
use super::record::Session;
use super::serde_format::{self, read_only_if_valid};

/// The figures of all sessions that ended within a window.
///
/// [`Tally`] counts them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self")]
#[non_exhaustive]
pub struct MetricsSummary {
    /// When the window begins.
    #[serde(with = "serde_format::time")]
    pub time_window_start: Timestamp,
    /// When the window ends.
    #[serde(with = "serde_format::time")]
    pub time_window_end: Timestamp,
    /// How many sessions ended in it.
    pub total_sessions: u64,
    /// How many of them with success.
    pub successful_sessions: u64,
    /// How many of them without.
    pub failed_sessions: u64,
    /// How many attempts they made together.
    pub total_attempts: u64,
    /// How many each made on average.
    pub average_attempts_per_session: f64,
    /// The most that one of them made.
    pub max_attempts_in_session: u64,
    /// How long they took together.
    #[serde(with = "serde_format::seconds")]
    pub total_duration: Duration,
    /// How long each took on average.
    #[serde(with = "serde_format::seconds")]
    pub average_duration_per_session: Duration,
    /// The same by policy.
    pub by_policy: BTreeMap<String, GroupStats>,
    /// The same by subsystem: what the name begins with, up to the first dot, by which a
    /// registry found the policy; failing that, what the operation's name begins with.
    pub by_subsystem: BTreeMap<String, GroupStats>,
}

/// The figures of one policy or subsystem.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GroupStats {
    /// How many sessions.
    pub sessions: u64,
    /// How many of them ended with success, from 0.0 to 1.0.
    pub success_rate: f64,
    /// How many attempts each made on average.
    pub average_attempts: f64,
}

read_only_if_valid!(MetricsSummary);

impl MetricsSummary {
    /// Whether they are ones that can be relied on: a window that does not end before it
    /// begins, sessions that add up, rates within 0.0 to 1.0 and averages of at least 0.
    ///
    /// # Errors
    /// The first field that is wrong, and why.
    pub fn validate(&self) -> Result<(), Invalid> {
        let ordered = self.time_window_start <= self.time_window_end;
        Invalid::unless(ordered, "time_window_end", "must not be before time_window_start")?;
        let adds_up =
            self.successful_sessions.checked_add(self.failed_sessions) == Some(self.total_sessions);
        let rule = "must equal successful_sessions + failed_sessions";
        Invalid::unless(adds_up, "total_sessions", rule)?;
        average("average_attempts_per_session", self.average_attempts_per_session)?;
        let bounded = self.max_attempts_in_session <= self.total_attempts;
        Invalid::unless(bounded, "max_attempts_in_session", "must not be above total_attempts")?;
        for (field, shares) in
            [("by_policy", &self.by_policy), ("by_subsystem", &self.by_subsystem)]
        {
            for (name, share) in shares {
                share.validate().map_err(|wrong| wrong.within(&format!("{field}.{name}")))?;
            }
        }
        Ok(())
    }
}

impl GroupStats {
    fn validate(&self) -> Result<(), Invalid> {
        let is_rate = (0.0..=1.0).contains(&self.success_rate);
        Invalid::unless(is_rate, "success_rate", "must lie in 0.0..=1.0")?;
        average("average_attempts", self.average_attempts)
    }
}

fn average(at: &str, value: f64) -> Result<(), Invalid> {
    Invalid::unless(value.is_finite() && value >= 0.0, at, "must be a number of at least 0")
}

/// Counts the sessions that end within a window. It keeps sums, not sessions.
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
/// assert_eq!(tally.figures().by_subsystem["browser"].sessions, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Tally {
    start: Timestamp,
    end: Timestamp,
    all: Sum,
    duration: Duration,
    most_attempts: u64,
    by_policy: BTreeMap<String, Sum>,
    by_subsystem: BTreeMap<String, Sum>,
}

/// Sessions of one policy and subsystem that somebody else added up, such as a database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SessionSum {
    /// How many sessions.
    pub sessions: u64,
    /// How many of them ended with success.
    pub successful: u64,
    /// How many attempts they made together.
    pub attempts: u64,
    /// The most that one of them made.
    pub most_attempts: u64,
    /// How long they took together.
    pub duration: Duration,
}

#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    sessions: u64,
    successful: u64,
    attempts: u64,
}

impl Tally {
    /// Counts what ends from `start` to `end`, both included.
    #[must_use]
    pub fn new(start: Timestamp, end: Timestamp) -> Self {
        Self {
            start,
            end: end.max(start),
            all: Sum::default(),
            duration: Duration::ZERO,
            most_attempts: 0,
            by_policy: BTreeMap::new(),
            by_subsystem: BTreeMap::new(),
        }
    }

    /// Counts a session, if it ended within the window; says whether it did.
    pub fn add(&mut self, session: &Session) -> bool {
        let Some(end) = session.end_time else {
            return false;
        };
        let attempts = session.forgotten_attempts.saturating_add(session.total_attempts() as u64);
        let sum = Sum { sessions: 1, successful: u64::from(session.success), attempts };
        let taken = session.total_duration().unwrap_or_default();
        let mapped = session.subsystem.as_deref();
        let subsystem = mapped.unwrap_or_else(|| subsystem(&session.operation));
        self.count(end, &session.policy_id, subsystem, sum, taken)
    }

    /// Counts a session that a breaker ended before its first attempt, of which there is
    /// no record; says whether that was within the window.
    pub fn add_rejected(&mut self, at: Timestamp, policy_id: &str, operation: &str) -> bool {
        let sum = Sum { sessions: 1, ..Sum::default() };
        self.count(at, policy_id, subsystem(operation), sum, Duration::ZERO)
    }

    /// Counts sessions that were added up elsewhere. Whoever did knows that they ended within
    /// the window.
    pub fn add_sum(&mut self, policy_id: &str, subsystem: &str, sum: SessionSum) {
        let SessionSum { sessions, successful, attempts, most_attempts, duration } = sum;
        if sessions == 0 {
            return;
        }
        let attempts = attempts.max(most_attempts);
        let sum = Sum { sessions, successful: successful.min(sessions), attempts };
        self.all.add(sum);
        self.duration = self.duration.saturating_add(duration);
        self.most_attempts = self.most_attempts.max(most_attempts);
        self.by_policy.entry(policy_id.to_owned()).or_default().add(sum);
        self.by_subsystem.entry(subsystem.to_owned()).or_default().add(sum);
    }

    fn count(
        &mut self,
        at: Timestamp,
        policy_id: &str,
        subsystem: &str,
        sum: Sum,
        taken: Duration,
    ) -> bool {
        if at < self.start || at > self.end {
            return false;
        }
        self.all.add(sum);
        self.duration = self.duration.saturating_add(taken);
        self.most_attempts = self.most_attempts.max(sum.attempts);
        self.by_policy.entry(policy_id.to_owned()).or_default().add(sum);
        self.by_subsystem.entry(subsystem.to_owned()).or_default().add(sum);
        true
    }

    /// The figures so far.
    #[must_use]
    pub fn figures(&self) -> MetricsSummary {
        let Sum { sessions, successful, attempts } = self.all;
        let shares = |sums: &BTreeMap<String, Sum>| {
            sums.iter().map(|(name, sum)| (name.clone(), sum.share())).collect()
        };
        let average = self.duration.as_secs_f64() / sessions.max(1) as f64;
        MetricsSummary {
            time_window_start: self.start,
            time_window_end: self.end,
            total_sessions: sessions,
            successful_sessions: successful,
            failed_sessions: sessions - successful,
            total_attempts: attempts,
            average_attempts_per_session: self.all.share().average_attempts,
            max_attempts_in_session: self.most_attempts,
            total_duration: self.duration,
            average_duration_per_session: Duration::try_from_secs_f64(average).unwrap_or_default(),
            by_policy: shares(&self.by_policy),
            by_subsystem: shares(&self.by_subsystem),
        }
    }
}

impl Sum {
    fn add(&mut self, other: Self) {
        self.sessions = self.sessions.saturating_add(other.sessions);
        self.successful = self.successful.saturating_add(other.successful);
        self.attempts = self.attempts.saturating_add(other.attempts);
    }

    /// Of no sessions, every average is 0.
    fn share(self) -> GroupStats {
        let of_each = |count: u64| count as f64 / self.sessions.max(1) as f64;
        GroupStats {
            sessions: self.sessions,
            success_rate: of_each(self.successful),
            average_attempts: of_each(self.attempts),
        }
    }
}

/// `browser` of `browser.state_operations.timeout`.
pub(super) fn subsystem(operation: &str) -> &str {
    operation.split('.').next().unwrap_or(operation)
}
