//! The planned attempts of a policy.

use serde::{Deserialize, Serialize};
use steadfast::Policy;
use steadfast::decide::PlannedAttempt;

use crate::error::ApiError;
use crate::page::check_range;

/// The most attempts of one plan. A policy can have four billion.
const MAX_PLANNED_ATTEMPTS: u32 = 10_000;

/// The length of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::IntoParams), into_params(parameter_in = Query))]
#[serde(default, deny_unknown_fields)]
pub struct PlanQuery {
    /// Maximum number of attempts, from 1 to 10000; default: 100.
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

impl PlanView {
    pub(crate) fn of(policy: &Policy, query: &PlanQuery) -> Result<Self, ApiError> {
        check_range("attempts", query.attempts, MAX_PLANNED_ATTEMPTS)?;
        let attempts = policy.plan().take(query.attempts as usize).collect();
        Ok(Self { policy: policy.id().map(str::to_owned), attempts })
    }
}
