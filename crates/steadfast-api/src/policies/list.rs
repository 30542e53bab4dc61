//! The list of policies, and lookup by name.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use steadfast::Policy;
use steadfast::file::{Explanation, MappedName, Policies, Route};
use steadfast::policy::{Draft, PRESETS};

use crate::error::{ApiError, ErrorKind};

/// All policies with all their fields, and the names that map to them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct PoliciesView {
    /// The policies of the policy file, in its order.
    pub policies: Vec<Arc<Policy>>,
    /// The built-in policies, `default` and the presets, unless the policy file replaces them.
    #[serde(alias = "ready_made")]
    pub presets: Vec<Arc<Policy>>,
    /// The names that the policy file maps to policies.
    pub names: Vec<MappedName>,
}

impl PoliciesView {
    /// The policies of a policy file, or the built-in ones.
    #[must_use]
    pub fn of(policies: &Policies) -> Self {
        Self {
            policies: policies.iter().cloned().collect(),
            presets: presets(policies).cloned().collect(),
            names: policies.mapped().to_vec(),
        }
    }
}

/// One policy, how its name was resolved, and the source of each field.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PolicyDetails {
    /// The policy.
    pub policy: Arc<Policy>,
    /// How the name was resolved.
    pub route: Route,
    /// The source of each field.
    pub explanation: Explanation,
    /// The policy as a draft, to change it.
    pub draft: Draft,
}

impl PolicyDetails {
    pub(crate) fn of(policies: &Policies, name: &str) -> Self {
        let (policy, route) = policies.route(name);
        Self {
            policy: policy.clone(),
            route,
            explanation: policies.explain(name),
            draft: policies.draft(name),
        }
    }
}

fn presets(policies: &Policies) -> impl Iterator<Item = &Arc<Policy>> {
    let names = std::iter::once("default").chain(PRESETS);
    names
        .map(|name| policies.route(name))
        .filter_map(|(policy, route)| matches!(route, Route::Preset).then_some(policy))
}

/// The policy with this name. A registry falls back to `default` for an unknown name; in a request
/// an unknown name is an error.
pub(crate) fn find_policy(policies: &Policies, name: &str) -> Result<Arc<Policy>, ApiError> {
    match policies.route(name) {
        (_, Route::Default) if name != "default" => Err(unknown_policy(policies, name)),
        (policy, _) => Ok(policy.clone()),
    }
}

pub(crate) fn unknown_policy(policies: &Policies, name: &str) -> ApiError {
    let next = match policies.nearest(name) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "use a policy from the policy file or a preset".to_owned(),
    };
    ApiError::new(ErrorKind::Invalid, format!("unknown policy `{name}`")).field("policy").next(next)
}
