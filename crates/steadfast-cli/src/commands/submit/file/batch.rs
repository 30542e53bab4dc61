//! Batches of tasks from an input.
//!
//! A batch has as many tasks as a store inserts efficiently in one statement, and at most a few
//! megabytes. Only the batches in flight are held in memory.

use std::io::BufRead;

use sha2::{Digest as _, Sha256};

use super::items::{InputError, Item, Items};

const MAX_BATCH_TASKS: usize = 1000;
const MAX_BATCH_BYTES: usize = 4 << 20;

#[derive(Debug)]
pub(super) struct Batch {
    pub(super) items: Vec<Item>,
    /// The position in the input before and after them.
    pub(super) before: Tally,
    pub(super) after: Tally,
}

impl Batch {
    /// The position after the first `count` tasks.
    pub(super) fn after_first(&self, count: usize) -> Tally {
        if count == self.items.len() {
            return self.after.clone();
        }
        let mut tally = self.before.clone();
        self.items.iter().take(count).for_each(|item| tally.add(item));
        tally
    }

    /// Removes all but the first `count` tasks.
    pub(super) fn truncate(&mut self, count: usize) {
        self.after = self.after_first(count);
        self.items.truncate(count);
    }
}

#[derive(Debug)]
pub(super) struct Batches<R> {
    items: Items<R>,
    tally: Tally,
    /// An error found after the last complete task.
    unreadable: Option<InputError>,
}

impl<R: BufRead> Batches<R> {
    pub(super) fn of(input: R) -> Self {
        Self { items: Items::of(input), tally: Tally::default(), unreadable: None }
    }

    pub(super) const fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Returns the next batch, empty after the last. An error is returned after all tasks before it.
    pub(super) fn next(&mut self) -> Result<Batch, InputError> {
        self.at_most(MAX_BATCH_TASKS as u64)
    }

    /// Skips to this number of tasks; returns whether the input has as many.
    pub(super) fn skip_to(&mut self, tasks: u64) -> Result<bool, InputError> {
        while self.tally.tasks < tasks {
            if self
                .at_most((tasks - self.tally.tasks).min(MAX_BATCH_TASKS as u64))?
                .items
                .is_empty()
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn at_most(&mut self, tasks: u64) -> Result<Batch, InputError> {
        if let Some(unreadable) = self.unreadable.take() {
            return Err(unreadable);
        }
        let before = self.tally.clone();
        let (mut items, mut bytes) = (Vec::new(), 0);
        while (items.len() as u64) < tasks && bytes < MAX_BATCH_BYTES {
            match self.items.next() {
                Ok(Some(item)) => {
                    self.tally.add(&item);
                    bytes += item.text.len();
                    items.push(item);
                }
                Ok(None) => break,
                Err(unreadable) if items.is_empty() => return Err(unreadable),
                Err(unreadable) => {
                    self.unreadable = Some(unreadable);
                    break;
                }
            }
        }
        self.tally.bytes = self.items.bytes();
        Ok(Batch { items, before, after: self.tally.clone() })
    }
}

/// A position in an input, with a digest of what was read.
///
/// A resumed run must verify that it continues in the same input. The digest covers the texts of
/// the tasks with their lengths, independent of format and whitespace. Later lines may change, for
/// example to fix an invalid line.
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

    fn lines(count: usize) -> String {
        (0..count).map(|number| format!("{{\"number\":{number}}}\n")).collect()
    }

    fn all(text: &str) -> Vec<Batch> {
        let mut batches = Batches::of(text.as_bytes());
        let next = || Some(batches.next().unwrap()).filter(|batch| !batch.items.is_empty());
        std::iter::from_fn(next).collect()
    }

    fn lengths(batches: &[Batch]) -> Vec<usize> {
        batches.iter().map(|batch| batch.items.len()).collect()
    }

    #[test]
    fn batches_cover_the_input_in_order() {
        let batches = all(&lines(2500));
        assert_eq!(lengths(&batches), [1000, 1000, 500]);
        let items = batches.iter().flat_map(|batch| &batch.items);
        for (number, item) in items.enumerate() {
            assert_eq!(item.line, number as u64 + 1);
            assert_eq!(item.text, format!("{{\"number\":{number}}}").as_bytes());
        }
        for pair in batches.windows(2) {
            assert_eq!(pair[0].after.digest(), pair[1].before.digest());
        }
        assert_eq!(batches[2].after.bytes, lines(2500).len() as u64);
    }

    /// K4: large tasks do not fill the memory.
    #[test]
    fn large_tasks_make_small_batches() {
        let long = format!("{}\n", "x".repeat(1 << 20)).repeat(10);
        assert_eq!(lengths(&all(&long)), [4, 4, 2]);
    }

    #[test]
    fn truncated_batch_has_matching_tally() {
        let mut batch = all(&lines(10)).remove(0);
        let after = batch.after_first(7);
        assert_eq!((after.tasks, after.line), (7, 7));
        batch.truncate(7);
        assert_eq!((batch.items.len(), batch.after.digest()), (7, after.digest()));
        assert_eq!(batch.after.digest(), all(&lines(7))[0].after.digest());
    }

    #[test]
    fn skip_to_reaches_the_same_digest() {
        let text = lines(2500);
        let mut batches = Batches::of(text.as_bytes());
        assert!(batches.skip_to(1234).unwrap());
        assert_eq!(batches.tally().digest(), all(&lines(1234)).last().unwrap().after.digest());
        let next = batches.next().unwrap();
        assert_eq!(next.items[0].line, 1235);
        assert!(!batches.skip_to(9999).unwrap());
    }

    #[test]
    fn readable_tasks_precede_the_error() {
        let mut batches = Batches::of("[{1},{2}".as_bytes());
        assert_eq!(batches.next().unwrap().items.len(), 1);
        assert!(batches.next().is_err());
    }

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
