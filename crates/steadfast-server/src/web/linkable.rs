//! Which policies can be looked at.
//!
//! What is recorded outlives the policies that it names: a file is changed, another program has
//! another file, and a policy that was given in code was never in one. Only those that are in
//! force have a page, so only they are linked to.

use std::collections::HashSet;

use maud::{Markup, html};
use steadfast_api::{Api, ApiError, Local};

use super::link;

/// The ids of the policies in force.
#[derive(Debug, Default)]
pub(super) struct LinkablePolicies(HashSet<String>);

impl LinkablePolicies {
    /// As of now.
    pub(super) async fn now(api: &Local) -> Result<Self, ApiError> {
        let known = api.policies().await?;
        let all = known.policies.iter().chain(&known.ready_made);
        Ok(Self(all.filter_map(|policy| policy.id()).map(str::to_owned).collect()))
    }

    /// Where a policy is, if it has a page.
    pub(super) fn address(&self, id: &str) -> Option<String> {
        self.0.contains(id).then(|| link::to("/policies", id))
    }

    /// The name of a policy, and the way to it.
    pub(super) fn named(&self, id: &str) -> Markup {
        html! {
            @match self.address(id) {
                Some(address) => a href=(address) { (id) },
                None => span class="muted" { (id) },
            }
        }
    }
}
