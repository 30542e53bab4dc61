//! Classification of faults for programs in any language (J1).

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use steadfast::__private::read_from_objects;
use steadfast::duration::serde_seconds;
use steadfast::file::Policies;
use steadfast::judge::{self, MatchedBy};
use steadfast::{Class, Fault, Policy};

use crate::error::ApiError;
use crate::policies::{PolicyChoice, find_policy};

read_from_objects!(ClassifyRequest);

/// A fault to classify.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, expecting = "an object with fault", remote = "Self")]
pub struct ClassifyRequest {
    /// The facts of the failure.
    pub fault: Fault,
    /// The policy whose rules apply; default: the policy `default`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<PolicyChoice>,
}

/// The classification of a fault.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Classification {
    /// The class of the fault.
    pub class: Class,
    /// The rule that matched; `null` if none did.
    pub rule: Option<String>,
    /// The rule list that contains the rule.
    pub matched_by: MatchedBy,
    /// The delay that the other side asked for, in seconds.
    #[serde(with = "serde_seconds::option")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::AnyDuration>))]
    pub hint: Option<Duration>,
    /// The facts as they were parsed.
    pub fault: Fault,
}

pub(crate) fn classify(
    request: ClassifyRequest,
    policies: &Policies,
) -> Result<Classification, ApiError> {
    let ClassifyRequest { fault, policy } = request;
    let policy = resolve(policy, policies)?;
    let judgement = judge::judge(policy.rules(), &fault);
    Ok(Classification {
        class: judgement.class(),
        rule: judgement.rule(policy.rules()).map(str::to_owned),
        matched_by: judgement.matched_by(),
        hint: judgement.hint(),
        fault,
    })
}

fn resolve(choice: Option<PolicyChoice>, policies: &Policies) -> Result<Arc<Policy>, ApiError> {
    match choice {
        Some(PolicyChoice::Given(policy)) => Ok(policy),
        Some(PolicyChoice::Named(name)) => find_policy(policies, &name),
        None => Ok(policies.find("default").clone()),
    }
}
