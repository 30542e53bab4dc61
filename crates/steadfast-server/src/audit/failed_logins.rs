//! Failed logins, aggregated by client address.
//!
//! A client needs no token to fail, and must not be able to fill the disk. So there is one entry per
//! address and minute, and a limited number of addresses per minute.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use serde_json::json;
use steadfast_store::{Actor, AuditEntry, Program};
use tokio::time::Instant;

/// The interval of entries.
const FLUSH_INTERVAL: Duration = Duration::from_secs(60);
/// Addresses with their own entry per interval.
const MAX_ADDRESSES: usize = 50;

/// Failed logins since the last flush.
#[derive(Default)]
pub(super) struct FailedLogins {
    by_address: HashMap<Option<IpAddr>, u64>,
    other_addresses: u64,
    flushed_at: Option<Instant>,
}

impl FailedLogins {
    pub(super) fn add(&mut self, from: Option<IpAddr>) {
        if self.by_address.len() < MAX_ADDRESSES || self.by_address.contains_key(&from) {
            *self.by_address.entry(from).or_default() += 1;
        } else {
            self.other_addresses += 1;
        }
    }

    /// The entries that are due: the first at once, then once per interval, and all on shutdown.
    pub(super) fn flush(&mut self, now: Instant, is_shutdown: bool) -> Vec<AuditEntry> {
        let is_early = self.flushed_at.is_some_and(|at| now - at < FLUSH_INTERVAL);
        if (is_early && !is_shutdown) || self.by_address.is_empty() {
            return Vec::new();
        }
        self.flushed_at = Some(now);
        let others = std::mem::take(&mut self.other_addresses);
        let others = (others > 0).then(|| entry(None, others));
        self.by_address.drain().map(|(from, tries)| entry(from, tries)).chain(others).collect()
    }
}

fn entry(from: Option<IpAddr>, tries: u64) -> AuditEntry {
    let by = Actor { origin: from.map(|it| it.to_string()), ..Program::Anonymous.into() };
    AuditEntry::new(by, "login.refused").detail(json!({ "tries": tries }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K3, K4: failures from any number of addresses become a few entries a minute.
    #[test]
    fn failed_logins_from_many_addresses_are_limited() {
        let (mut failures, now) = (FailedLogins::default(), Instant::now());
        let address = |number: u32| Some(IpAddr::V4(number.into()));
        failures.add(address(1));
        failures.add(address(1));
        let first = failures.flush(now, false);
        assert_eq!((first.len(), &first[0].detail["tries"]), (1, &json!(2)));
        assert_eq!(first[0].actor.origin.as_deref(), Some("0.0.0.1"));
        (0..100_000).for_each(|number| failures.add(address(number)));
        assert!(failures.flush(now + FLUSH_INTERVAL / 2, false).is_empty());
        let later = failures.flush(now + FLUSH_INTERVAL, false);
        assert_eq!(later.len(), MAX_ADDRESSES + 1);
        let tries: u64 = later.iter().map(|entry| entry.detail["tries"].as_u64().unwrap()).sum();
        assert_eq!(tries, 100_000);
    }
}
