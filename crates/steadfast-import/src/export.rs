//! The checks that all exporters share.
//!
//! A file that means almost the same is worse than none, because its users trust it. An exporter
//! therefore writes a policy exactly, or rejects it with every reason.

use std::time::Duration;

use steadfast::Class;
use steadfast::policy::{Nested, Policy, Timing};

use super::report::Unsupported;

/// The reasons against an export, collected.
#[derive(Default)]
pub(super) struct Unexportable(Vec<Unsupported>);

impl Unexportable {
    /// `field` of a policy cannot be expressed.
    pub(super) fn add(
        &mut self,
        policy: &Policy,
        field: &str,
        what: impl Into<String>,
        reason: impl Into<String>,
    ) {
        let id = super::names::excerpt(policy.id().unwrap_or_default());
        let path = if field.is_empty() { id } else { format!("{id}.{field}") };
        self.0.push(Unsupported::in_policies(format!("policies.{path}"), what, reason));
    }

    pub(super) fn add_if(
        &mut self,
        applies: bool,
        policy: &Policy,
        field: &str,
        what: impl Into<String>,
        reason: &str,
    ) {
        if applies {
            self.add(policy, field, what, reason);
        }
    }

    /// The features that no other system has.
    pub(super) fn add_common(&mut self, policy: &Policy, system: &str) {
        let none = format!("not supported by {system}");
        let by_class = Class::ALL.iter().any(|class| policy.timing_on(*class) != policy.timing());
        let nested = policy.nested() != Nested::Outer;
        self.add_if(by_class, policy, "on", "timing by class", &none);
        self.add_if(policy.durable().is_some(), policy, "durable", "a durable stage", &none);
        self.add_if(!policy.is_idempotent(), policy, "idempotent", "false", &none);
        self.add_if(policy.max_hint().is_some(), policy, "max_hint", "a longest hint", &none);
        self.add_if(nested, policy, "nested", "the mode of nested sessions", &none);
        let waits = policy.max_rate_limit_waits() != DEFAULT_MAX_RATE_LIMIT_WAITS;
        self.add_if(waits, policy, "max_rate_limit_waits", "a limit of hinted waits", &none);
    }

    /// The text, unless there are reasons against it.
    pub(super) fn into_result(self, text: String) -> Result<String, Vec<Unsupported>> {
        if self.0.is_empty() { Ok(text) } else { Err(self.0) }
    }
}

const DEFAULT_MAX_RATE_LIMIT_WAITS: u32 = 100;

/// The longest delay of a policy; one without a limit has the longest that there is.
pub(super) fn max_delay(timing: &Timing) -> Duration {
    timing.max_delay().unwrap_or(Duration::from_nanos(u64::MAX))
}

/// Whether a policy makes exactly one attempt.
pub(super) fn makes_one_attempt(policy: &Policy) -> bool {
    !policy.is_enabled() || policy.max_attempts() == 1
}
