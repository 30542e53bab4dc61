//! The position in an input, with a digest of what was read.
//!
//! A resumed run must verify that it continues in the same input. The digest covers the texts of
//! the tasks with their lengths, independent of format and whitespace. Later lines may change, for
//! example to fix an invalid line.

use sha2::{Digest as _, Sha256};

use super::items::Item;

#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    pub(super) tasks: u64,
    /// The line the last task starts on.
    pub(super) line: u64,
    pub(super) bytes: u64,
    sum: Sha256,
}

impl Tally {
    pub(super) fn add(&mut self, Item { line, text }: &Item) {
        self.tasks += 1;
        self.line = *line;
        self.sum.update((text.len() as u64).to_le_bytes());
        self.sum.update(text);
    }

    /// The digest of the tasks so far, in hexadecimal.
    pub(super) fn digest(&self) -> String {
        self.sum.clone().finalize().iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&str]) -> Tally {
        let mut tally = Tally::default();
        let item = |(line, text): (u64, &&str)| Item { line, text: text.as_bytes().to_vec() };
        (1..).zip(texts).map(item).for_each(|item| tally.add(&item));
        tally
    }

    #[test]
    fn different_tasks_have_different_digests() {
        let whole = of(&["ab", "c"]);
        assert_eq!((whole.tasks, whole.line), (2, 2));
        assert_eq!(whole.digest(), of(&["ab", "c"]).digest());
        for other in [&["a", "bc"][..], &["abc"], &["c", "ab"], &["ab"], &["ab", "c", ""]] {
            assert_ne!(of(other).digest(), whole.digest(), "{other:?}");
        }
    }

    /// Digests are stored in files that other versions read, so they must not change.
    #[test]
    fn digest_format_is_stable() {
        let digest = of(&["{}"]).digest();
        assert_eq!(digest.len(), 64);
        assert_eq!(digest, "411a485216e432ece6b9af94fa32154cf79a2a56d4f81266baa50063f45092bd");
    }
}
