//! Tasks in pieces that a store takes at once.
//!
//! A store's cost is by the batch, so a batch is as many tasks as it takes well in one
//! statement. It is never more than a few megabytes, however long the tasks are: what is under
//! way is all that a submission ever holds.

use std::io::BufRead;

use super::items::{InputError, Item, Items};
use super::tally::Tally;

/// How many tasks are sent at a time, and how many bytes of them.
const MAX_BATCH_TASKS: usize = 1000;
const MAX_BATCH_BYTES: usize = 4 << 20;

/// Some tasks of an input, one behind the other.
#[derive(Debug)]
pub(super) struct Batch {
    text: Vec<u8>,
    items: Vec<Item>,
    /// How far the input was read before them, and after them.
    pub(super) before: Tally,
    pub(super) after: Tally,
}

impl Batch {
    pub(super) const fn len(&self) -> usize {
        self.items.len()
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Their lines and texts, in order.
    pub(super) fn texts(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let mut rest = self.text.as_slice();
        self.items.iter().map(move |item| {
            let (own, others) = rest.split_at_checked(item.length).unwrap_or_default();
            rest = others;
            (item.line, own)
        })
    }

    /// How far the input was read after the first `count` of them.
    pub(super) fn after_first(&self, count: usize) -> Tally {
        if count == self.len() {
            return self.after.clone();
        }
        let mut tally = self.before.clone();
        self.texts().take(count).for_each(|(line, text)| tally.add(line, text));
        tally
    }

    /// Without those from the place `count` on.
    pub(super) fn cut(&mut self, count: usize) {
        self.after = self.after_first(count);
        let length = self.items.iter().take(count).map(|item| item.length).sum();
        self.items.truncate(count);
        self.text.truncate(length);
    }
}

/// Reads an input in batches.
#[derive(Debug)]
pub(super) struct Batches<R> {
    items: Items<R>,
    tally: Tally,
    /// What was met behind the last task that could be read.
    unreadable: Option<InputError>,
}

impl<R: BufRead> Batches<R> {
    pub(super) fn of(input: R) -> Self {
        Self { items: Items::of(input), tally: Tally::default(), unreadable: None }
    }

    /// How far it was read.
    pub(super) const fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The next batch; an empty one after the last. What cannot be read comes after everything
    /// that can.
    pub(super) fn next(&mut self) -> Result<Batch, InputError> {
        self.at_most(MAX_BATCH_TASKS as u64)
    }

    /// Steps over tasks until so many were read; whether there were so many.
    pub(super) fn skip_to(&mut self, tasks: u64) -> Result<bool, InputError> {
        while self.tally.tasks < tasks {
            if self.at_most((tasks - self.tally.tasks).min(MAX_BATCH_TASKS as u64))?.is_empty() {
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
        let (mut text, mut items) = (Vec::new(), Vec::new());
        while (items.len() as u64) < tasks && text.len() < MAX_BATCH_BYTES {
            let start = text.len();
            match self.items.next(&mut text) {
                Ok(Some(item)) => {
                    self.tally.add(item.line, text.get(start..).unwrap_or_default());
                    items.push(item);
                }
                Ok(None) => break,
                Err(unreadable) if items.is_empty() => return Err(unreadable),
                Err(unreadable) => {
                    text.truncate(start);
                    self.unreadable = Some(unreadable);
                    break;
                }
            }
        }
        self.tally.bytes = self.items.bytes();
        Ok(Batch { text, items, before, after: self.tally.clone() })
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
        let next = || Some(batches.next().unwrap()).filter(|batch| !batch.is_empty());
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn batches_are_the_input_one_behind_the_other() {
        let batches = all(&lines(2500));
        assert_eq!(batches.iter().map(Batch::len).collect::<Vec<_>>(), [1000, 1000, 500]);
        let texts = batches.iter().flat_map(Batch::texts);
        for (number, (line, text)) in texts.enumerate() {
            assert_eq!(line, number as u64 + 1);
            assert_eq!(text, format!("{{\"number\":{number}}}").as_bytes());
        }
        for pair in batches.windows(2) {
            assert_eq!(pair[0].after.digest(), pair[1].before.digest());
        }
        assert_eq!(batches[2].after.bytes, lines(2500).len() as u64);
    }

    /// K4: a file of the longest tasks does not fill the memory.
    #[test]
    fn long_tasks_make_small_batches() {
        let long = format!("{}\n", "x".repeat(1 << 20)).repeat(10);
        assert_eq!(all(&long).iter().map(Batch::len).collect::<Vec<_>>(), [4, 4, 2]);
    }

    #[test]
    fn a_batch_can_be_cut_anywhere() {
        let mut batch = all(&lines(10)).remove(0);
        let after = batch.after_first(7);
        assert_eq!((after.tasks, after.line), (7, 7));
        batch.cut(7);
        assert_eq!((batch.len(), batch.after.digest()), (7, after.digest()));
        assert_eq!(batch.after.digest(), all(&lines(7))[0].after.digest());
        assert_eq!(batch.texts().count(), 7);
    }

    #[test]
    fn whoever_goes_on_reads_the_same() {
        let text = lines(2500);
        let mut batches = Batches::of(text.as_bytes());
        assert!(batches.skip_to(1234).unwrap());
        assert_eq!(batches.tally().digest(), all(&lines(1234)).last().unwrap().after.digest());
        let next = batches.next().unwrap();
        assert_eq!(next.texts().next().unwrap().0, 1235);
        assert!(!batches.skip_to(9999).unwrap());
    }

    #[test]
    fn what_can_be_read_comes_before_what_cannot() {
        let mut batches = Batches::of("[{1},{2}".as_bytes());
        assert_eq!(batches.next().unwrap().len(), 1);
        assert!(batches.next().is_err());
    }
}
