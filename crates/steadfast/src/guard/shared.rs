//! Guards that policies share by name (G4).
//!
//! A policy with a breaker or a budget shares it among all its sessions, and with the policy that
//! replaces it under the same name when a file is reloaded. So the guards of a named policy are
//! looked up by its name and outlive it: a reload may drop the old policy before the new one is
//! used. The guards of a policy without a name belong to it and its clones.

use std::sync::{Arc, OnceLock, Weak};

use super::named_guards::{Entry, named_guards};
use super::session::{BreakerGuard, BudgetGuard, PolicyGuards};
use super::{Breaker, Budget};
use crate::policy::Policy;

/// The guards of one policy, resolved at their first use. Empty for a policy without guards, so that
/// such a policy can be a constant.
#[derive(Clone, Debug, Default)]
pub(crate) struct GuardCell(Option<Arc<OnceLock<Arc<Guards>>>>);

/// An optional breaker and an optional budget, shared by sessions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Guards {
    pub(crate) breaker: Option<Arc<Breaker>>,
    pub(crate) budget: Option<Arc<Budget>>,
}

/// Two policies are equal whatever the state of their guards.
impl PartialEq for GuardCell {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl GuardCell {
    pub(crate) const NONE: Self = Self(None);

    /// Guards that are resolved at their first use.
    pub(crate) fn unresolved() -> Self {
        Self(Some(Arc::default()))
    }
}

/// The guards of a policy, for a session that [`retry`](fn@crate::retry) does not drive, such as a
/// worker's attempt at a task. They are shared with all other sessions under the policy's name. The
/// guards of a policy without a breaker or a budget permit everything.
///
/// Call them before and after each attempt, as [`Instrument`](crate::drive::Instrument) describes;
/// an attempt that is dropped before it ends releases its permit.
///
/// ```
/// use std::time::Duration;
/// use steadfast::drive::{Environment, Instrument, Real};
/// use steadfast::{Class, Policy, guard};
///
/// let policy = Policy::immediate()
///     .id("billing")
///     .enable_circuit_breaker(true)
///     .circuit_breaker_threshold(1)
///     .circuit_breaker_timeout(Duration::from_secs(60))
///     .build()?;
///
/// let mut first = guard::for_policy(&policy);
/// first.before_attempt(|| Real.now())?;
/// first.after_failure(Class::Retryable, Real.now());
///
/// let rejection = guard::for_policy(&policy).before_attempt(|| Real.now()).unwrap_err();
/// assert!(rejection.retry_after.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn for_policy(policy: &Policy) -> PolicyGuards {
    policy.guards()
}

/// A breaker that the sessions of this process share by the name of their policy.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NamedBreaker {
    /// The policy's name.
    pub name: String,
    current: Arc<Breaker>,
    earlier: Vec<Arc<Breaker>>,
}

impl NamedBreaker {
    /// The breaker of the current version of the policy.
    #[must_use]
    pub fn current(&self) -> &Breaker {
        &self.current
    }

    /// The current breaker, and those of earlier versions of the policy that are still in use.
    pub fn each(&self) -> impl Iterator<Item = &Breaker> {
        std::iter::once(&self.current).chain(&self.earlier).map(Arc::as_ref)
    }
}

/// All breakers of named policies in this process, ordered by name.
///
/// A policy's breaker is created when its first session starts, so unused breakers are not listed;
/// nor are breakers of policies without a name.
///
/// ```
/// use steadfast::drive::{Environment, Instrument, Real};
/// use steadfast::{Policy, guard};
///
/// let policy = Policy::immediate().id("mail").enable_circuit_breaker(true).build()?;
/// guard::for_policy(&policy).before_attempt(|| Real.now())?;
///
/// let breakers: Vec<guard::NamedBreaker> = guard::breakers();
/// assert_eq!(breakers[0].name, "mail");
/// for breaker in breakers[0].each() {
///     breaker.isolate(Real.now());
/// }
/// assert!(guard::for_policy(&policy).before_attempt(|| Real.now()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn breakers() -> Vec<NamedBreaker> {
    by_name(|name, entry| {
        let current = entry.current.breaker.clone()?;
        let earlier = entry.earlier.iter().filter_map(Weak::upgrade).collect();
        Some(NamedBreaker { name, current, earlier })
    })
}

/// What `select` finds in the guards of each name, ordered by name.
fn by_name<T>(select: impl Fn(String, &Entry) -> Option<T>) -> Vec<T> {
    let guards = named_guards();
    let mut entries: Vec<_> = guards.iter().collect();
    entries.sort_unstable_by_key(|(name, _)| *name);
    entries.into_iter().filter_map(|(name, entry)| select(name.clone(), entry)).collect()
}

/// A budget that the sessions of this process share by the name of their policy.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NamedBudget {
    /// The policy's name.
    pub name: String,
    /// The budget of the current version of the policy.
    pub budget: Arc<Budget>,
}

/// All budgets of named policies in this process, ordered by name. As with [`breakers`], unused
/// budgets are not listed.
///
/// ```
/// use steadfast::drive::{Environment, Instrument, Real};
/// use steadfast::guard::{self, BudgetSettings, NamedBudget};
/// use steadfast::Policy;
///
/// let rate = BudgetSettings::Rate { retries_per_second: 10.0 };
/// let policy = Policy::immediate().id("news").budget(rate).build()?;
/// guard::for_policy(&policy).before_attempt(|| Real.now())?;
///
/// let budgets: Vec<NamedBudget> = guard::budgets();
/// assert_eq!(budgets[0].name, "news");
/// assert!(budgets[0].budget.balance(Real.now()) > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn budgets() -> Vec<NamedBudget> {
    by_name(|name, entry| Some(NamedBudget { name, budget: entry.current.budget.clone()? }))
}

impl Policy {
    /// This policy's guards, for one session.
    pub(crate) fn guards(&self) -> PolicyGuards {
        let Some(cell) = &self.guards.0 else {
            return (None, None);
        };
        let guards = cell.get_or_init(|| match self.id() {
            Some(id) => Guards::named(id, self),
            None => Arc::new(Guards::new(self)),
        });
        guards.in_session()
    }
}

impl Guards {
    /// The guards for one session.
    pub(crate) fn in_session(&self) -> PolicyGuards {
        (self.breaker.clone().map(BreakerGuard::new), self.budget.clone().map(BudgetGuard))
    }

    /// The settings were validated when the policy was built, so construction cannot fail.
    fn new(policy: &Policy) -> Self {
        Self {
            breaker: policy.breaker.and_then(|settings| Breaker::new(settings).ok()).map(Arc::new),
            budget: policy.budget.and_then(|settings| Budget::new(settings).ok()).map(Arc::new),
        }
    }

    fn named(id: &str, policy: &Policy) -> Arc<Self> {
        let mut named = named_guards();
        let Some(entry) = named.get_mut(id) else {
            let current = Arc::new(Self::new(policy));
            named.insert(id, current.clone());
            return current;
        };
        if !entry.current.has_settings_of(policy) {
            let adapted = Arc::new(entry.current.adapted(policy));
            let earlier = std::mem::replace(&mut entry.current, adapted);
            entry.earlier.retain(|breaker| breaker.strong_count() > 0);
            entry.earlier.extend(earlier.breaker.as_ref().map(Arc::downgrade));
        }
        entry.current.clone()
    }

    fn has_settings_of(&self, policy: &Policy) -> bool {
        self.breaker.as_ref().map(|breaker| breaker.settings()) == policy.breaker.as_ref()
            && self.budget.as_ref().map(|budget| budget.settings()) == policy.budget.as_ref()
    }

    /// The guards for changed settings. A breaker keeps its state, so that a change during an outage
    /// does not close it; a changed budget starts with new state.
    fn adapted(&self, policy: &Policy) -> Self {
        let new = Self::new(policy);
        let kept_breaker = match (&self.breaker, policy.breaker) {
            (Some(old), Some(settings)) => old.with_settings(settings).ok().map(Arc::new),
            _ => None,
        };
        let same_budget =
            self.budget.as_ref().filter(|old| Some(old.settings()) == policy.budget.as_ref());
        Self { breaker: kept_breaker.or(new.breaker), budget: same_budget.cloned().or(new.budget) }
    }
}
