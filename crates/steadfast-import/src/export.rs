//! What no other system can say, and the collecting of reasons.
//!
//! A file that says almost the same is worse than none: whoever exports believes it. So
//! a policy is written exactly, or refused with everything that stands against it.

use super::imported::Lost;
use steadfast::Class;
use steadfast::policy::{Nested, Policy};

/// The reasons so far.
#[derive(Default)]
pub(super) struct Refusals(Vec<Lost>);

impl Refusals {
    /// `field` of a policy cannot be said.
    pub(super) fn add(
        &mut self,
        policy: &Policy,
        field: &str,
        what: impl Into<String>,
        why: impl Into<String>,
    ) {
        let id = super::names::shown(policy.id().unwrap_or_default());
        let path = if field.is_empty() { id } else { format!("{id}.{field}") };
        self.0.push(Lost::of_policies(format!("policies.{path}"), what, why));
    }

    pub(super) fn add_if(
        &mut self,
        holds: bool,
        policy: &Policy,
        field: &str,
        what: impl Into<String>,
        why: &str,
    ) {
        if holds {
            self.add(policy, field, what, why);
        }
    }

    /// What none of the other systems knows.
    pub(super) fn add_common(&mut self, policy: &Policy, system: &str) {
        let none = format!("{system} knows nothing like it");
        let timings = Class::ALL.iter().any(|class| policy.timing_on(*class) != policy.timing());
        let nested = policy.nested() != Nested::Outer;
        self.add_if(timings, policy, "on", "timing by class", &none);
        self.add_if(policy.durable().is_some(), policy, "durable", "a stage in a store", &none);
        self.add_if(!policy.is_idempotent(), policy, "idempotent", "false", &none);
        self.add_if(policy.max_hint().is_some(), policy, "max_hint", "a longest hint", &none);
        self.add_if(nested, policy, "nested", "who retries of two sessions", &none);
        let waits = policy.max_rate_limit_waits() != DEFAULT_WAITS;
        self.add_if(waits, policy, "max_rate_limit_waits", "a number of hinted waits", &none);
    }

    /// The text, unless there are reasons against it.
    pub(super) fn or(self, text: String) -> Result<String, Vec<Lost>> {
        if self.0.is_empty() { Ok(text) } else { Err(self.0) }
    }
}

const DEFAULT_WAITS: u32 = 100;

/// Whether a policy makes one attempt, and no more.
pub(super) fn makes_one_attempt(policy: &Policy) -> bool {
    !policy.is_enabled() || policy.max_attempts() == 1
}

/// The longest delay of a policy; one without a limit has the longest that there is.
pub(super) fn max_delay(timing: &steadfast::policy::Timing) -> std::time::Duration {
    timing.max_delay().unwrap_or(std::time::Duration::from_nanos(u64::MAX))
}
