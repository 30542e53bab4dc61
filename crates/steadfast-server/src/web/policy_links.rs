//! Links to the pages of policies.
//!
//! Recorded policy names outlive the policies: a file changes, another program has another file, and
//! a policy defined in code is in no file. Only active policies have a page, so only those are
//! linked.

use std::collections::HashSet;

use maud::{Markup, html};
use steadfast_api::{Api, ApiError, Local};

use super::link;

#[derive(Debug, Default)]
pub(super) struct PolicyLinks(HashSet<String>);

impl PolicyLinks {
    pub(super) async fn load(api: &Local) -> Result<Self, ApiError> {
        let known = api.policies().await?;
        let all = known.policies.iter().chain(&known.presets);
        Ok(Self(all.filter_map(|policy| policy.id()).map(str::to_owned).collect()))
    }

    pub(super) fn url(&self, id: &str) -> Option<String> {
        self.0.contains(id).then(|| link::to("/policies", id))
    }

    /// The name of a policy, linked if it has a page.
    pub(super) fn link(&self, id: &str) -> Markup {
        html! {
            @match self.url(id) {
                Some(url) => a href=(url) { (id) },
                None => span class="muted" { (id) },
            }
        }
    }
}
