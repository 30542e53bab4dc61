//! What a list says of a policy, for machines, too.

use serde::Serialize;
use steadfast::Policy;
use steadfast_api::PolicySummary;

use crate::output::seconds::Seconds;

/// What a list says of a policy.
#[derive(Debug, Serialize)]
pub(super) struct Summary {
    pub(super) id: String,
    pub(super) name: String,
    /// Whether it is there without being written.
    pub(super) ready_made: bool,
    pub(super) enabled: bool,
    pub(super) max_attempts: u32,
    /// How many of them there are.
    #[serde(skip)]
    pub(super) attempts: u32,
    pub(super) backoff: String,
    pub(super) first_delay: Seconds,
    pub(super) longest_delay: Seconds,
    /// The longest that all waits together can take, jitter included.
    pub(super) total_delay: Seconds,
    /// Whether they take longer, with more attempts than were added up.
    #[serde(skip)]
    pub(super) and_more: bool,
}

impl Summary {
    pub(super) fn of(policy: &Policy, ready_made: bool) -> Self {
        let summary = PolicySummary::of(policy);
        Self {
            id: policy.id().unwrap_or_default().to_owned(),
            name: policy.name().unwrap_or_default().to_owned(),
            ready_made,
            enabled: policy.is_enabled(),
            max_attempts: policy.max_attempts(),
            attempts: summary.attempts,
            backoff: summary.backoff,
            first_delay: Seconds(summary.first_delay),
            longest_delay: Seconds(summary.longest_delay),
            total_delay: Seconds(summary.total_delay),
            and_more: summary.and_more,
        }
    }
}
