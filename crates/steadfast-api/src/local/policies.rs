//! The active policies, and lookup by name.

use std::sync::Arc;

use steadfast::Policy;
use steadfast::file::{Policies, Problems};
use steadfast::registry::Registry;

use super::Local;
use crate::error::{ApiError, ErrorKind};
use crate::policies::{PolicyDetails, find_policy, unknown_policy};

/// A source of policies: a registry, which reloads them, or a policy file that was read once.
pub trait PolicySource: Send + Sync + 'static {
    /// The current policies.
    fn policies(&self) -> Arc<Policies>;

    /// The problems of the policy file, if older policies are active because of them.
    fn problems(&self) -> Option<Problems> {
        None
    }
}

impl PolicySource for Arc<Policies> {
    fn policies(&self) -> Arc<Policies> {
        self.clone()
    }
}

impl PolicySource for Registry {
    fn policies(&self) -> Arc<Policies> {
        Self::policies(self)
    }

    fn problems(&self) -> Option<Problems> {
        self.health().problems
    }
}

fn find(policies: &Policies, name: &str) -> Result<Arc<Policy>, ApiError> {
    find_policy(policies, name).map_err(|error| error.of_kind(ErrorKind::NotFound))
}

impl Local {
    /// The policy with this name, and the source of each of its fields (F3).
    ///
    /// # Errors
    /// No policy has this name.
    pub fn policy(&self, name: &str) -> Result<PolicyDetails, ApiError> {
        let policies = self.active_policies()?;
        find(&policies, name)?;
        Ok(PolicyDetails::of(&policies, name))
    }

    /// The policy with this name. An unknown name is `not found`, not an invalid field.
    pub(super) fn find_policy(&self, name: &str) -> Result<Arc<Policy>, ApiError> {
        find(&*self.active_policies()?, name)
    }

    /// The problems of the policy file, while older policies are active (F4).
    #[must_use]
    pub fn policy_problems(&self) -> Option<Problems> {
        self.policies.as_ref().and_then(|policies| policies.problems())
    }

    pub(super) fn configured_policies(&self) -> Option<Arc<Policies>> {
        self.policies.as_ref().map(|policies| policies.policies())
    }

    /// The policies that tasks can refer to by name. They may be reloaded at any time, so a caller
    /// that needs a consistent view gets them once.
    ///
    /// # Errors
    /// There is no policy file, and an environment variable is not a valid policy setting.
    pub fn active_policies(&self) -> Result<Arc<Policies>, ApiError> {
        match self.configured_policies() {
            Some(policies) => Ok(policies),
            None => Policies::presets().map(Arc::new).map_err(|problems| {
                ApiError::new(ErrorKind::Failed, problems.to_string())
                    .next("check the environment variables that change policies")
            }),
        }
    }

    /// Checks that a breaker can exist: its policy is active here, or an instance has reported it.
    /// Without configured policies every name is accepted.
    pub(super) async fn find_breaker(&self, policy: &str) -> Result<(), ApiError> {
        steadfast_store::name("policy", policy)?;
        let Some(policies) = self.configured_policies() else { return Ok(()) };
        if policies.by_id(policy).is_some() {
            return Ok(());
        }
        let reports = self.store.breakers().await?;
        let overrides = self.store.breaker_overrides().await?;
        let exists = reports.iter().any(|report| report.policy == policy)
            || overrides.iter().any(|last| last.policy == policy);
        match exists {
            true => Ok(()),
            false => Err(unknown_policy(&policies, policy).of_kind(ErrorKind::NotFound)),
        }
    }
}
