//! For `#[retry(policy = "subsystem.operation.case")]`: a policy that is found when the
//! function runs, with what the attribute says over it (I8).

use std::sync::{Arc, Mutex, PoisonError};

use crate::file::Policies;
use crate::policy::{Draft, Policy, Setting};
use crate::registry::Registry;

/// A policy by its name, and what the attribute says besides.
pub struct NamedPolicy {
    name: &'static str,
    /// The fields that are written inline.
    inline: &'static [&'static str],
    /// Whether the function asks for a breaker of its own.
    guarded: bool,
    write: fn(Draft) -> Draft,
    built: Mutex<Option<Built>>,
}

/// The policy, and the version of the file that it was made from.
struct Built {
    version: Option<Arc<Policies>>,
    policy: Arc<Policy>,
}

impl NamedPolicy {
    /// `write` sets the fields that `inline` lists.
    pub const fn new(
        name: &'static str,
        inline: &'static [&'static str],
        guarded: bool,
        write: fn(Draft) -> Draft,
    ) -> Self {
        Self { name, inline, guarded, write, built: Mutex::new(None) }
    }

    /// The policy as of now.
    pub fn policy(&self) -> Arc<Policy> {
        let registry = Registry::installed();
        let version = registry.as_ref().map(Registry::policies);
        let mut built = self.built.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*built
            && is_same(known.version.as_ref(), version.as_ref())
        {
            return Arc::clone(&known.policy);
        }
        let policy = self.build(version.as_deref());
        *built = Some(Built { version, policy: Arc::clone(&policy) });
        policy
    }

    /// A function that runs is not the place to fail because of its policy: what does not fit
    /// together is said in the log, and left out.
    fn build(&self, version: Option<&Policies>) -> Arc<Policy> {
        let Some(policies) = version else {
            warn(self.name, "no registry is installed, so built-in values stand for the policy");
            let built = self.over(Draft::new()).unwrap_or_else(|| Draft::new().constant());
            return Arc::new(built);
        };
        let found = policies.find(self.name);
        if self.inline.is_empty() {
            return Arc::clone(found);
        }
        match self.over(policies.draft(self.name)) {
            Some(policy) => Arc::new(policy),
            None => {
                warn(self.name, "what is written inline does not fit the policy, and is left out");
                Arc::clone(found)
            }
        }
    }

    fn over(&self, mut draft: Draft) -> Option<Policy> {
        if self.guarded {
            own_breaker(&mut draft);
        }
        for field in self.inline {
            draft.give_way(field, &Setting::Null);
        }
        (self.write)(draft).build().ok()
    }
}

/// A breaker that the attribute changes is the function's own: in the form that an attribute
/// can write, and without the name by which it would be shared.
fn own_breaker(draft: &mut Draft) {
    draft.id = None;
    if let Some(rich) = draft.breaker.take() {
        draft.enable_circuit_breaker = Some(true);
        draft.circuit_breaker_threshold = rich.threshold;
        draft.circuit_breaker_timeout = Some(rich.timeout);
    }
}

fn is_same(one: Option<&Arc<Policies>>, other: Option<&Arc<Policies>>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => Arc::ptr_eq(one, other),
        (None, None) => true,
        _ => false,
    }
}

#[cfg(feature = "tracing")]
fn warn(policy: &str, what: &str) {
    tracing::warn!(policy, "{what}");
}

#[cfg(not(feature = "tracing"))]
fn warn(_: &str, _: &str) {}
