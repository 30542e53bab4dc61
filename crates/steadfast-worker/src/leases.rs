//! Which leases are kept alive: those with a task that has not been settled.
//!
//! Every task that was claimed is settled exactly once, run or not, so a count for each lease
//! tells when the store has forgotten it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use steadfast_store::Version;

#[derive(Debug, Default)]
pub(crate) struct Leases(Mutex<BTreeMap<Version, usize>>);

impl Leases {
    fn counts(&self) -> MutexGuard<'_, BTreeMap<Version, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// So many tasks are held under this one.
    pub(crate) fn hold(&self, version: Version, tasks: usize) {
        *self.counts().entry(version).or_default() += tasks;
    }

    /// A task under each of these was settled.
    pub(crate) fn settled(&self, versions: impl IntoIterator<Item = Version>) {
        let mut counts = self.counts();
        for version in versions {
            let Some(count) = counts.get_mut(&version) else {
                continue;
            };
            *count = count.saturating_sub(1);
            if *count == 0 {
                counts.remove(&version);
            }
        }
    }

    /// All that are held.
    pub(crate) fn held(&self) -> Vec<Version> {
        self.counts().keys().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_is_kept_until_its_last_task_is_settled() {
        let leases = Leases::default();
        leases.hold(Version(1), 2);
        leases.hold(Version(2), 1);
        leases.settled([Version(1), Version(2)]);
        assert_eq!(leases.held(), [Version(1)]);
        leases.settled([Version(1), Version(7)]);
        assert_eq!(leases.held(), []);
    }
}
