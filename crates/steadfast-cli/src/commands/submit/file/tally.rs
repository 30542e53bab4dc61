//! How far an input was read, and what it was up to there.
//!
//! A run that goes on later has to know that it goes on in the same input. What was read so far
//! is summed up in a digest: of the texts of the tasks, each with its length, so that the form
//! of the input and the space around them do not matter. What comes behind may change: whoever
//! mends a wrong line goes on from the line before it.

use std::fmt;

use sha2::{Digest as _, Sha256};

/// How far an input was read.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// How many tasks.
    pub(super) tasks: u64,
    /// The line that the last of them begins on.
    pub(super) line: u64,
    /// How many bytes of the input.
    pub(super) bytes: u64,
    sum: Sha256,
}

impl Tally {
    /// One task more.
    pub(super) fn add(&mut self, line: u64, text: &[u8]) {
        self.tasks += 1;
        self.line = line;
        self.sum.update((text.len() as u64).to_le_bytes());
        self.sum.update(text);
    }

    /// What the tasks so far are, in short.
    pub(super) fn digest(&self) -> Digest {
        Digest(self.sum.clone().finalize().into())
    }
}

/// Tasks in short. Different ones have different digests.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Digest([u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(texts: &[&str]) -> Tally {
        let mut tally = Tally::default();
        (1..).zip(texts).for_each(|(line, text)| tally.add(line, text.as_bytes()));
        tally
    }

    #[test]
    fn other_tasks_have_another_digest() {
        let whole = of(&["ab", "c"]);
        assert_eq!((whole.tasks, whole.line), (2, 2));
        assert_eq!(whole.digest(), of(&["ab", "c"]).digest());
        for other in [&["a", "bc"][..], &["abc"], &["c", "ab"], &["ab"], &["ab", "c", ""]] {
            assert_ne!(of(other).digest(), whole.digest(), "{other:?}");
        }
    }

    /// A digest is kept in a file that another version reads: it must not change.
    #[test]
    fn a_digest_is_written_as_it_always_was() {
        let digest = of(&["{}"]).digest().to_string();
        assert_eq!(digest.len(), 64);
        assert_eq!(digest, "411a485216e432ece6b9af94fa32154cf79a2a56d4f81266baa50063f45092bd");
    }
}
