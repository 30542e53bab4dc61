//! A bounded cache for values that never change: the numbers of queues and policies.
//!
//! A program may create a policy for each task, and a policy may be long. So both the number of
//! entries and their bytes are limited. A full cache is cleared, because with that many entries
//! hardly any is used twice.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// The maximum number of entries.
const MAX_ENTRIES: usize = 10_000;
/// The maximum size of all entries.
const MAX_BYTES: usize = 16 << 20;

#[derive(Debug)]
pub(crate) struct BoundedCache<K, V> {
    entries: HashMap<K, V>,
    bytes: usize,
}

impl<K, V> Default for BoundedCache<K, V> {
    fn default() -> Self {
        Self { entries: HashMap::new(), bytes: 0 }
    }
}

impl<K: Hash + Eq, V> BoundedCache<K, V> {
    pub(crate) fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.entries.get(key)
    }

    /// Inserts a value of this size.
    pub(crate) fn insert(&mut self, key: K, value: V, bytes: usize) {
        if self.entries.len() >= MAX_ENTRIES || self.bytes.saturating_add(bytes) > MAX_BYTES {
            *self = Self::default();
        }
        self.bytes = self.bytes.saturating_add(bytes);
        self.entries.insert(key, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: neither many short entries nor a few long ones exceed the limits.
    #[test]
    fn cache_stays_within_its_limits() {
        for bytes in [1, 16 << 10] {
            let mut cache = BoundedCache::default();
            for number in 0..100_000 {
                cache.insert(number, number, bytes);
                assert!(cache.entries.len() <= MAX_ENTRIES && cache.bytes <= MAX_BYTES);
            }
            assert_eq!(cache.get(&99_999), Some(&99_999));
            assert_eq!(cache.get(&0), None);
        }
    }
}
