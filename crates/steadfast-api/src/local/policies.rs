//! The policies that names lead to, as they are in force.

use std::sync::Arc;

use steadfast::Policy;
use steadfast::file::{Policies, Problems};
use steadfast::registry::Registry;

use super::Local;
use crate::error::{ApiError, ErrorKind};
use crate::policies::{KnownPolicy, found, unknown_policy};

/// The policies that hold now. Those of a registry change, those of a file that was read once
/// do not.
pub trait InForce: Send + Sync + 'static {
    /// All of them, in one version.
    fn policies(&self) -> Arc<Policies>;

    /// What is wrong with the file as it is now, if that is why they are not those of the file.
    fn problems(&self) -> Option<Problems> {
        None
    }
}

impl InForce for Arc<Policies> {
    fn policies(&self) -> Arc<Policies> {
        self.clone()
    }
}

impl InForce for Registry {
    fn policies(&self) -> Arc<Policies> {
        Self::policies(self)
    }

    fn problems(&self) -> Option<Problems> {
        self.health().problems
    }
}

fn asked_for(policies: &Policies, name: &str) -> Result<Arc<Policy>, ApiError> {
    found(policies, name).map_err(|error| error.of_kind(ErrorKind::NotFound))
}

impl Local {
    /// The policy that a name leads to, with where each of its values came from (F3).
    ///
    /// # Errors
    /// There is none of this name.
    pub fn policy(&self, name: &str) -> Result<KnownPolicy, ApiError> {
        let policies = self.known()?;
        asked_for(&policies, name)?;
        Ok(KnownPolicy::of(&policies, name))
    }

    /// The same alone. It is not a part of what was sent, but what was asked for.
    pub(super) fn asked_for(&self, name: &str) -> Result<Arc<Policy>, ApiError> {
        asked_for(&*self.known()?, name)
    }

    /// What is wrong with the policy file as it is now, while older policies hold (F4).
    #[must_use]
    pub fn policy_problems(&self) -> Option<Problems> {
        self.policies.as_ref().and_then(|policies| policies.problems())
    }

    pub(super) fn in_force(&self) -> Option<Arc<Policies>> {
        self.policies.as_ref().map(|policies| policies.policies())
    }

    /// The policies that tasks can have by name, as they are now. They may be others a moment later,
    /// so whoever asks several things of them asks once.
    ///
    /// # Errors
    /// There is no policy file, and the environment says something that is no policy.
    pub fn known(&self) -> Result<Arc<Policies>, ApiError> {
        match self.in_force() {
            Some(policies) => Ok(policies),
            None => Policies::ready_made().map(Arc::new).map_err(|problems| {
                ApiError::new(ErrorKind::Failed, problems.to_string())
                    .next("see the variables of the environment that change policies")
            }),
        }
    }

    /// Whether there can be such a breaker: one that an instance tells of, or of a policy that is
    /// known here. Whoever knows no policies can tell of none that it is wrong.
    pub(super) async fn find_breaker(&self, policy: &str) -> Result<(), ApiError> {
        steadfast_store::name("policy", policy)?;
        let Some(policies) = self.in_force() else { return Ok(()) };
        if policies.by_id(policy).is_some() {
            return Ok(());
        }
        let reports = self.store.breakers().await?;
        let orders = self.store.breaker_orders().await?;
        let is_known = reports.iter().any(|report| report.policy == policy)
            || orders.iter().any(|order| order.policy == policy);
        match is_known {
            true => Ok(()),
            false => Err(unknown_policy(&policies, policy).of_kind(ErrorKind::NotFound)),
        }
    }
}
