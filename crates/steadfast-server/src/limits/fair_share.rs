//! A limit of concurrent use with a fair share per client.
//!
//! One client gets at most three quarters of all permits, so a greedy client leaves some for others.
//! Three quarters is generous because clients behind one proxy share an address, and many workers may
//! share a token.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex};

use crate::lock::lock;

/// The permits and their holders. Cheap to clone.
#[derive(Debug)]
pub(crate) struct FairShare<K: Eq + Hash>(Arc<Inner<K>>);

#[derive(Debug)]
struct Inner<K> {
    limit: usize,
    held: Mutex<Held<K>>,
}

#[derive(Debug)]
struct Held<K> {
    total: usize,
    by_client: HashMap<K, usize>,
}

/// The reason why a permit is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// All permits are held.
    LimitReached,
    /// The client holds its share.
    ShareReached,
}

impl<K: Eq + Hash> Clone for FairShare<K> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<K: Eq + Hash> FairShare<K> {
    /// A limit of this many permits.
    pub(crate) fn new(limit: usize) -> Self {
        let held = Mutex::new(Held { total: 0, by_client: HashMap::new() });
        Self(Arc::new(Inner { limit, held }))
    }

    /// Acquires a permit for this client.
    pub(crate) fn acquire(&self, client: K) -> Result<SharePermit<K>, Rejection>
    where
        K: Clone,
    {
        let Inner { limit, held } = &*self.0;
        let mut held = lock(held);
        if held.total >= *limit {
            return Err(Rejection::LimitReached);
        }
        let count = held.by_client.get(&client).copied().unwrap_or_default();
        if count >= limit - limit / 4 {
            return Err(Rejection::ShareReached);
        }
        held.total += 1;
        held.by_client.insert(client.clone(), count + 1);
        Ok(SharePermit { client, limit: self.clone() })
    }

    fn release(&self, client: &K) {
        let mut held = lock(&self.0.held);
        held.total -= 1;
        if let Some(count) = held.by_client.get_mut(client) {
            *count -= 1;
            if *count == 0 {
                held.by_client.remove(client);
            }
        }
    }
}

/// A permit, released on drop.
#[derive(Debug)]
pub(crate) struct SharePermit<K: Eq + Hash> {
    client: K,
    limit: FairShare<K>,
}

impl<K: Eq + Hash> Drop for SharePermit<K> {
    fn drop(&mut self) {
        self.limit.release(&self.client);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: one client holds at most three quarters, and released permits can be acquired again.
    #[test]
    fn one_client_gets_at_most_three_quarters() {
        let shares = FairShare::new(4);
        let mut first: Vec<_> = (0..3).map(|_| shares.acquire("one").unwrap()).collect();
        assert_eq!(shares.acquire("one").unwrap_err(), Rejection::ShareReached);
        let other = shares.acquire("other").unwrap();
        assert_eq!(shares.acquire("third").unwrap_err(), Rejection::LimitReached);
        first.pop();
        let again = shares.acquire("one").unwrap();
        drop((first, other, again));
        let held = lock(&shares.0.held);
        assert!(held.by_client.is_empty(), "clients without permits are removed");
        assert_eq!(held.total, 0);
    }
}
