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
#[derive(Clone, Debug)]
pub(crate) struct FairShare<K: Eq + Hash> {
    limit: usize,
    held: Arc<Mutex<Held<K>>>,
}

#[derive(Debug)]
struct Held<K> {
    total: usize,
    by_client: HashMap<K, usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// All permits are held.
    LimitReached,
    /// The client holds its share.
    ShareReached,
}

impl<K: Clone + Eq + Hash> FairShare<K> {
    pub(crate) fn new(limit: usize) -> Self {
        let held = Held { total: 0, by_client: HashMap::new() };
        Self { limit, held: Arc::new(Mutex::new(held)) }
    }

    pub(crate) fn acquire(&self, client: K) -> Result<SharePermit<K>, Rejection> {
        let mut held = lock(&self.held);
        if held.total >= self.limit {
            return Err(Rejection::LimitReached);
        }
        let count = held.by_client.get(&client).copied().unwrap_or_default();
        if count >= self.limit - self.limit / 4 {
            return Err(Rejection::ShareReached);
        }
        held.total += 1;
        held.by_client.insert(client.clone(), count + 1);
        Ok(SharePermit { client, held: self.held.clone() })
    }
}

/// A permit, released on drop.
#[derive(Debug)]
pub(crate) struct SharePermit<K: Eq + Hash> {
    client: K,
    held: Arc<Mutex<Held<K>>>,
}

impl<K: Eq + Hash> Drop for SharePermit<K> {
    fn drop(&mut self) {
        let mut held = lock(&self.held);
        held.total -= 1;
        if let Some(count) = held.by_client.get_mut(&self.client) {
            *count -= 1;
            if *count == 0 {
                held.by_client.remove(&self.client);
            }
        }
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
        let held = lock(&shares.held);
        assert!(held.by_client.is_empty(), "clients without permits are removed");
        assert_eq!(held.total, 0);
    }
}
