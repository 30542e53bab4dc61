//! Reports of instances: worker registrations, breaker states and budgets (H2, G1, G3).
//!
//! A worker without tasks has no lease, so an idle fleet would look like a lost one. A breaker and a
//! budget live in a process, because a call must not wait for a database. But an operator of ten
//! instances needs to see all of them, and to isolate a service in all of them. So each instance
//! reports all three regularly, and applies [overrides](BreakerOverride); reports that are not
//! renewed expire.

use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use steadfast::duration::serde_seconds;
use steadfast::guard::BudgetSettings;
use steadfast::guard::breaker::BreakerState;

use crate::control::Actor;

/// The age at which a report is deleted.
pub(crate) const WORKER_RETENTION: Duration = Duration::from_secs(600);

/// The registration of a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerReport {
    /// Its name, as in leases.
    pub name: String,
    /// The process that it runs in; `None` for a worker over HTTP.
    pub instance: Option<String>,
    /// The time of the report, by the store's clock; `None` before it is written.
    pub seen_at: Option<Timestamp>,
    /// The queues that it serves; `None` for all.
    pub queues: Option<Vec<String>>,
    /// The number of tasks that it can run at a time.
    pub concurrency: Option<u32>,
    /// The number of tasks that it runs.
    pub running: Option<u32>,
}

/// The retry budget of one policy in one instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BudgetReport {
    /// The policy.
    pub policy: String,
    /// The instance.
    pub instance: String,
    /// When the instance last reported it; set when the report is written.
    pub seen_at: Option<Timestamp>,
    /// Number of retries that it grants at once.
    pub balance: u64,
    /// The settings.
    pub settings: BudgetSettings,
}

/// The time without a report after which an instance is not shown.
pub(crate) const INSTANCE_TIMEOUT: Duration = Duration::from_secs(90);

/// The circuit breaker of one policy in one instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BreakerReport {
    /// The policy.
    pub policy: String,
    /// The instance.
    pub instance: String,
    /// When the instance last reported it; set when the report is written.
    pub seen_at: Option<Timestamp>,
    /// The state.
    pub state: BreakerState,
    /// Number of failures that count towards opening it, or that opened it.
    pub failure_count: u64,
    /// Number of consecutive failures that open it; `null` if it opens by failure rate.
    pub threshold: Option<u32>,
    /// How long it stays open.
    #[cfg_attr(feature = "openapi", schema(value_type = steadfast::__private::openapi::AnyDuration))]
    #[serde(with = "serde_seconds")]
    pub timeout: Duration,
    /// The time of the last failure.
    pub last_failure_time: Option<Timestamp>,
    /// The time of the last state change.
    pub last_state_change: Option<Timestamp>,
    /// When an open breaker permits a probe.
    pub next_probe_at: Option<Timestamp>,
}

/// A manual command to a circuit breaker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum BreakerCommand {
    /// Opens it for its usual time.
    Open,
    /// Closes it, and resets its failures.
    Close,
    /// Rejects calls until it is closed by a command.
    Isolate,
}

impl BreakerCommand {
    /// Every command.
    pub const ALL: [Self; 3] = [Self::Open, Self::Close, Self::Isolate];

    /// Its name in rows, and after `breaker.` in the audit log.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Close => "close",
            Self::Isolate => "isolate",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|command| command.name() == name)
    }
}

/// The last manual command to a policy's circuit breaker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct BreakerOverride {
    /// The number of the command. Numbers increase.
    pub number: i64,
    /// The policy.
    pub policy: String,
    /// The command.
    #[serde(alias = "wish")]
    pub command: BreakerCommand,
    /// The actor.
    #[serde(alias = "by")]
    pub actor: Actor,
    /// The time of the command.
    pub at: Timestamp,
}
