//! The version in force, as each thread last saw it.
//!
//! A version changes once in a while and is looked at for every session. So a thread
//! keeps the one that it saw and only compares whether it is still in force, which
//! takes no atomic write. The price: a thread that looks no more keeps the version it
//! saw last.

use std::cell::RefCell;
use std::sync::Arc;

use arc_swap::{ArcSwap, Cache};

use crate::file::Policies;

/// The versions of a registry: one in force at a time.
#[derive(Clone)]
pub(super) struct Versions(Arc<ArcSwap<Policies>>);

thread_local! {
    static SEEN: RefCell<Option<Seen>> = const { RefCell::new(None) };
}

/// The last version that a thread saw, of the registry that it asked last.
struct Seen {
    versions: *const ArcSwap<Policies>,
    cache: Cache<Arc<ArcSwap<Policies>>, Arc<Policies>>,
}

impl Versions {
    pub(super) fn new(first: Policies) -> Self {
        Self(Arc::new(ArcSwap::from_pointee(first)))
    }

    /// Puts another version in force.
    pub(super) fn replace(&self, policies: Policies) {
        self.0.store(Arc::new(policies));
    }

    /// The version in force.
    pub(super) fn current(&self) -> Arc<Policies> {
        self.0.load_full()
    }

    /// Looks at the version in force.
    #[inline]
    pub(super) fn look<T>(&self, at: impl FnOnce(&Policies) -> T) -> T {
        SEEN.with_borrow_mut(|seen| match seen {
            Some(seen) if seen.versions == Arc::as_ptr(&self.0) => at(seen.cache.load()),
            _ => at(self.see_first(seen)),
        })
    }

    #[cold]
    fn see_first<'s>(&self, seen: &'s mut Option<Seen>) -> &'s Policies {
        let cache = Cache::new(Arc::clone(&self.0));
        seen.insert(Seen { versions: Arc::as_ptr(&self.0), cache }).cache.load()
    }
}
