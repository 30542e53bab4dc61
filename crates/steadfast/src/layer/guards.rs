//! The guards that all sessions of a layer share.

use std::sync::Arc;

use crate::guard::{Breaker, BreakerGuard, Budget, BudgetGuard, PolicyGuards};

/// An optional breaker and an optional budget.
#[derive(Clone, Debug, Default)]
pub(super) struct SharedGuards {
    pub(super) breaker: Option<Arc<Breaker>>,
    pub(super) budget: Option<Arc<Budget>>,
}

impl SharedGuards {
    /// The guards for one session.
    pub(super) fn in_session(&self) -> PolicyGuards {
        (self.breaker.clone().map(BreakerGuard::new), self.budget.clone().map(BudgetGuard))
    }
}
