//! Breakers and budgets.

use jiff::Timestamp;
use serde::Serialize;
use steadfast::guard::breaker;
use utoipa::ToSchema;

use super::audit::Actor;
use super::one_of::one_of;
use super::text::Lasting;

one_of! {
    /// What somebody wants of a breaker.
    BreakerCommand: steadfast_store::BreakerCommand::ALL.map(steadfast_store::BreakerCommand::name);
    /// Where a breaker stands.
    BreakerState: breaker::BreakerState::ALL.map(breaker::BreakerState::as_str);
}

/// How one instance's breaker of one policy stands.
#[derive(Debug, Serialize, ToSchema)]
pub struct BreakerReport {
    /// The policy whose sessions share it.
    pub policy: String,
    /// Whose it is.
    pub instance: String,
    /// When the instance last wrote it down.
    pub seen_at: Option<Timestamp>,
    /// Where it stands.
    pub state: BreakerState,
    /// How many failures count towards opening it, or opened it.
    pub failure_count: u64,
    /// How many in a row open it; nothing if it opens by a rate.
    pub threshold: Option<u32>,
    /// How long it stays open.
    pub timeout: Lasting,
    /// When the last failure was.
    pub last_failure_time: Option<Timestamp>,
    /// When its state last changed.
    pub last_state_change: Option<Timestamp>,
    /// When it lets a probe through, if it is open.
    pub next_probe_at: Option<Timestamp>,
}

/// The last thing that somebody wanted of a policy's breaker.
#[derive(Debug, Serialize, ToSchema)]
pub struct BreakerOverride {
    /// Greater than that of every order before it.
    pub number: i64,
    /// Whose breaker.
    pub policy: String,
    /// What is wanted.
    pub wish: BreakerCommand,
    /// Who wants it.
    pub by: Actor,
    /// Since when.
    pub at: Timestamp,
}

/// How one instance's budget of one policy stands.
#[derive(Debug, Serialize, ToSchema)]
pub struct BudgetReport {
    /// The policy whose sessions share it.
    pub policy: String,
    /// Whose it is.
    pub instance: String,
    /// When the instance last wrote it down.
    pub seen_at: Option<Timestamp>,
    /// How many retries it would grant at once.
    pub balance: u64,
    /// How much it allows.
    pub settings: BudgetSettings,
}

/// How much retrying a budget allows, as a policy says it: so many retries a second; or so many for
/// each success of the last while, and a few a second besides; or tokens.
#[derive(Debug, Serialize, ToSchema)]
pub struct BudgetSettings {
    /// Retries a second.
    pub retries_per_second: Option<f64>,
    /// Retries for each success.
    pub ratio: Option<f64>,
    /// Retries a second that need no success.
    pub min_per_second: Option<f64>,
    /// How long a success counts.
    pub window: Option<Lasting>,
    /// The tokens that it starts with and never exceeds.
    pub max_tokens: Option<u32>,
    /// What a success gives back, and a second that passes.
    pub token_ratio: Option<f64>,
}
