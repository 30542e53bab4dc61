//! What anybody can have written as often as they like: who read something, who logged in.
//!
//! Nothing is changed by it, so nobody has to know each time of somebody who does it without end.
//! They are noted each at first; then what is too much is counted, and told in a line a minute.
//! The count is by name and not by address, for names cannot be made up.

use std::num::NonZeroUsize;
use std::time::Duration;

use lru::LruCache;
use serde_json::json;
use steadfast_store::{Actor, AuditEntry};
use tokio::time::Instant;

use super::token_bucket::{Allowance, Pace};

/// How many of one sort are noted each of one name.
const EACH: Pace = Pace { at_once: 60, every: Duration::from_secs(10) };
/// How often the sum of the rest is told.
const EVERY: Duration = Duration::from_secs(60);
/// So many names and sorts are counted apart.
const COUNTED: NonZeroUsize = NonZeroUsize::MIN.saturating_add(4095);

/// What was too much to be noted each.
pub(super) struct Sums {
    by: LruCache<(String, String), Sum>,
    /// Of those that are counted no longer.
    left_over: Vec<AuditEntry>,
}

struct Sum {
    each: Allowance,
    times: u64,
    from: Option<String>,
    told: Instant,
}

impl Default for Sums {
    fn default() -> Self {
        Self { by: LruCache::new(COUNTED), left_over: Vec::new() }
    }
}

impl Sums {
    /// The entry, if it is to be noted; else it is counted.
    pub(super) fn add(&mut self, entry: AuditEntry, now: Instant) -> Option<AuditEntry> {
        let who = (entry.by.actor.clone(), entry.action.clone());
        if !self.by.contains(&who) {
            let fresh = Sum { each: Allowance::new(EACH, now), times: 0, from: None, told: now };
            let forgotten = self.by.push(who.clone(), fresh);
            self.left_over.extend(forgotten.and_then(|(who, mut sum)| sum.entry(&who, now)));
        }
        let sum = self.by.get_mut(&who)?;
        if sum.each.take(now) {
            return Some(entry);
        }
        // Of several places none is told.
        sum.from = entry.by.from.filter(|from| sum.times == 0 || sum.from.as_ref() == Some(from));
        sum.times += 1;
        None
    }

    /// The lines that are due; all of them if it is the end.
    pub(super) fn take(&mut self, now: Instant, is_end: bool) -> Vec<AuditEntry> {
        let mut lines = std::mem::take(&mut self.left_over);
        let due = |sum: &Sum| is_end || now - sum.told >= EVERY;
        let sums = self.by.iter_mut().filter(|(_, sum)| due(sum));
        lines.extend(sums.filter_map(|(who, sum)| sum.entry(who, now)));
        lines
    }
}

impl Sum {
    /// The line for what was counted, if anything was.
    fn entry(&mut self, (actor, action): &(String, String), now: Instant) -> Option<AuditEntry> {
        let times = std::mem::take(&mut self.times);
        self.told = now;
        let by = Actor { actor: actor.clone(), from: self.from.take() };
        (times > 0).then(|| AuditEntry::new(by, action).detail(json!({ "times": times })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(actor: &str, from: &str) -> AuditEntry {
        let by = Actor { actor: actor.to_owned(), from: Some(from.to_owned()) };
        AuditEntry::new(by, "tasks.list")
    }

    /// K3, K4: whoever reads without end gets a line a minute, and none of it goes uncounted.
    #[test]
    fn too_many_reads_are_a_line_a_minute() {
        let (mut sums, now) = (Sums::default(), Instant::now());
        let noted = (0..10_000).filter_map(|_| sums.add(read("ada", "192.0.2.1"), now)).count();
        assert_eq!(noted, 60);
        assert!(sums.add(read("bob", "192.0.2.1"), now).is_some(), "others are noted");
        assert!(sums.take(now + EVERY / 2, false).is_empty());
        let lines = sums.take(now + EVERY, false);
        assert_eq!((lines.len(), &lines[0].detail), (1, &json!({"times": 9940})));
        assert_eq!(
            (lines[0].by.actor.as_str(), lines[0].by.from.as_deref()),
            ("ada", Some("192.0.2.1"))
        );
        assert!(sums.take(now + 2 * EVERY, true).is_empty());
    }

    /// K3: when the server stops, nothing is left to be told.
    #[test]
    fn at_the_end_everything_is_told() {
        let (mut sums, now) = (Sums::default(), Instant::now());
        for place in 0..100 {
            sums.add(read("ada", &format!("192.0.2.{place}")), now);
        }
        let lines = sums.take(now, true);
        assert_eq!((lines.len(), &lines[0].detail), (1, &json!({"times": 40})));
        assert_eq!(lines[0].by.from, None, "it came from several places");
    }

    /// K4: however many names there are, memory is bounded, and what is forgotten is told.
    #[test]
    fn who_is_forgotten_is_told_of() {
        let (mut sums, now) = (Sums::default(), Instant::now());
        (0..61).for_each(|_| drop(sums.add(read("ada", "192.0.2.1"), now)));
        for number in 0..COUNTED.get() {
            assert!(sums.add(read(&number.to_string(), "192.0.2.1"), now).is_some());
        }
        assert_eq!(sums.by.len(), COUNTED.get());
        let lines = sums.take(now, false);
        assert_eq!((lines.len(), lines[0].by.actor.as_str()), (1, "ada"));
    }
}
