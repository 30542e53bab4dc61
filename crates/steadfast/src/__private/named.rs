//! Support for `#[retry(policy = "subsystem.operation.case")]`: a policy that is looked up when the
//! function runs, with the inline settings applied (I8).

use std::sync::{Arc, Mutex};

use crate::file::Policies;
use crate::policy::{Draft, Policy, Setting};
use crate::registry::Registry;
use crate::sync::lock;

/// The name of a policy and the inline settings of the attribute.
pub struct NamedPolicy {
    name: &'static str,
    /// The names of the inline fields.
    inline: &'static [&'static str],
    /// Whether the function has its own breaker.
    guarded: bool,
    apply: fn(Draft) -> Draft,
    cache: Mutex<Option<CachedPolicy>>,
}

/// The policy, and the version of the policy file that it was built from.
struct CachedPolicy {
    version: Option<Arc<Policies>>,
    policy: Arc<Policy>,
}

impl NamedPolicy {
    /// `apply` sets the fields that `inline` lists.
    pub const fn new(
        name: &'static str,
        inline: &'static [&'static str],
        guarded: bool,
        apply: fn(Draft) -> Draft,
    ) -> Self {
        Self { name, inline, guarded, apply, cache: Mutex::new(None) }
    }

    /// The current policy.
    pub fn policy(&self) -> Arc<Policy> {
        let registry = Registry::installed();
        let version = registry.as_ref().map(Registry::policies);
        let mut cache = lock(&self.cache);
        if let Some(cached) = &*cache
            && is_same(cached.version.as_ref(), version.as_ref())
        {
            return Arc::clone(&cached.policy);
        }
        let policy = self.build(version.as_deref());
        *cache = Some(CachedPolicy { version, policy: Arc::clone(&policy) });
        policy
    }

    /// A running function must not fail because of its policy: invalid combinations are logged and
    /// ignored.
    fn build(&self, version: Option<&Policies>) -> Arc<Policy> {
        let Some(policies) = version else {
            warn(self.name, "no policy registry is installed; using built-in defaults");
            let built = self
                .apply_inline(Draft::new().allow_ineffective())
                .unwrap_or_else(|| Draft::new().constant());
            return Arc::new(built);
        };
        let found = policies.find(self.name);
        if self.inline.is_empty() {
            return Arc::clone(found);
        }
        match self.apply_inline(policies.draft(self.name)) {
            Some(policy) => Arc::new(policy),
            None => {
                warn(self.name, "inline settings are invalid with this policy; ignoring them");
                Arc::clone(found)
            }
        }
    }

    fn apply_inline(&self, mut draft: Draft) -> Option<Policy> {
        if self.guarded {
            use_own_breaker(&mut draft);
        }
        for field in self.inline {
            draft.clear_alternatives(field, &Setting::Null);
        }
        (self.apply)(draft).build().ok()
    }
}

/// Gives the function its own breaker, because the attribute changes its settings: in the simple form
/// that an attribute can set, and without the id under which it would be shared.
fn use_own_breaker(draft: &mut Draft) {
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
fn warn(policy: &str, message: &str) {
    tracing::warn!(policy, "{message}");
}

#[cfg(not(feature = "tracing"))]
fn warn(_: &str, _: &str) {}
