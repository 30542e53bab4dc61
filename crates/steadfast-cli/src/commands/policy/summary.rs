//! The summary of a policy in lists.

use serde::Serialize;
use steadfast::Policy;
use steadfast_api::PolicySummary;

use crate::output::seconds::Seconds;

#[derive(Debug, Serialize)]
pub(super) struct Summary {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) is_preset: bool,
    pub(super) enabled: bool,
    pub(super) max_attempts: u32,
    /// The number of attempts made.
    #[serde(skip)]
    pub(super) attempts: u32,
    pub(super) backoff: String,
    pub(super) first_delay: Seconds,
    pub(super) longest_delay: Seconds,
    /// The longest possible sum of all delays, including jitter.
    pub(super) total_delay: Seconds,
    /// Whether the total covers only the first attempts.
    #[serde(skip)]
    pub(super) and_more: bool,
}

impl Summary {
    pub(super) fn of(policy: &Policy, is_preset: bool) -> Self {
        let summary = PolicySummary::of(policy);
        Self {
            id: policy.id().unwrap_or_default().to_owned(),
            name: policy.name().unwrap_or_default().to_owned(),
            is_preset,
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
