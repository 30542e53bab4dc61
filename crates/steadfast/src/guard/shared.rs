//! Guards that policies share by name (G4).
//!
//! A policy that asks for a breaker or a budget means one for all its sessions,
//! wherever they run, and for the policy that replaces it under the same name
//! when a file is reloaded. So the guards of a named policy are found by its
//! name, and outlive it: a reload may drop the old policy before the new one is
//! used. Those of a policy without a name belong to it and its clones.

use std::sync::{Arc, OnceLock, Weak};

use super::named_guards::{Named, named};
use super::session::{BreakerGuard, BudgetGuard, PolicyGuards};
use super::{Breaker, Budget};
use crate::policy::Policy;

/// The guards of one policy, found at their first use. A policy that asks for none has no
/// place for them, so that one written as a constant is constant through and through.
#[derive(Clone, Debug, Default)]
pub(crate) struct GuardCell(Option<Arc<OnceLock<Arc<Guards>>>>);

#[derive(Debug)]
pub(super) struct Guards {
    pub(super) breaker: Option<Arc<Breaker>>,
    pub(super) budget: Option<Arc<Budget>>,
}

/// What a policy does not depend on the state of its guards.
impl PartialEq for GuardCell {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl GuardCell {
    /// No guards.
    pub(crate) const NONE: Self = Self(None);

    /// Guards, to be found at their first use.
    pub(crate) fn unfound() -> Self {
        Self(Some(Arc::default()))
    }
}

/// The guards that a policy asks for, for one session that [`retry`](fn@crate::retry) does not
/// drive: a worker's attempt at a task, say. They are those of every other session under the
/// policy's name. A policy that asks for none has some that let everything pass.
///
/// Ask before the attempt and tell how it ended, as
/// [`Instrument`](crate::drive::Instrument) says; an attempt that is
/// dropped before its end gives its permit back.
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
/// let mut first = guard::of(&policy);
/// first.before_attempt(|| Real.now())?;
/// first.after_failure(Class::Retryable, Real.now());
///
/// let rejection = guard::of(&policy).before_attempt(|| Real.now()).unwrap_err();
/// assert!(rejection.retry_after.is_some());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn of(policy: &Policy) -> PolicyGuards {
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
    /// The one of the policy as it is now.
    #[must_use]
    pub fn current(&self) -> &Breaker {
        &self.current
    }

    /// The same, and those of earlier versions of the policy that something still runs under.
    pub fn each(&self) -> impl Iterator<Item = &Breaker> {
        std::iter::once(&self.current).chain(&self.earlier).map(Arc::as_ref)
    }
}

/// Every breaker that a policy of this process asked for by its name, in the order of the names.
///
/// A policy's breaker is made when its first session begins, so one that was never used is not
/// among them; nor is one of a policy without a name, which is nobody's business but its own.
///
/// ```
/// use steadfast::drive::{Environment, Instrument, Real};
/// use steadfast::{Policy, guard};
///
/// let policy = Policy::immediate().id("mail").enable_circuit_breaker(true).build()?;
/// guard::of(&policy).before_attempt(|| Real.now())?;
///
/// let breakers: Vec<guard::NamedBreaker> = guard::breakers();
/// assert_eq!(breakers[0].name, "mail");
/// for breaker in breakers[0].each() {
///     breaker.isolate(Real.now());
/// }
/// assert!(guard::of(&policy).before_attempt(|| Real.now()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn breakers() -> Vec<NamedBreaker> {
    let named = named();
    let breaker = |(name, place): (&String, &Named)| {
        let current = place.current.breaker.clone()?;
        let earlier = place.earlier.iter().filter_map(Weak::upgrade).collect();
        Some(NamedBreaker { name: name.clone(), current, earlier })
    };
    let mut breakers: Vec<_> = named.iter().filter_map(breaker).collect();
    drop(named);
    breakers.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    breakers
}

/// A budget that the sessions of this process share by the name of their policy.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NamedBudget {
    /// The policy's name.
    pub name: String,
    /// The budget of the policy as it is now.
    pub budget: Arc<Budget>,
}

/// Every budget that a policy of this process asked for by its name, in the order of the names;
/// of those that were used, as for [`breakers`].
///
/// ```
/// use steadfast::drive::{Environment, Instrument, Real};
/// use steadfast::guard::{self, BudgetSettings, NamedBudget};
/// use steadfast::Policy;
///
/// let rate = BudgetSettings::Rate { retries_per_second: 10.0 };
/// let policy = Policy::immediate().id("news").budget(rate).build()?;
/// guard::of(&policy).before_attempt(|| Real.now())?;
///
/// let budgets: Vec<NamedBudget> = guard::budgets();
/// assert_eq!(budgets[0].name, "news");
/// assert!(budgets[0].budget.balance(Real.now()) > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn budgets() -> Vec<NamedBudget> {
    let named = named();
    let budget = |(name, place): (&String, &Named)| {
        Some(NamedBudget { name: name.clone(), budget: place.current.budget.clone()? })
    };
    let mut budgets: Vec<_> = named.iter().filter_map(budget).collect();
    drop(named);
    budgets.sort_unstable_by(|one, other| one.name.cmp(&other.name));
    budgets
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
        (guards.breaker.clone().map(BreakerGuard::new), guards.budget.clone().map(BudgetGuard))
    }
}

impl Guards {
    /// The settings were checked when the policy was built, so each can be made.
    fn new(policy: &Policy) -> Self {
        Self {
            breaker: policy.breaker.and_then(|settings| Breaker::new(settings).ok()).map(Arc::new),
            budget: policy.budget.and_then(|settings| Budget::new(settings).ok()).map(Arc::new),
        }
    }

    /// The guards under this name.
    fn named(id: &str, policy: &Policy) -> Arc<Self> {
        let mut named = named();
        let Some(place) = named.get_mut(id) else {
            let current = Arc::new(Self::new(policy));
            named.insert(id, current.clone());
            return current;
        };
        if !place.current.fits(policy) {
            let adapted = Arc::new(place.current.adapted(policy));
            let earlier = std::mem::replace(&mut place.current, adapted);
            place.earlier.retain(|breaker| breaker.strong_count() > 0);
            place.earlier.extend(earlier.breaker.as_ref().map(Arc::downgrade));
        }
        place.current.clone()
    }

    fn fits(&self, policy: &Policy) -> bool {
        self.breaker.as_ref().map(|breaker| breaker.settings()) == policy.breaker.as_ref()
            && self.budget.as_ref().map(|budget| budget.settings()) == policy.budget.as_ref()
    }

    /// The guards for changed settings. A breaker keeps its state, so that a change in the
    /// middle of an outage does not close it; a budget that changed begins anew.
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
