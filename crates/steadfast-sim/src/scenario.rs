//! What clients meet: how many come and when, and what the service is like.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use steadfast::duration::serde_seconds;
use thiserror::Error;

use crate::arrival::Arrival;
use crate::latency::Latency;

/// Clients that each want one thing of one service, and what is wrong with it.
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
    /// How many clients come. Each calls the service once, and again as its policy says.
    pub clients: u32,
    /// When they come.
    pub arrival: Arrival,
    /// Over how many processes they are spread. Those of one process share its breaker and its
    /// budget.
    pub processes: u32,
    /// How long a call takes that nothing is in the way of.
    pub latency: Latency,
    /// How long a client waits for an answer if its policy does not say.
    #[serde(with = "serde_seconds")]
    pub timeout: Duration,
    /// How many calls the service can do in a second; without it, as many as come. What is too
    /// much waits in line, and is done even if nobody waits for it any more.
    pub capacity: Option<f64>,
    /// How many calls may wait in that line before more are turned away.
    pub queue: Option<u32>,
    /// When it does nothing at all.
    pub outages: Vec<Outage>,
    /// When it does less.
    pub brown_outs: Vec<BrownOut>,
    /// How many calls it wants.
    pub rate_limit: Option<RateLimit>,
    /// How many calls fail anyhow.
    pub errors: Errors,
    /// When the simulation ends, whoever is still waiting.
    #[serde(with = "serde_seconds")]
    pub until: Duration,
    /// Chance. The same seed makes the same run.
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
    /// When it begins.
    #[serde(with = "serde_seconds")]
    pub from: Duration,
    /// When it is over.
    #[serde(with = "serde_seconds")]
    pub to: Duration,
    /// Whether calls are not even refused, so that clients wait until they have waited long
    /// enough.
    #[serde(default)]
    pub silent: bool,
}

impl Outage {
    /// One in which connections are refused at once.
    #[must_use]
    pub const fn refusing(from: Duration, to: Duration) -> Self {
        Self { from, to, silent: false }
    }
}

/// A time in which the service does less.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BrownOut {
    /// When it begins.
    #[serde(with = "serde_seconds")]
    pub from: Duration,
    /// When it is over.
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

/// How many calls the service wants.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateLimit {
    /// So many in a second; the others are told to slow down.
    pub per_second: f64,
    /// How long it tells them to wait, if it says so.
    #[serde(default, with = "serde_seconds::option")]
    pub retry_after: Option<Duration>,
}

/// The share of calls that fail anyhow, by what the failure means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "snake_case")]
pub struct Errors {
    /// Trying again may help: a 503.
    pub retryable: f64,
    /// The service asks for patience: a 429.
    pub rate_limited: f64,
    /// It may have been done: an answer that was lost.
    pub unknown_outcome: f64,
    /// Trying again cannot help: a 400.
    #[serde(rename = "final")]
    pub hopeless: f64,
}

/// A scenario that cannot be played, and why.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{field}: {problem}")]
pub struct Invalid {
    field: &'static str,
    problem: String,
}

impl Invalid {
    pub(crate) fn new(field: &'static str, problem: impl Into<String>) -> Self {
        Self { field, problem: problem.into() }
    }

    /// The field, as a file spells it.
    #[must_use]
    pub const fn field(&self) -> &'static str {
        self.field
    }
}

/// Each takes some eighty bytes.
const MOST_CLIENTS: u32 = 20_000_000;
const MOST_PROCESSES: u32 = 100_000;

impl Scenario {
    /// Whether it can be played.
    ///
    /// # Errors
    /// The first thing that is wrong with it.
    pub fn check(&self) -> Result<(), Invalid> {
        if self.clients == 0 || self.clients > MOST_CLIENTS {
            let problem = format!("{} is outside 1..={MOST_CLIENTS}", self.clients);
            return Err(Invalid::new("clients", problem));
        }
        if self.processes == 0 || self.processes > MOST_PROCESSES {
            let problem = format!("{} is outside 1..={MOST_PROCESSES}", self.processes);
            return Err(Invalid::new("processes", problem));
        }
        self.latency.sampler()?;
        if let Some(capacity) = self.capacity {
            rate("capacity", capacity)?;
        }
        if let Some(limit) = &self.rate_limit {
            rate("rate_limit", limit.per_second)?;
        }
        self.check_times()?;
        self.check_shares()?;
        self.check_idle()
    }

    /// What would change nothing was meant to change something.
    fn check_idle(&self) -> Result<(), Invalid> {
        if self.capacity.is_some() {
            return Ok(());
        }
        let nothing = "changes nothing without a capacity; say how much the service can do";
        if self.queue.is_some() {
            return Err(Invalid::new("queue", nothing));
        }
        if self.brown_outs.iter().any(|brown| brown.capacity < 1.0) {
            return Err(Invalid::new("brown_outs", format!("a share of the capacity {nothing}")));
        }
        Ok(())
    }

    fn check_times(&self) -> Result<(), Invalid> {
        let outages = self.outages.iter().map(|outage| ("outages", outage.from, outage.to));
        let brown_outs = self.brown_outs.iter().map(|brown| ("brown_outs", brown.from, brown.to));
        for (field, from, to) in outages.chain(brown_outs) {
            if from >= to {
                let problem =
                    format!("it must end after it begins, and {to:?} is not after {from:?}");
                return Err(Invalid::new(field, problem));
            }
        }
        for (field, time) in [("until", self.until), ("timeout", self.timeout)] {
            if time.is_zero() {
                return Err(Invalid::new(field, "must be longer than nothing"));
            }
        }
        Ok(())
    }

    fn check_shares(&self) -> Result<(), Invalid> {
        let Errors { retryable, rate_limited, unknown_outcome, hopeless } = self.errors;
        for share in [retryable, rate_limited, unknown_outcome, hopeless] {
            part("errors", share)?;
        }
        part("errors", retryable + rate_limited + unknown_outcome + hopeless)?;
        for brown in &self.brown_outs {
            part("brown_outs", brown.failing)?;
            part("brown_outs", brown.capacity)?;
        }
        Ok(())
    }
}

fn part(field: &'static str, share: f64) -> Result<(), Invalid> {
    let is_one = (0.0..=1.0).contains(&share);
    if is_one { Ok(()) } else { Err(Invalid::new(field, format!("{share} is outside 0..=1"))) }
}

fn rate(field: &'static str, rate: f64) -> Result<(), Invalid> {
    let is_one = rate.is_finite() && rate > 0.0 && rate <= 1e9;
    let problem = || format!("{rate} a second is not more than 0 and at most 1000000000");
    if is_one { Ok(()) } else { Err(Invalid::new(field, problem())) }
}

/// As the simulation counts time.
pub(crate) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
