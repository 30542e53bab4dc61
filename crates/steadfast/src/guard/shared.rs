//! Guards that policies share by name (G4).
//!
//! A policy that asks for a breaker or a budget means one for all its sessions,
//! wherever they run, and for the policy that replaces it under the same name
//! when a file is reloaded. So the guards of a named policy are found by its
//! name, and kept for as long as the process lives: a reload may drop the old
//! policy before the new one is used. Those of a policy without a name belong to
//! it and its clones.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::session::{Guarded, PolicyGuards, Spending};
use super::{Breaker, Budget};
use crate::drive::Instrument;
use crate::policy::Policy;

/// The guards of one policy, found at their first use. A policy that asks for none has no
/// place for them, so that one written as a constant is constant through and through.
#[derive(Clone, Debug, Default)]
pub(crate) struct GuardCell(Option<Arc<OnceLock<Arc<Guards>>>>);

#[derive(Debug)]
struct Guards {
    breaker: Option<Arc<Breaker>>,
    budget: Option<Arc<Budget>>,
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
/// Ask before the attempt and tell how it ended, as [`Instrument`] says; an attempt that is
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
pub fn of(policy: &Policy) -> impl Instrument + fmt::Debug + Send + use<> {
    policy.guards()
}

/// Every breaker that a policy of this process asked for by its name, in the order of the names.
///
/// A policy's breaker is made when its first session begins, so one that was never used is not
/// among them; nor is one of a policy without a name, which is nobody's business but its own.
///
/// ```
/// use std::time::Duration;
/// use steadfast::drive::{Environment, Instrument, Real};
/// use steadfast::guard::{self, breaker::BreakerState};
/// use steadfast::{Class, Policy};
///
/// let policy = Policy::immediate().id("mail").enable_circuit_breaker(true).build()?;
/// guard::of(&policy).before_attempt(|| Real.now())?;
///
/// let (name, breaker) = &guard::breakers()[0];
/// assert_eq!(name, "mail");
/// breaker.isolate(Real.now());
/// assert!(guard::of(&policy).before_attempt(|| Real.now()).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn breakers() -> Vec<(String, Arc<Breaker>)> {
    let named = named();
    let breaker =
        |(name, guards): (&String, &Arc<Guards>)| Some((name.clone(), guards.breaker.clone()?));
    let mut breakers: Vec<_> = named.iter().filter_map(breaker).collect();
    drop(named);
    breakers.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    breakers
}

type Named = HashMap<String, Arc<Guards>>;

fn named() -> MutexGuard<'static, Named> {
    static NAMED: OnceLock<Mutex<Named>> = OnceLock::new();
    NAMED.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner)
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
        (guards.breaker.clone().map(Guarded::new), guards.budget.clone().map(Spending))
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
        let guards = match named.get(id) {
            Some(known) if known.fits(policy) => return known.clone(),
            Some(known) => Arc::new(known.adapted(policy)),
            None => Arc::new(Self::new(policy)),
        };
        named.insert(id.to_owned(), guards.clone());
        guards
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
