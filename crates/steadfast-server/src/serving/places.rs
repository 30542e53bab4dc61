//! Places for connections: so many in all, and of them three quarters for one address.
//!
//! Whoever opens connections without end would leave none for others. Three quarters are much:
//! behind a proxy everybody has the same address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::network::network;

/// The places that there are, and who has them.
#[derive(Clone, Debug)]
pub(super) struct Places(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    for_one: usize,
    taken: Mutex<HashMap<IpAddr, usize>>,
}

impl Shared {
    fn taken(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Places {
    /// So many in all.
    pub(super) fn new(most: usize) -> Self {
        Self(Arc::new(Shared { for_one: most - most / 4, taken: Mutex::default() }))
    }

    /// A place for somebody from there, unless they have their share.
    pub(super) fn take(&self, from: IpAddr) -> Option<Place> {
        let from = network(from);
        let mut taken = self.0.taken();
        let theirs = taken.entry(from).or_default();
        if *theirs >= self.0.for_one {
            return None;
        }
        *theirs += 1;
        Some(Place { from, of: self.clone() })
    }
}

/// A place, until it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    from: IpAddr,
    of: Places,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.of.0.taken();
        let left = taken.get(&self.from).copied().unwrap_or_default().saturating_sub(1);
        match left {
            0 => taken.remove(&self.from),
            left => taken.insert(self.from, left),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: one address has its share, and what is given back can be had again.
    #[test]
    fn one_address_has_three_quarters_of_the_places() {
        let (places, one, other) = (Places::new(4), [192, 0, 2, 1].into(), [192, 0, 2, 2].into());
        let (first, second) = (places.take(one), [places.take(one), places.take(one)]);
        assert!(first.is_some() && second.iter().all(Option::is_some));
        assert!(places.take(one).is_none());
        assert!(places.take(other).is_some(), "others have theirs");
        drop(first);
        assert!(places.take(one).is_some());
        drop(second);
        assert!(places.0.taken().is_empty(), "nobody is remembered who has none");
    }
}
