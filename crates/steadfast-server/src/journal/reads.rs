//! Who read a task's payload.
//!
//! A page that is open reads its task every few seconds. That is one look, however long it
//! lasts, so whoever reads the same task again within a while is not noted again.

use std::num::NonZeroUsize;
use std::time::Duration;

use lru::LruCache;
use steadfast_store::{By, TaskId};
use tokio::time::Instant;

/// For how long a read is the same look.
const A_LOOK: Duration = Duration::from_secs(10 * 60);
/// So many looks are remembered.
const REMEMBERED: NonZeroUsize = NonZeroUsize::MIN.saturating_add(8191);

/// Looks that were noted.
pub(super) struct Reads(LruCache<(By, TaskId), Instant>);

impl Default for Reads {
    fn default() -> Self {
        Self(LruCache::new(REMEMBERED))
    }
}

impl Reads {
    /// Whether this read is a look of its own.
    pub(super) fn is_new(&mut self, by: &By, id: TaskId, now: Instant) -> bool {
        let look = (by.clone(), id);
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
        let (ada, task) = (By::new("ada"), TaskId::fresh());
        assert!(reads.is_new(&ada, task, now));
        assert!(!reads.is_new(&ada, task, now + A_LOOK / 2));
        assert!(reads.is_new(&By::new("bob"), task, now));
        assert!(reads.is_new(&ada, TaskId::fresh(), now));
        let from = By { from: Some("192.0.2.1".to_owned()), ..ada.clone() };
        assert!(reads.is_new(&from, task, now), "from elsewhere");
        assert!(reads.is_new(&ada, task, now + A_LOOK));
    }
}
