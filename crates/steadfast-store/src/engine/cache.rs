//! What is remembered of what never changes: the numbers of queues and policies, and what they
//! stand for.
//!
//! A program may invent a policy for each task, and a policy may be long. So both their number and
//! their bytes have a bound; beyond it all are forgotten, for whoever has so many remembers nothing
//! that is asked for twice.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// How many are remembered.
const MOST: usize = 10_000;
/// How many bytes they may have together.
const MOST_BYTES: usize = 16 << 20;

#[derive(Debug)]
pub(crate) struct Memory<K, V> {
    known: HashMap<K, V>,
    bytes: usize,
}

impl<K, V> Default for Memory<K, V> {
    fn default() -> Self {
        Self { known: HashMap::new(), bytes: 0 }
    }
}

impl<K: Hash + Eq, V> Memory<K, V> {
    pub(crate) fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.known.get(key)
    }

    /// Remembers something of so many bytes.
    pub(crate) fn keep(&mut self, key: K, value: V, bytes: usize) {
        if self.known.len() >= MOST || self.bytes.saturating_add(bytes) > MOST_BYTES {
            *self = Self::default();
        }
        self.bytes = self.bytes.saturating_add(bytes);
        self.known.insert(key, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K4: many short ones, or few long ones: neither fills the memory.
    #[test]
    fn what_is_remembered_has_a_bound() {
        for bytes in [1, 16 << 10] {
            let mut memory = Memory::default();
            for number in 0..100_000 {
                memory.keep(number, number, bytes);
                assert!(memory.known.len() <= MOST && memory.bytes <= MOST_BYTES);
            }
            assert_eq!(memory.get(&99_999), Some(&99_999));
            assert_eq!(memory.get(&0), None);
        }
    }
}
