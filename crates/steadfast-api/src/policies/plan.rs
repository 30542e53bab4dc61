//! What a policy will do, before it does it.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use steadfast::Policy;
use steadfast::decide;
use steadfast::duration::serde_seconds;
use steadfast_store::Invalid;

use crate::error::ApiError;

/// A policy can have four billion attempts. More than these are not asked for at once.
const LARGEST: u32 = 10_000;

/// How much of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "openapi", into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct PlanQuery {
    /// At most so many attempts: 100 unless said, from 1 to 10000.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 10000))]
    #[cfg_attr(feature = "openapi", param(minimum = 1, maximum = 10000))]
    pub attempts: u32,
}

impl Default for PlanQuery {
    fn default() -> Self {
        Self { attempts: 100 }
    }
}

/// Each attempt of a policy, when every one of them fails at once with a retryable fault.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct PlanView {
    /// The policy's id.
    pub policy: Option<String>,
    /// The attempts, from the first.
    pub attempts: Vec<PlannedAttempt>,
}

/// One attempt of a plan. All times are seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct PlannedAttempt {
    /// Its number, from 1.
    pub attempt: u32,
    /// The wait before it, without jitter.
    #[serde(with = "serde_seconds")]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Lasting))]
    pub delay: Duration,
    /// The shortest wait before it.
    #[serde(with = "serde_seconds")]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Lasting))]
    pub min: Duration,
    /// The longest wait before it.
    #[serde(with = "serde_seconds")]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Lasting))]
    pub max: Duration,
    /// All waits up to it, at their shortest.
    #[serde(with = "serde_seconds")]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Lasting))]
    pub total_min: Duration,
    /// All waits up to it, at their longest.
    #[serde(with = "serde_seconds")]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Lasting))]
    pub total_max: Duration,
}

impl From<decide::PlannedAttempt> for PlannedAttempt {
    fn from(planned: decide::PlannedAttempt) -> Self {
        let decide::PlannedAttempt { attempt, delay, min, max, total_min, total_max } = planned;
        Self { attempt, delay, min, max, total_min, total_max }
    }
}

impl PlanView {
    pub(crate) fn of(policy: &Policy, query: &PlanQuery) -> Result<Self, ApiError> {
        if !(1..=LARGEST).contains(&query.attempts) {
            let problem = format!("{} cannot be shown; say 1 to {LARGEST}", query.attempts);
            return Err(Invalid::new("attempts", problem).into());
        }
        let attempts = policy.plan().take(query.attempts as usize);
        Ok(Self {
            policy: policy.id().map(str::to_owned),
            attempts: attempts.map(PlannedAttempt::from).collect(),
        })
    }
}
