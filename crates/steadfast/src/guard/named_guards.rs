//! Which guards there are by name, and when a name is forgotten.
//!
//! Whoever submits a task may write a policy of their own and name it, so the names are not
//! bounded by what is in a file. Guards that a policy or a session somewhere still holds are kept,
//! and so is a breaker that a person isolated. Of the others, 10 000 are: beyond that the ones go
//! that would come back as they were, then those that only counted something, and last the breakers
//! that keep calls away; among their like, those that were asked for longest ago. A guard that comes
//! back after so many others begins anew.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use super::Breaker;
use super::shared::Guards;

/// How many names there may be before some are forgotten.
const MOST: usize = 10_000;

/// The guards of one name.
pub(super) struct Named {
    pub(super) current: Arc<Guards>,
    /// Breakers of other settings that sessions may still hold.
    pub(super) earlier: Vec<Weak<Breaker>>,
    /// When it was asked for last, counted in questions.
    asked: u64,
}

impl Named {
    /// Whether it must be kept. A policy holds the guards, and a session each of them.
    fn is_held(&self) -> bool {
        let Guards { breaker, budget } = &*self.current;
        Arc::strong_count(&self.current) > 1
            || breaker.as_ref().is_some_and(|it| Arc::strong_count(it) > 1 || it.is_isolated())
            || budget.as_ref().is_some_and(|it| Arc::strong_count(it) > 1)
            || self.earlier.iter().any(|breaker| breaker.strong_count() > 0)
    }

    fn loss(&self) -> Loss {
        let Guards { breaker, budget } = &*self.current;
        if breaker.as_ref().is_some_and(|breaker| !breaker.is_closed()) {
            return Loss::Rejections;
        }
        let counts = breaker.as_ref().is_some_and(|breaker| !breaker.is_as_new())
            || budget.as_ref().is_some_and(|budget| !budget.is_as_new());
        if counts { Loss::Counts } else { Loss::Nothing }
    }
}

/// What is lost with guards that are forgotten, the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Loss {
    /// They would come back as they are.
    Nothing,
    /// Failures that were counted, or retries that were spent.
    Counts,
    /// A breaker keeps calls away.
    Rejections,
}

/// The guards of all names.
pub(super) struct Names {
    places: HashMap<String, Named>,
    questions: u64,
    most: usize,
    /// How many names there have to be for some of them to be forgotten: `most`, or more if so many
    /// are held.
    too_many: usize,
}

/// Those of this process.
pub(super) fn named() -> MutexGuard<'static, Names> {
    static NAMED: OnceLock<Mutex<Names>> = OnceLock::new();
    let named = NAMED.get_or_init(|| Mutex::new(Names::up_to(MOST)));
    named.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Names {
    fn up_to(most: usize) -> Self {
        Self { places: HashMap::new(), questions: 0, most, too_many: most }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&String, &Named)> {
        self.places.iter()
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Named> {
        self.questions += 1;
        let place = self.places.get_mut(name)?;
        place.asked = self.questions;
        Some(place)
    }

    pub(super) fn insert(&mut self, name: &str, current: Arc<Guards>) {
        if self.places.len() >= self.too_many {
            self.forget_some();
        }
        let place = Named { current, earlier: Vec::new(), asked: self.questions };
        self.places.insert(name.to_owned(), place);
    }

    /// Forgets a quarter, so that it is seldom done. If too many are held for that, it is done again
    /// when there are a quarter more.
    fn forget_some(&mut self) {
        let quarter = self.places.len().div_ceil(4);
        let idle = self.places.iter().filter(|(_, place)| !place.is_held());
        let mut idle: Vec<_> =
            idle.map(|(name, place)| (place.loss(), place.asked, name.clone())).collect();
        idle.sort_unstable();
        for (_, _, name) in idle.into_iter().take(quarter) {
            self.places.remove(&name);
        }
        self.too_many = self.most.max(self.places.len() + quarter);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::guard::{BreakerSettings, Budget, BudgetSettings};
    use crate::time::Moment;

    const NOW: Moment = Moment::from_nanos(1);

    fn guards() -> Arc<Guards> {
        let settings = BreakerSettings::consecutive(1, Duration::from_secs(60));
        let breaker = Breaker::new(settings).map(Arc::new).unwrap();
        Arc::new(Guards { breaker: Some(breaker), budget: None })
    }

    /// K4: a name for each task, and the guards are a bounded number.
    #[test]
    fn names_that_nobody_holds_are_a_bounded_number() {
        let mut names = Names::up_to(8);
        for number in 0..1_000 {
            names.insert(&number.to_string(), guards());
        }
        assert!(names.places.len() <= 8, "{}", names.places.len());
        assert!(names.get_mut("999").is_some() && names.get_mut("0").is_none());
    }

    /// G4: a policy that is in use keeps its guards, however many names come after it.
    #[test]
    fn what_is_held_is_kept() {
        let mut names = Names::up_to(8);
        let held: Vec<_> = (0..20).map(|_| guards()).collect();
        for (number, guards) in held.iter().enumerate() {
            names.insert(&format!("held {number}"), guards.clone());
        }
        for number in 0..1_000 {
            names.insert(&number.to_string(), guards());
        }
        for (number, guards) in held.iter().enumerate() {
            let kept = names.get_mut(&format!("held {number}")).unwrap();
            assert!(Arc::ptr_eq(&kept.current, guards));
        }
        assert!(names.places.len() < 60, "{}", names.places.len());
    }

    /// G2, G4: a session holds its breaker and its budget, and not the guards of its policy.
    #[test]
    fn what_a_session_holds_is_kept() {
        let mut names = Names::up_to(8);
        let (breaking, spending) = (guards(), spent());
        let held = (breaking.breaker.clone(), spending.budget.clone());
        names.insert("breaking", breaking);
        names.insert("spending", spending);
        fill(&mut names, open);
        assert!(names.get_mut("breaking").is_some() && names.get_mut("spending").is_some());
        drop(held);
        fill(&mut names, open);
        assert!(names.get_mut("breaking").is_none() && names.get_mut("spending").is_none());
    }

    /// So many others that nobody holds.
    fn fill(names: &mut Names, guards: impl Fn() -> Arc<Guards>) {
        for number in 0..1_000 {
            names.insert(&number.to_string(), guards());
        }
    }

    fn open() -> Arc<Guards> {
        let open = guards();
        open.breaker.as_ref().unwrap().open(NOW);
        open
    }

    fn spent() -> Arc<Guards> {
        let budget = Budget::new(BudgetSettings::Rate { retries_per_second: 1.0 }).unwrap();
        assert!(budget.withdraw(NOW));
        Arc::new(Guards { breaker: None, budget: Some(Arc::new(budget)) })
    }

    fn failed_once() -> Arc<Guards> {
        let settings = BreakerSettings::consecutive(2, Duration::from_secs(60));
        let breaker = Breaker::new(settings).unwrap();
        breaker.failure(breaker.acquire(NOW).unwrap(), NOW, None);
        Arc::new(Guards { breaker: Some(Arc::new(breaker)), budget: None })
    }

    /// G3, G4: what would come back as it is goes first, and what keeps calls away last.
    #[test]
    fn what_would_be_missed_is_forgotten_last() {
        let mut names = Names::up_to(8);
        names.insert("open", open());
        names.insert("spent", spent());
        names.insert("failed", failed_once());
        fill(&mut names, guards);
        for name in ["open", "spent", "failed"] {
            assert!(names.get_mut(name).is_some(), "{name}");
        }
        names.get_mut("nobody");
        fill(&mut names, failed_once);
        assert!(names.get_mut("spent").is_none() && names.get_mut("failed").is_none());
        assert_eq!(names.get_mut("open").unwrap().loss(), Loss::Rejections);
    }

    /// G1, G4: what a person isolated stays so, however many breakers open by themselves.
    #[test]
    fn an_isolated_breaker_is_never_forgotten() {
        let mut names = Names::up_to(8);
        let isolated = guards();
        isolated.breaker.as_ref().unwrap().isolate(NOW);
        names.insert("isolated", isolated);
        fill(&mut names, open);
        assert!(names.get_mut("isolated").is_some());
    }

    /// G4: what was asked for lately is kept before what was not.
    #[test]
    fn what_was_asked_for_longest_ago_goes_first() {
        let mut names = Names::up_to(4);
        for name in ["a", "b", "c", "d"] {
            names.get_mut(name);
            names.insert(name, guards());
        }
        names.get_mut("a");
        names.insert("e", guards());
        assert!(names.get_mut("a").is_some() && names.get_mut("b").is_none());
    }
}
