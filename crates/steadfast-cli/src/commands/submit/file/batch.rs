//! Batches of tasks from an input.
//!
//! A batch has as many tasks as a store inserts efficiently in one statement, and at most a few
//! megabytes. Only the batches in flight are held in memory.

use std::io::BufRead;

use super::items::{InputError, Item, Items};
use super::tally::Tally;

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
}
