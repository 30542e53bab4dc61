//! The policies that tasks can have by name.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use steadfast::Policy;
use steadfast::file::{MappedName, Policies, Route};
use steadfast::policy::PRESETS;

/// Every policy with all its values, and the names that lead to them (F6).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[non_exhaustive]
pub struct PoliciesView {
    /// Those of the policy file, in its order.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<crate::schemas::Policy>))]
    pub policies: Vec<Arc<Policy>>,
    /// Those that are there without one: the one for all other names, and the ready-made ones,
    /// unless the file says something else.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<crate::schemas::Policy>))]
    pub ready_made: Vec<Arc<Policy>>,
    /// The names that the file maps to policies.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<crate::schemas::MappedName>))]
    pub names: Vec<MappedName>,
}

impl PoliciesView {
    pub(crate) fn of(policies: &Policies) -> Self {
        Self {
            policies: policies.iter().cloned().collect(),
            ready_made: ready_made(policies).cloned().collect(),
            names: policies.mapped().to_vec(),
        }
    }
}

fn ready_made(policies: &Policies) -> impl Iterator<Item = &Arc<Policy>> {
    let names = std::iter::once("default").chain(PRESETS);
    names
        .map(|name| policies.route(name))
        .filter_map(|(policy, route)| matches!(route, Route::Preset).then_some(policy))
}
