//! The checks that all exporters share.
//!
//! A file that means almost the same is worse than none, because its users trust it. An exporter
//! therefore writes a policy exactly, or rejects it with every reason.

use std::time::Duration;

use steadfast::Class;
use steadfast::policy::{Nested, OnOpen, Policy, Timing};

use super::names::excerpt;
use super::report::Unsupported;

/// The reasons against an export, collected policy by policy.
#[derive(Default)]
pub(super) struct Unexportable {
    /// The path of the current policy.
    policy: String,
    found: Vec<Unsupported>,
}

impl Unexportable {
    /// Starts with a policy, and checks the features that no other system has.
    pub(super) fn start(&mut self, policy: &Policy, system: &str) {
        self.policy = format!("policies.{}", excerpt(policy.id().unwrap_or_default()));
        let by_class = Class::ALL.iter().any(|class| policy.timing_on(*class) != policy.timing());
        let waits = policy.max_rate_limit_waits().is_some_and(|waits| waits > 0);
        let checks = [
            (by_class, "on", "delays by class"),
            (policy.durable().is_some(), "durable", "a durable stage"),
            (policy.idempotent() == Some(false), "idempotent", "false"),
            (policy.max_hint().is_some(), "max_hint", "a longest hint"),
            (policy.nested() != Nested::Outer, "nested", "the mode of nested sessions"),
            (waits, "max_rate_limit_waits", "hinted waits that consume no attempt"),
            (policy.on_open() != OnOpen::GiveUp, "on_open", "a wait for an open breaker"),
            (!policy.timing().min_delay().is_zero(), "min_delay", "a shortest delay"),
        ];
        self.add_all(&checks, &format!("not supported by {system}"));
    }

    /// A field of the current policy cannot be expressed.
    pub(super) fn add(&mut self, field: &str, what: impl Into<String>, reason: &str) {
        let dot = if field.is_empty() { "" } else { "." };
        self.found.push(Unsupported::in_policies(
            format!("{}{dot}{field}", self.policy),
            what,
            reason,
        ));
    }

    /// Adds the checks that apply, each with its field and what it is.
    pub(super) fn add_all(&mut self, checks: &[(bool, &str, &str)], reason: &str) {
        for (_, field, what) in checks.iter().filter(|(applies, ..)| *applies) {
            self.add(field, *what, reason);
        }
    }

    /// The text, unless there are reasons against it.
    pub(super) fn into_result(self, text: String) -> Result<String, Vec<Unsupported>> {
        if self.found.is_empty() { Ok(text) } else { Err(self.found) }
    }
}

/// The longest delay of a policy; one without a limit has the longest that there is.
pub(super) fn max_delay(timing: &Timing) -> Duration {
    timing.max_delay().unwrap_or(Duration::from_nanos(u64::MAX))
}

/// Whether a policy makes exactly one attempt.
pub(super) fn makes_one_attempt(policy: &Policy) -> bool {
    !policy.is_enabled() || policy.max_attempts() == 1
}
