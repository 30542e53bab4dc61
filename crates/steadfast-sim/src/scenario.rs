//! The scenario of a simulation: clients, service and failures.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use steadfast::duration::serde_seconds;
use thiserror::Error;

use crate::arrival::Arrival;
use crate::latency::Latency;

/// Clients that each call one service once, and the failures of the service.
///
/// ```
/// use std::time::Duration;
/// use steadfast_sim::{Arrival, Outage, Scenario};
///
/// let scenario = Scenario {
///     clients: 10_000,
///     arrival: Arrival::Steady(Duration::from_secs(60)),
///     capacity: Some(500.0),
///     outages: vec![Outage::refusing(Duration::from_secs(10), Duration::from_secs(20))],
///     ..Scenario::default()
/// };
/// assert!(scenario.check().is_ok());
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Scenario {
    /// The number of clients. Each calls the service once, and retries by its policy.
    pub clients: u32,
    /// Their arrival.
    pub arrival: Arrival,
    /// The number of processes. The clients of a process share its breaker and budget.
    pub processes: u32,
    /// The latency of a call to an idle service.
    pub latency: Latency,
    /// The timeout of a call if the policy has none.
    #[serde(with = "serde_seconds")]
    pub timeout: Duration,
    /// The calls per second that the service can process; default: unlimited. Excess calls are queued
    /// and processed even if their clients have timed out.
    pub capacity: Option<f64>,
    /// The queue length above which calls are rejected; default: unlimited.
    pub queue: Option<u32>,
    /// Times in which every call fails.
    pub outages: Vec<Outage>,
    /// Times of reduced capacity or partial failure.
    pub brown_outs: Vec<BrownOut>,
    /// The rate limit of the service.
    pub rate_limit: Option<RateLimit>,
    /// The shares of calls that fail at any time.
    pub errors: Errors,
    /// The end of the simulation.
    #[serde(with = "serde_seconds")]
    pub until: Duration,
    /// The random seed. The same seed gives the same run.
    pub seed: u64,
}

impl Default for Scenario {
    fn default() -> Self {
        Self {
            clients: 1000,
            arrival: Arrival::default(),
            processes: 1,
            latency: Latency::default(),
            timeout: Duration::from_secs(10),
            capacity: None,
            queue: None,
            outages: Vec::new(),
            brown_outs: Vec::new(),
            rate_limit: None,
            errors: Errors::default(),
            until: Duration::from_secs(24 * 3600),
            seed: 1,
        }
    }
}

/// A time in which every call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outage {
    /// Its start.
    #[serde(with = "serde_seconds")]
    pub from: Duration,
    /// Its end.
    #[serde(with = "serde_seconds")]
    pub to: Duration,
    /// Whether calls get no response, so that clients time out.
    #[serde(default)]
    pub silent: bool,
}

impl Outage {
    /// An outage in which connections are refused.
    #[must_use]
    pub const fn refusing(from: Duration, to: Duration) -> Self {
        Self { from, to, silent: false }
    }
}

/// A time of reduced capacity or partial failure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BrownOut {
    /// Its start.
    #[serde(with = "serde_seconds")]
    pub from: Duration,
    /// Its end.
    #[serde(with = "serde_seconds")]
    pub to: Duration,
    /// The share of calls that fail, 0 to 1.
    #[serde(default)]
    pub failing: f64,
    /// The share of the capacity that is left, 0 to 1.
    #[serde(default = "all")]
    pub capacity: f64,
}

const fn all() -> f64 {
    1.0
}

/// A rate limit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateLimit {
    /// Calls per second; excess calls fail with 429.
    pub per_second: f64,
    /// The `Retry-After` of a rejected call.
    #[serde(default, with = "serde_seconds::option")]
    pub retry_after: Option<Duration>,
}

/// The shares of calls that fail at any time, by class of the failure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "snake_case")]
pub struct Errors {
    /// Retryable: a 503.
    pub retryable: f64,
    /// Rate limited: a 429.
    pub rate_limited: f64,
    /// Unknown outcome: a lost response.
    pub unknown_outcome: f64,
    /// Final: a 400.
    #[serde(rename = "final")]
    pub permanent: f64,
}

/// An invalid scenario.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field}: {problem}")]
pub struct ScenarioError {
    field: &'static str,
    problem: String,
}

impl ScenarioError {
    pub(crate) fn new(field: &'static str, problem: impl Into<String>) -> Self {
        Self { field, problem: problem.into() }
    }

    fn unless(
        is_valid: bool,
        field: &'static str,
        problem: impl FnOnce() -> String,
    ) -> Result<(), Self> {
        if is_valid { Ok(()) } else { Err(Self::new(field, problem())) }
    }

    /// The field, as in a scenario file.
    #[must_use]
    pub const fn field(&self) -> &'static str {
        self.field
    }
}

impl Scenario {
    /// The most clients; each takes some eighty bytes.
    pub const MAX_CLIENTS: u32 = 20_000_000;
    /// The most client processes.
    pub const MAX_PROCESSES: u32 = 100_000;

    /// Validates the scenario.
    ///
    /// # Errors
    /// The first invalid field.
    pub fn check(&self) -> Result<(), ScenarioError> {
        count("clients", self.clients, Self::MAX_CLIENTS)?;
        count("processes", self.processes, Self::MAX_PROCESSES)?;
        self.latency.sampler()?;
        if let Some(capacity) = self.capacity {
            rate("capacity", capacity)?;
        }
        if let Some(limit) = &self.rate_limit {
            rate("rate_limit", limit.per_second)?;
        }
        self.check_times()?;
        self.check_shares()?;
        self.check_effects()
    }

    /// Rejects settings without effect.
    fn check_effects(&self) -> Result<(), ScenarioError> {
        if self.capacity.is_some() {
            return Ok(());
        }
        let reason = "has no effect without a capacity; set the capacity of the service";
        ScenarioError::unless(self.queue.is_none(), "queue", || reason.to_owned())?;
        let is_full = self.brown_outs.iter().all(|brown| brown.capacity >= 1.0);
        let problem = || format!("a share of the capacity {reason}");
        ScenarioError::unless(is_full, "brown_outs", problem)
    }

    fn check_times(&self) -> Result<(), ScenarioError> {
        let outages = self.outages.iter().map(|outage| ("outages", outage.from, outage.to));
        let brown_outs = self.brown_outs.iter().map(|brown| ("brown_outs", brown.from, brown.to));
        for (field, from, to) in outages.chain(brown_outs) {
            let problem =
                || format!("the end must be after the start: {to:?} is not after {from:?}");
            ScenarioError::unless(from < to, field, problem)?;
        }
        for (field, time) in [("until", self.until), ("timeout", self.timeout)] {
            let problem = || "must be greater than 0".to_owned();
            ScenarioError::unless(!time.is_zero(), field, problem)?;
        }
        Ok(())
    }

    fn check_shares(&self) -> Result<(), ScenarioError> {
        let Errors { retryable, rate_limited, unknown_outcome, permanent } = self.errors;
        for value in [retryable, rate_limited, unknown_outcome, permanent] {
            share("errors", value)?;
        }
        share("errors", retryable + rate_limited + unknown_outcome + permanent)?;
        for brown in &self.brown_outs {
            share("brown_outs", brown.failing)?;
            share("brown_outs", brown.capacity)?;
        }
        Ok(())
    }
}

/// An error unless `count` is from 1 to `max`.
pub(crate) fn count(field: &'static str, count: u32, max: u32) -> Result<(), ScenarioError> {
    let is_valid = (1..=max).contains(&count);
    ScenarioError::unless(is_valid, field, || format!("{count} is out of range; use 1 to {max}"))
}

fn share(field: &'static str, share: f64) -> Result<(), ScenarioError> {
    let is_valid = (0.0..=1.0).contains(&share);
    ScenarioError::unless(is_valid, field, || format!("{share} is out of range; use 0 to 1"))
}

fn rate(field: &'static str, rate: f64) -> Result<(), ScenarioError> {
    let problem =
        || format!("{rate} per second is out of range; use more than 0 and at most 1000000000");
    ScenarioError::unless(rate > 0.0 && rate <= 1e9, field, problem)
}

/// Nanoseconds, the time unit of the simulation.
pub(crate) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
