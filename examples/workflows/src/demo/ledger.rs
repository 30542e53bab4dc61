//! The order service's ledger, to be compared with the store.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Everything that it did.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Ledger {
    /// How often it answered what.
    pub answers: BTreeMap<String, u64>,
    /// What it was asked under each key.
    pub deeds: HashMap<String, Deed>,
    /// How many deeds were done: the number of the last receipt.
    pub receipts: u64,
}

/// What was asked under one key, which is one node of one execution.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Deed {
    /// How often it was asked.
    pub calls: u32,
    /// How often the answer was a success that somebody waited for.
    pub successes: u32,
    /// How often it was asked again after it was done.
    pub again: u32,
    /// What was asked, the first time.
    pub asked: Value,
    /// The receipt, once it was done.
    pub receipt: Option<u64>,
}

impl Ledger {
    pub(crate) fn count(&mut self, answer: impl Into<String>) {
        *self.answers.entry(answer.into()).or_default() += 1;
    }

    /// How often it was asked.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.deeds.values().map(|deed| u64::from(deed.calls)).sum()
    }

    /// How many nodes asked again for what was done already. Without the key each would have been
    /// done twice.
    #[must_use]
    pub fn asked_again(&self) -> usize {
        self.deeds.values().filter(|deed| deed.again > 0).count()
    }

    /// How many nodes were answered with success more than once: who had the first answer was
    /// killed before it could be recorded.
    #[must_use]
    pub fn answered_twice(&self) -> usize {
        self.deeds.values().filter(|deed| deed.successes > 1).count()
    }
}
