//! The process-wide table of guards by policy name, with eviction.
//!
//! A task can be submitted with an inline policy of any name, so the policy file does not bound the
//! number of names. Guards that a policy or a session holds stay, and so do isolated breakers. Of
//! the others, the table holds up to 10 000; beyond that it evicts guards without state first, then
//! guards that only counted something, then breakers that reject calls, and within each group the
//! least recently used. An evicted guard starts with new state when it is used again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, Weak};

use super::Breaker;
use super::shared::Guards;
use crate::sync::lock;

/// How many names the table holds before it evicts some.
const MAX_NAMES: usize = 10_000;

pub(super) struct Entry {
    pub(super) current: Arc<Guards>,
    /// Breakers of other settings that sessions may still hold.
    pub(super) earlier: Vec<Weak<Breaker>>,
    /// The value of the lookup counter at the last use.
    last_used: u64,
}

impl Entry {
    /// Whether it must not be evicted. A policy holds the guards, and a session each of them.
    fn is_held(&self) -> bool {
        let Guards { breaker, budget } = &*self.current;
        Arc::strong_count(&self.current) > 1
            || breaker.as_ref().is_some_and(|it| Arc::strong_count(it) > 1 || it.is_isolated())
            || budget.as_ref().is_some_and(|it| Arc::strong_count(it) > 1)
            || self.earlier.iter().any(|breaker| breaker.strong_count() > 0)
    }

    fn eviction_cost(&self) -> EvictionCost {
        let Guards { breaker, budget } = &*self.current;
        if breaker.as_ref().is_some_and(|breaker| !breaker.is_closed()) {
            return EvictionCost::Rejections;
        }
        let counts = breaker.as_ref().is_some_and(|breaker| !breaker.is_pristine())
            || budget.as_ref().is_some_and(|budget| !budget.is_pristine());
        if counts { EvictionCost::Counts } else { EvictionCost::Nothing }
    }
}

/// What is lost when guards are evicted, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum EvictionCost {
    /// They have no state.
    Nothing,
    /// Counted failures, or withdrawn retries.
    Counts,
    /// An open breaker.
    Rejections,
}

pub(super) struct NamedGuards {
    entries: HashMap<String, Entry>,
    lookups: u64,
    max_names: usize,
    /// The number of names at which the next eviction runs: `max_names`, or more if more are held.
    evict_at: usize,
}

pub(super) fn named_guards() -> MutexGuard<'static, NamedGuards> {
    static NAMED: OnceLock<Mutex<NamedGuards>> = OnceLock::new();
    lock(NAMED.get_or_init(|| Mutex::new(NamedGuards::new(MAX_NAMES))))
}

impl NamedGuards {
    fn new(max_names: usize) -> Self {
        Self { entries: HashMap::new(), lookups: 0, max_names, evict_at: max_names }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&String, &Entry)> {
        self.entries.iter()
    }

    pub(super) fn get_mut(&mut self, name: &str) -> Option<&mut Entry> {
        self.lookups += 1;
        let entry = self.entries.get_mut(name)?;
        entry.last_used = self.lookups;
        Some(entry)
    }

    pub(super) fn insert(&mut self, name: &str, current: Arc<Guards>) {
        if self.entries.len() >= self.evict_at {
            self.evict();
        }
        let entry = Entry { current, earlier: Vec::new(), last_used: self.lookups };
        self.entries.insert(name.to_owned(), entry);
    }

    /// Evicts a quarter of the names, so that evictions are rare. If too many are held, the next
    /// eviction runs when there are a quarter more.
    fn evict(&mut self) {
        let quarter = self.entries.len().div_ceil(4);
        let idle = self.entries.iter().filter(|(_, entry)| !entry.is_held());
        let mut idle: Vec<_> = idle
            .map(|(name, entry)| (entry.eviction_cost(), entry.last_used, name.clone()))
            .collect();
        idle.sort_unstable();
        for (_, _, name) in idle.into_iter().take(quarter) {
            self.entries.remove(&name);
        }
        self.evict_at = self.max_names.max(self.entries.len() + quarter);
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

    /// K4: with a new name for each task, the number of guards stays bounded.
    #[test]
    fn unheld_names_are_bounded() {
        let mut names = NamedGuards::new(8);
        fill(&mut names, guards);
        assert!(names.entries.len() <= 8, "{}", names.entries.len());
        assert!(names.get_mut("999").is_some() && names.get_mut("0").is_none());
    }

    /// G4: a policy in use keeps its guards, however many names follow.
    #[test]
    fn held_guards_are_not_evicted() {
        let mut names = NamedGuards::new(8);
        let held: Vec<_> = (0..20).map(|_| guards()).collect();
        for (number, guards) in held.iter().enumerate() {
            names.insert(&format!("held {number}"), guards.clone());
        }
        fill(&mut names, guards);
        for (number, guards) in held.iter().enumerate() {
            let found = names.get_mut(&format!("held {number}")).unwrap();
            assert!(Arc::ptr_eq(&found.current, guards));
        }
        assert!(names.entries.len() < 60, "{}", names.entries.len());
    }

    /// G2, G4: a session holds its breaker and its budget, and not the guards of its policy.
    #[test]
    fn guards_held_by_a_session_are_not_evicted() {
        let mut names = NamedGuards::new(8);
        let (with_breaker, with_budget) = (guards(), spent());
        let held = (with_breaker.breaker.clone(), with_budget.budget.clone());
        names.insert("breaker", with_breaker);
        names.insert("budget", with_budget);
        fill(&mut names, open);
        assert!(names.get_mut("breaker").is_some() && names.get_mut("budget").is_some());
        drop(held);
        fill(&mut names, open);
        assert!(names.get_mut("breaker").is_none() && names.get_mut("budget").is_none());
    }

    /// Inserts a thousand guards that nothing holds.
    fn fill(names: &mut NamedGuards, guards: impl Fn() -> Arc<Guards>) {
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

    /// G3, G4: guards without state are evicted first, open breakers last.
    #[test]
    fn guards_are_evicted_by_lost_state() {
        let mut names = NamedGuards::new(8);
        names.insert("open", open());
        names.insert("spent", spent());
        names.insert("failed", failed_once());
        fill(&mut names, guards);
        for name in ["open", "spent", "failed"] {
            assert!(names.get_mut(name).is_some(), "{name}");
        }
        names.get_mut("absent");
        fill(&mut names, failed_once);
        assert!(names.get_mut("spent").is_none() && names.get_mut("failed").is_none());
        assert_eq!(names.get_mut("open").unwrap().eviction_cost(), EvictionCost::Rejections);
    }

    /// G1, G4: an isolated breaker stays isolated, however many other breakers open.
    #[test]
    fn isolated_breaker_is_never_evicted() {
        let mut names = NamedGuards::new(8);
        let isolated = guards();
        isolated.breaker.as_ref().unwrap().isolate(NOW);
        names.insert("isolated", isolated);
        fill(&mut names, open);
        assert!(names.get_mut("isolated").is_some());
    }

    /// G4: the least recently used guards are evicted first.
    #[test]
    fn least_recently_used_guards_are_evicted_first() {
        let mut names = NamedGuards::new(4);
        for name in ["a", "b", "c", "d"] {
            names.get_mut(name);
            names.insert(name, guards());
        }
        names.get_mut("a");
        names.insert("e", guards());
        assert!(names.get_mut("a").is_some() && names.get_mut("b").is_none());
    }
}
