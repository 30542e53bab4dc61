//! What a failure means, for a program in any language that tells its facts (J1).

use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use steadfast::duration::serde_seconds;
use steadfast::file::Policies;
use steadfast::judge::{self, MatchedBy};
use steadfast::{Class, Fault, Policy, read_from_objects};

use crate::error::ApiError;
use crate::policies::PolicyChoice;
use crate::policies::found;

read_from_objects!(ClassifyRequest);

/// A failure to be judged.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, expecting = "an object with fault", remote = "Self")]
pub struct ClassifyRequest {
    /// What went wrong.
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Fault))]
    pub fault: Fault,
    /// By whose rules; those of the policy `default` unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::PolicyChoice>))]
    pub policy: Option<PolicyChoice>,
}

/// What a failure means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct Classification {
    /// The judgement.
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Class))]
    pub class: Class,
    /// The rule that gave it; nothing if no fact decided anything.
    pub rule: Option<String>,
    /// The list that the rule stood in.
    #[cfg_attr(feature = "openapi", schema(value_type = String))]
    pub matched_by: MatchedBy,
    /// How long the other side said to wait, in seconds.
    #[serde(with = "serde_seconds::option")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<crate::openapi::Lasting>))]
    pub hint: Option<Duration>,
    /// The facts as they were understood.
    #[cfg_attr(feature = "openapi", schema(value_type = crate::openapi::Fault))]
    pub fault: Fault,
}

pub(crate) fn judge(
    failure: ClassifyRequest,
    policies: &Policies,
) -> Result<Classification, ApiError> {
    let ClassifyRequest { fault, policy } = failure;
    let policy = chosen(policy, policies)?;
    let judgement = judge::judge(policy.rules(), &fault);
    Ok(Classification {
        class: judgement.class(),
        rule: judgement.rule(policy.rules()).map(str::to_owned),
        matched_by: judgement.matched_by(),
        hint: judgement.hint(),
        fault,
    })
}

fn chosen(choice: Option<PolicyChoice>, policies: &Policies) -> Result<Arc<Policy>, ApiError> {
    match choice {
        Some(PolicyChoice::Given(policy)) => Ok(policy),
        Some(PolicyChoice::Named(name)) => found(policies, &name),
        None => Ok(policies.find("default").clone()),
    }
}
