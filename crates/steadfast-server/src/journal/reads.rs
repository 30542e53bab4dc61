//! Who looked at payloads.
//!
//! A page that is open reads its task every few seconds. That is one look, however long it
//! lasts, so whoever reads the same again within a while is not noted again.

use std::num::NonZeroUsize;
use std::time::Duration;

use lru::LruCache;
use steadfast_api::TaskFilter;
use steadfast_store::{AuditEntry, By, TaskId};
use tokio::time::Instant;

/// For how long a read is the same look.
const A_LOOK: Duration = Duration::from_secs(10 * 60);
/// So many looks are remembered.
const REMEMBERED: NonZeroUsize = NonZeroUsize::MIN.saturating_add(8191);

/// What was looked at.
#[derive(PartialEq, Eq, Hash)]
pub(super) enum Look {
    /// One task.
    Task(TaskId),
    /// Those that fit.
    List(TaskFilter),
}

impl Look {
    /// The entry for it.
    pub(super) fn entry(&self, by: &By, action: &str) -> AuditEntry {
        let entry = AuditEntry::new(by.clone(), action);
        match self {
            Self::Task(id) => entry.target(id),
            // It is made of names and times, all of which JSON has room for.
            Self::List(filter) => entry.detail(serde_json::to_value(filter).unwrap_or_default()),
        }
    }
}

/// Looks that were noted.
pub(super) struct Reads(LruCache<(By, Look), Instant>);

impl Default for Reads {
    fn default() -> Self {
        Self(LruCache::new(REMEMBERED))
    }
}

impl Reads {
    /// Whether this read is a look of its own.
    pub(super) fn is_new(&mut self, by: &By, look: Look, now: Instant) -> bool {
        let look = (by.clone(), look);
        if self.0.get(&look).is_some_and(|noted| now - *noted < A_LOOK) {
            return false;
        }
        self.0.put(look, now);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// K3: every reader and every task is noted, and a look once.
    #[test]
    fn a_look_is_noted_once() {
        let (mut reads, now) = (Reads::default(), Instant::now());
        let (ada, id) = (By::new("ada"), TaskId::fresh());
        let task = || Look::Task(id);
        assert!(reads.is_new(&ada, task(), now));
        assert!(!reads.is_new(&ada, task(), now + A_LOOK / 2));
        assert!(reads.is_new(&By::new("bob"), task(), now));
        assert!(reads.is_new(&ada, Look::Task(TaskId::fresh()), now));
        let from = By { from: Some("192.0.2.1".to_owned()), ..ada.clone() };
        assert!(reads.is_new(&from, task(), now), "from elsewhere");
        assert!(reads.is_new(&ada, Look::List(TaskFilter::default()), now), "a list");
        assert!(!reads.is_new(&ada, Look::List(TaskFilter::default()), now));
        assert!(reads.is_new(&ada, task(), now + A_LOOK));
    }
}
