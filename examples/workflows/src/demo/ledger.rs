//! The order service's ledger, to be compared with the store.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// All requests and their outcomes.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Ledger {
    /// The number of responses by kind.
    pub answers: BTreeMap<String, u64>,
    /// The requests by key.
    pub requests: HashMap<String, RequestRecord>,
    /// The number of completed requests, which is the number of the last receipt.
    pub receipts: u64,
}

/// The requests under one key, which is one node of one execution.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RequestRecord {
    /// The number of calls.
    pub calls: u32,
    /// The number of successful responses before the caller's timeout.
    pub successes: u32,
    /// The number of calls after it was done.
    pub again: u32,
    /// The body of the first call.
    pub asked: Value,
    /// The receipt, once it was done.
    pub receipt: Option<u64>,
}

impl Ledger {
    pub(crate) fn count(&mut self, answer: impl Into<String>) {
        *self.answers.entry(answer.into()).or_default() += 1;
    }

    /// The number of calls under all keys.
    #[must_use]
    pub fn calls(&self) -> u64 {
        self.requests.values().map(|request| u64::from(request.calls)).sum()
    }

    /// How many nodes repeated a completed request. Without the key each would have been done
    /// twice.
    #[must_use]
    pub fn asked_again(&self) -> usize {
        self.requests.values().filter(|request| request.again > 0).count()
    }

    /// How many nodes got more than one successful response: the instance that got the first was
    /// killed before it recorded it.
    #[must_use]
    pub fn answered_twice(&self) -> usize {
        self.requests.values().filter(|request| request.successes > 1).count()
    }
}
