//! The policies that tasks can have by name.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use steadfast::Policy;
use steadfast::file::{Explanation, MappedName, Policies, Route};
use steadfast::policy::{Draft, PRESETS};

use crate::error::{ApiError, ErrorKind};

/// Every policy with all its values, and the names that lead to them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct PoliciesView {
    /// Those of the policy file, in its order.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<crate::openapi::Policy>))]
    pub policies: Vec<Arc<Policy>>,
    /// Those that are there without one: the one for all other names, and the ready-made ones,
    /// unless the file says something else.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<crate::openapi::Policy>))]
    pub ready_made: Vec<Arc<Policy>>,
    /// The names that the file maps to policies.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<crate::openapi::MappedName>))]
    pub names: Vec<MappedName>,
}

impl PoliciesView {
    /// Those of a file that was read, or of none.
    #[must_use]
    pub fn of(policies: &Policies) -> Self {
        Self {
            policies: policies.iter().cloned().collect(),
            ready_made: ready_made(policies).cloned().collect(),
            names: policies.mapped().to_vec(),
        }
    }
}

/// One policy, how a name led to it, and who wrote each of its values.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct KnownPolicy {
    /// The policy.
    pub policy: Arc<Policy>,
    /// How the name led to it.
    pub route: Route,
    /// Where each value came from.
    pub explanation: Explanation,
    /// The policy as it is written, to change it.
    pub draft: Draft,
}

impl KnownPolicy {
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

fn ready_made(policies: &Policies) -> impl Iterator<Item = &Arc<Policy>> {
    let names = std::iter::once("default").chain(PRESETS);
    names
        .map(|name| policies.route(name))
        .filter_map(|(policy, route)| matches!(route, Route::Preset).then_some(policy))
}

/// The policy of this name. A program that asks a registry for a name that nobody knows gets
/// `default`; who writes one into a task or an address made a slip, and is told.
pub(crate) fn found(policies: &Policies, name: &str) -> Result<Arc<Policy>, ApiError> {
    match policies.route(name) {
        (_, Route::Default) if name != "default" => Err(unknown_policy(policies, name)),
        (policy, _) => Ok(policy.clone()),
    }
}

pub(crate) fn unknown_policy(policies: &Policies, name: &str) -> ApiError {
    let next = match policies.nearest(name) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "name one of the policy file or a ready-made one, or send its fields".to_owned(),
    };
    ApiError::new(ErrorKind::Invalid, format!("there is no policy `{name}`"))
        .field("policy")
        .next(next)
}
