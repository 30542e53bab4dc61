//! A bounded cache for values that never change: the numbers of queues and policies.
//!
//! A program may create a policy for each task, and a policy may be long. So both the number of
//! entries and their bytes are limited. A full cache is cleared, because with that many entries
//! hardly any is used twice.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{PoisonError, RwLock};

const MAX_ENTRIES: usize = 10_000;
const MAX_BYTES: usize = 16 << 20;

/// The values, and the bytes of all.
#[derive(Debug)]
pub(crate) struct BoundedCache<K, V>(RwLock<(HashMap<K, V>, usize)>);

impl<K, V> Default for BoundedCache<K, V> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

impl<K: Hash + Eq, V: Clone> BoundedCache<K, V> {
    pub(crate) fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.0.read().unwrap_or_else(PoisonError::into_inner).0.get(key).cloned()
    }

    /// Inserts a value of this size.
    pub(crate) fn insert(&self, key: K, value: V, size: usize) {
        let mut cache = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if cache.0.len() >= MAX_ENTRIES || cache.1.saturating_add(size) > MAX_BYTES {
            *cache = Default::default();
        }
        cache.1 = cache.1.saturating_add(size);
        cache.0.insert(key, value);
    }

    pub(crate) fn clear(&self) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Default::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: neither many short entries nor a few long ones exceed the limits.
    #[test]
    fn cache_stays_within_its_limits() {
        for bytes in [1, 16 << 10] {
            let cache = BoundedCache::default();
            for number in 0..100_000 {
                cache.insert(number, number, bytes);
                let (values, bytes) = &*cache.0.read().unwrap();
                assert!(values.len() <= MAX_ENTRIES && *bytes <= MAX_BYTES);
            }
            assert_eq!(cache.get(&99_999), Some(99_999));
            assert_eq!(cache.get(&0), None);
        }
    }
}
