//! A read-only hash table of names.
//!
//! Every session looks up a name, and most sessions take less time than a lookup in a general
//! map, which supports growth, removal and untrusted keys. The names come from the policy file, so
//! a simple hash with linear probing suffices (docs/decisions/0009).

/// A value for each name.
#[derive(Debug)]
pub(super) struct NameTable<T> {
    /// The hash of the name in each slot, 0 in an empty one. The number of slots is a power of two
    /// and at least four times the number of names.
    hashes: Box<[u64]>,
    /// The shift from a hash to a slot; its upper bits are the better ones.
    shift: u32,
    entries: Box<[Option<Entry<T>>]>,
}

type Entry<T> = (Box<str>, T);

/// Slots per name, so that most names need one probe.
const SLOTS_PER_NAME: usize = 4;

impl<T> NameTable<T> {
    /// Of two equal names the first one wins.
    pub(super) fn new(names: Vec<(String, T)>) -> Self {
        let slots = (names.len() * SLOTS_PER_NAME).max(2).next_power_of_two();
        let mut table = Self {
            shift: u64::BITS - slots.ilog2(),
            hashes: vec![0; slots].into(),
            entries: (0..slots).map(|_| None).collect(),
        };
        for (name, value) in names {
            let hash = hash(&name);
            let slot = table.slot(hash, &name);
            if let Some(free @ None) = table.entries.get_mut(slot) {
                *free = Some((name.into(), value));
                table.hashes.get_mut(slot).into_iter().for_each(|stored| *stored = hash);
            }
        }
        table
    }

    #[inline]
    pub(super) fn get(&self, name: &str) -> Option<&T> {
        match self.entries.get(self.slot(hash(name), name)) {
            Some(Some((_, value))) => Some(value),
            _ => None,
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().flatten().map(|(name, _)| &**name)
    }

    /// The slot of a name, or the empty slot where its search ends.
    #[inline]
    fn slot(&self, hash: u64, name: &str) -> usize {
        let last = self.hashes.len() - 1;
        let mut slot = (hash >> self.shift) as usize;
        loop {
            match self.hashes.get(slot) {
                Some(stored) if *stored == hash && self.is_at(slot, name) => return slot,
                Some(0) | None => return slot,
                Some(_) => slot = (slot + 1) & last,
            }
        }
    }

    #[inline]
    fn is_at(&self, slot: usize, name: &str) -> bool {
        matches!(self.entries.get(slot), Some(Some((stored, _))) if **stored == *name)
    }
}

/// Hashes eight bytes at a time; the last eight may overlap. Never 0.
#[inline]
fn hash(name: &str) -> u64 {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: u64| (hash.rotate_left(23) ^ word).wrapping_mul(MIX);
    let bytes = name.as_bytes();
    let (words, rest) = bytes.as_chunks::<8>();
    let words = words.iter().map(|word| u64::from_le_bytes(*word));
    let hash = words.fold(bytes.len() as u64, mix);
    if rest.is_empty() {
        return hash | 1;
    }
    let last = match bytes.last_chunk::<8>() {
        Some(last) => u64::from_le_bytes(*last),
        None => rest.iter().fold(0, |word, byte| (word << 8) | u64::from(*byte)),
    };
    mix(hash, last) | 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lookup_finds_exactly_the_given_names() {
        for count in [0, 1, 2, 3, 100, 1000] {
            let names: Vec<_> =
                (0..count).map(|number| (format!("name {number}"), number)).collect();
            let table = NameTable::new(names);
            assert!((0..count).all(|number| table.get(&format!("name {number}")) == Some(&number)));
            assert_eq!(table.get("name -1"), None);
            assert_eq!(table.get(""), None);
            assert_eq!(table.iter().count(), count);
        }
    }

    #[test]
    fn duplicate_name_keeps_first_value() {
        let table = NameTable::new(vec![("a".to_owned(), 1), ("a".to_owned(), 2)]);
        assert_eq!((table.get("a"), table.iter().count()), (Some(&1), 1));
    }
}
