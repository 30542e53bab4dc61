//! A table of names, made once and then only read.
//!
//! A name is looked up for every session, most of which take less time than a
//! general-purpose map takes for one look: that is prepared for growth, for removal
//! and for keys chosen by an enemy. Names are chosen by whoever writes the file, so a
//! simple hash and the next empty place will do (docs/decisions/0009).

/// What each name stands for.
#[derive(Debug)]
pub(super) struct Names<T> {
    /// The hash of the name in each place, 0 in an empty one: at least four times as many
    /// places as names, and a power of two.
    hashes: Box<[u64]>,
    /// What a hash is shifted by to be a place: its upper bits are the better ones.
    shift: u32,
    named: Box<[Option<Named<T>>]>,
}

/// A name, and what it stands for.
type Named<T> = (Box<str>, T);

/// Places for each name, so that most have one of their own.
const ROOM: usize = 4;

impl<T> Names<T> {
    /// Of two equal names the first counts.
    pub(super) fn new(names: Vec<(String, T)>) -> Self {
        let room = (names.len() * ROOM).max(2).next_power_of_two();
        let mut table = Self {
            shift: u64::BITS - room.ilog2(),
            hashes: vec![0; room].into(),
            named: (0..room).map(|_| None).collect(),
        };
        for (name, value) in names {
            let hash = hash(&name);
            let place = table.place(hash, &name);
            if let Some(free @ None) = table.named.get_mut(place) {
                *free = Some((name.into(), value));
                table.hashes.get_mut(place).into_iter().for_each(|slot| *slot = hash);
            }
        }
        table
    }

    /// What a name stands for.
    #[inline]
    pub(super) fn get(&self, name: &str) -> Option<&T> {
        match self.named.get(self.place(hash(name), name)) {
            Some(Some((_, value))) => Some(value),
            _ => None,
        }
    }

    /// Every name.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.named.iter().flatten().map(|(name, _)| &**name)
    }

    /// Where the name is, or else would be: there are always empty places.
    #[inline]
    fn place(&self, hash: u64, name: &str) -> usize {
        let last = self.hashes.len() - 1;
        let mut place = (hash >> self.shift) as usize;
        loop {
            match self.hashes.get(place) {
                Some(known) if *known == hash && self.is_at(place, name) => return place,
                Some(0) | None => return place,
                Some(_) => place = (place + 1) & last,
            }
        }
    }

    #[inline]
    fn is_at(&self, place: usize, name: &str) -> bool {
        matches!(self.named.get(place), Some(Some((known, _))) if **known == *name)
    }
}

/// Eight letters at a time, the last eight perhaps again; never 0.
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
    fn every_name_is_found_and_no_other() {
        for count in [0, 1, 2, 3, 100, 1000] {
            let names: Vec<_> =
                (0..count).map(|number| (format!("name {number}"), number)).collect();
            let table = Names::new(names);
            assert!((0..count).all(|number| table.get(&format!("name {number}")) == Some(&number)));
            assert_eq!(table.get("name -1"), None);
            assert_eq!(table.get(""), None);
            assert_eq!(table.iter().count(), count);
        }
    }

    #[test]
    fn of_two_equal_names_the_first_counts() {
        let table = Names::new(vec![("a".to_owned(), 1), ("a".to_owned(), 2)]);
        assert_eq!((table.get("a"), table.iter().count()), (Some(&1), 1));
    }
}
