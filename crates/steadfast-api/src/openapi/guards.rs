//! Circuit breakers and retry budgets.

use jiff::Timestamp;
use serde::Serialize;
use steadfast::guard::breaker;
use utoipa::ToSchema;

use super::audit::Actor;
use super::enums::string_enum;
use super::strings::AnyDuration;

string_enum! {
    /// A manual command to a circuit breaker.
    BreakerCommand: steadfast_store::BreakerCommand::ALL.map(steadfast_store::BreakerCommand::name);
    /// The state of a circuit breaker.
    BreakerState: breaker::BreakerState::ALL.map(breaker::BreakerState::as_str);
}

/// The circuit breaker of one policy in one instance.
#[derive(Debug, Serialize, ToSchema)]
pub struct BreakerReport {
    /// The policy.
    pub policy: String,
    /// The instance.
    pub instance: String,
    /// When the instance last reported it.
    pub seen_at: Option<Timestamp>,
    /// The state.
    pub state: BreakerState,
    /// Number of failures that count towards opening it, or that opened it.
    pub failure_count: u64,
    /// Number of consecutive failures that open it; `null` if it opens by failure rate.
    pub threshold: Option<u32>,
    /// How long it stays open.
    pub timeout: AnyDuration,
    /// The time of the last failure.
    pub last_failure_time: Option<Timestamp>,
    /// The time of the last state change.
    pub last_state_change: Option<Timestamp>,
    /// When an open breaker permits a probe.
    pub next_probe_at: Option<Timestamp>,
}

/// The last manual command to a policy's circuit breaker.
#[derive(Debug, Serialize, ToSchema)]
pub struct BreakerOverride {
    /// The number of the command. Numbers increase.
    pub number: i64,
    /// The policy.
    pub policy: String,
    /// The command.
    pub wish: BreakerCommand,
    /// The actor.
    pub by: Actor,
    /// The time of the command.
    pub at: Timestamp,
}

/// The retry budget of one policy in one instance.
#[derive(Debug, Serialize, ToSchema)]
pub struct BudgetReport {
    /// The policy.
    pub policy: String,
    /// The instance.
    pub instance: String,
    /// When the instance last reported it.
    pub seen_at: Option<Timestamp>,
    /// Number of retries that it grants at once.
    pub balance: u64,
    /// The settings.
    pub settings: BudgetSettings,
}

/// The settings of a retry budget: a rate, a ratio of recent successes with a minimum rate, or a
/// token bucket.
#[derive(Debug, Serialize, ToSchema)]
pub struct BudgetSettings {
    /// Retries per second.
    pub retries_per_second: Option<f64>,
    /// Retries per success.
    pub ratio: Option<f64>,
    /// Minimum retries per second.
    pub min_per_second: Option<f64>,
    /// How long a success counts.
    pub window: Option<AnyDuration>,
    /// The capacity of the token bucket.
    pub max_tokens: Option<u32>,
    /// Tokens added per success and per second.
    pub token_ratio: Option<f64>,
}
