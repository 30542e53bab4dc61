//! The planned attempts of a policy.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use steadfast::Policy;
use steadfast::decide;
use steadfast::duration::serde_seconds;
use steadfast_store::InputError;

use crate::error::ApiError;

/// The most attempts of one plan. A policy can have four billion.
const MAX_PLANNED_ATTEMPTS: u32 = 10_000;

/// The length of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema, utoipa::IntoParams))]
#[cfg_attr(feature = "openapi", into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct PlanQuery {
    /// The most attempts, from 1 to 10000; default: 100.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 10000))]
    #[cfg_attr(feature = "openapi", param(minimum = 1, maximum = 10000))]
    pub attempts: u32,
}

impl Default for PlanQuery {
    fn default() -> Self {
        Self { attempts: 100 }
    }
}

/// The attempts of a policy if each fails immediately with a retryable fault.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct PlanView {
    /// The id of the policy.
    pub policy: Option<String>,
    /// The attempts in order.
    pub attempts: Vec<PlannedAttempt>,
}

/// One attempt of a plan. All durations are in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct PlannedAttempt {
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The delay before the attempt, without jitter.
    #[serde(with = "serde_seconds")]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::AnyDuration))]
    pub delay: Duration,
    /// The shortest delay before the attempt.
    #[serde(with = "serde_seconds")]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::AnyDuration))]
    pub min: Duration,
    /// The longest delay before the attempt.
    #[serde(with = "serde_seconds")]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::AnyDuration))]
    pub max: Duration,
    /// The shortest total of all delays up to the attempt.
    #[serde(with = "serde_seconds")]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::AnyDuration))]
    pub total_min: Duration,
    /// The longest total of all delays up to the attempt.
    #[serde(with = "serde_seconds")]
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::AnyDuration))]
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
        if !(1..=MAX_PLANNED_ATTEMPTS).contains(&query.attempts) {
            let problem =
                format!("{} is out of range; use 1 to {MAX_PLANNED_ATTEMPTS}", query.attempts);
            return Err(InputError::new("attempts", problem).into());
        }
        let attempts = policy.plan().take(query.attempts as usize);
        Ok(Self {
            policy: policy.id().map(str::to_owned),
            attempts: attempts.map(PlannedAttempt::from).collect(),
        })
    }
}
