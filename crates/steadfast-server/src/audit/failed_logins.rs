//! Wrong tokens, by where they came from.
//!
//! Whoever wants to fill the disk needs no token to be refused. So there is a line for an address
//! and not for a try, and in a minute there are only so many lines.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use serde_json::json;
use steadfast_store::{Actor, AuditEntry, Program};
use tokio::time::Instant;

/// How often they are written.
const EVERY: Duration = Duration::from_secs(60);
/// So many addresses get a line of their own each time.
const LINES: usize = 50;

/// Wrong tokens since they were last written.
#[derive(Default)]
pub(super) struct Refusals {
    by_address: HashMap<Option<IpAddr>, u64>,
    others: u64,
    written: Option<Instant>,
}

impl Refusals {
    pub(super) fn add(&mut self, from: Option<IpAddr>) {
        if self.by_address.len() < LINES || self.by_address.contains_key(&from) {
            *self.by_address.entry(from).or_default() += 1;
        } else {
            self.others += 1;
        }
    }

    /// The lines, if it is time: the first ones at once, the next ones a minute later, and all of
    /// them at the end.
    pub(super) fn take(&mut self, now: Instant, is_end: bool) -> Vec<AuditEntry> {
        let is_early = self.written.is_some_and(|written| now - written < EVERY);
        if (is_early && !is_end) || self.by_address.is_empty() {
            return Vec::new();
        }
        self.written = Some(now);
        let others = std::mem::take(&mut self.others);
        let elsewhere = (others > 0).then(|| entry(None, others));
        self.by_address.drain().map(|(from, tries)| entry(from, tries)).chain(elsewhere).collect()
    }
}

fn entry(from: Option<IpAddr>, tries: u64) -> AuditEntry {
    let by = Actor { from: from.map(|it| it.to_string()), ..Program::Anonymous.into() };
    AuditEntry::new(by, "login.refused").detail(json!({ "tries": tries }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K3, K4: a million tries from a million places are a few lines a minute.
    #[test]
    fn refusals_cannot_fill_the_disk() {
        let (mut refusals, now) = (Refusals::default(), Instant::now());
        let address = |number: u32| Some(IpAddr::V4(number.into()));
        refusals.add(address(1));
        refusals.add(address(1));
        let first = refusals.take(now, false);
        assert_eq!((first.len(), &first[0].detail["tries"]), (1, &json!(2)));
        assert_eq!(first[0].by.from.as_deref(), Some("0.0.0.1"));
        (0..100_000).for_each(|number| refusals.add(address(number)));
        assert!(refusals.take(now + EVERY / 2, false).is_empty());
        let later = refusals.take(now + EVERY, false);
        assert_eq!(later.len(), LINES + 1);
        let tries: u64 = later.iter().map(|entry| entry.detail["tries"].as_u64().unwrap()).sum();
        assert_eq!(tries, 100_000);
    }
}
