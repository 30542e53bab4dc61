//! Shares of something that there is so much of: of all of it, three quarters for one.
//!
//! Whoever takes without end would leave nothing for others. Three quarters are much: behind a
//! proxy everybody has the same address, and many workers may have one token.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What there is, and who has how much of it. Cheap to clone.
#[derive(Debug)]
pub(crate) struct Shares<K: Eq + Hash>(Arc<Inner<K>>);

#[derive(Debug)]
struct Inner<K> {
    all: usize,
    taken: Mutex<Taken<K>>,
}

#[derive(Debug)]
struct Taken<K> {
    all: usize,
    by: HashMap<K, usize>,
}

/// Why there is nothing for somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// Everything is taken.
    All,
    /// They have their three quarters.
    TheirShare,
}

impl<K: Eq + Hash> Clone for Shares<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K: Eq + Hash> Shares<K> {
    /// So many in all.
    pub(crate) fn of(all: usize) -> Self {
        let taken = Taken { all: 0, by: HashMap::new() };
        Self(Arc::new(Inner { all, taken: Mutex::new(taken) }))
    }

    /// One for somebody, until it is dropped.
    pub(crate) fn take(&self, by: K) -> Result<Share<K>, Refusal>
    where
        K: Clone,
    {
        let mut taken = self.taken();
        if taken.all >= self.0.all {
            return Err(Refusal::All);
        }
        let theirs = taken.by.get(&by).copied().unwrap_or_default();
        if theirs >= self.0.all - self.0.all / 4 {
            return Err(Refusal::TheirShare);
        }
        taken.all += 1;
        taken.by.insert(by.clone(), theirs + 1);
        Ok(Share { by, of: self.clone() })
    }

    fn give_back(&self, by: &K) {
        let mut taken = self.taken();
        taken.all -= 1;
        if let Some(theirs) = taken.by.get_mut(by) {
            *theirs -= 1;
            if *theirs == 0 {
                taken.by.remove(by);
            }
        }
    }

    fn taken(&self) -> MutexGuard<'_, Taken<K>> {
        self.0.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One of them, until it is dropped.
#[derive(Debug)]
pub(crate) struct Share<K: Eq + Hash> {
    by: K,
    of: Shares<K>,
}

impl<K: Eq + Hash> Drop for Share<K> {
    fn drop(&mut self) {
        self.of.give_back(&self.by);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: one has three quarters at most, and what is given back can be had again.
    #[test]
    fn one_has_three_quarters_of_it() {
        let shares = Shares::of(4);
        let mut ones: Vec<_> = (0..3).map(|_| shares.take("one").unwrap()).collect();
        assert_eq!(shares.take("one").unwrap_err(), Refusal::TheirShare);
        let others = shares.take("other").unwrap();
        assert_eq!(shares.take("third").unwrap_err(), Refusal::All);
        ones.pop();
        let again = shares.take("one").unwrap();
        drop((ones, others, again));
        assert!(shares.taken().by.is_empty(), "nobody is remembered who has none");
        assert_eq!(shares.taken().all, 0);
    }
}
