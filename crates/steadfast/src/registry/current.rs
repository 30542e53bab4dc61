//! The active version of the policies, with a cache per thread.
//!
//! A version changes rarely and is read for every session. Each thread caches the last version and
//! only checks whether it is still active, which takes no atomic write. The cost: an idle thread
//! keeps its last version in memory.

use std::cell::RefCell;
use std::sync::Arc;

use arc_swap::{ArcSwap, Cache};

use crate::file::Policies;

/// The active version of a registry's policies.
#[derive(Clone)]
pub(super) struct CurrentPolicies(Arc<ArcSwap<Policies>>);

thread_local! {
    static CACHED: RefCell<Option<Cached>> = const { RefCell::new(None) };
}

/// The version that a thread used last, and its registry.
struct Cached {
    owner: *const ArcSwap<Policies>,
    cache: Cache<Arc<ArcSwap<Policies>>, Arc<Policies>>,
}

impl CurrentPolicies {
    pub(super) fn new(first: Policies) -> Self {
        Self(Arc::new(ArcSwap::from_pointee(first)))
    }

    /// Activates another version.
    pub(super) fn replace(&self, policies: Policies) {
        self.0.store(Arc::new(policies));
    }

    /// The active version.
    pub(super) fn load(&self) -> Arc<Policies> {
        self.0.load_full()
    }

    /// Calls a function with the active version, from the thread's cache.
    #[inline]
    pub(super) fn with<T>(&self, read: impl FnOnce(&Policies) -> T) -> T {
        CACHED.with_borrow_mut(|cached| match cached {
            Some(cached) if cached.owner == Arc::as_ptr(&self.0) => read(cached.cache.load()),
            _ => read(self.fill(cached)),
        })
    }

    #[cold]
    fn fill<'s>(&self, cached: &'s mut Option<Cached>) -> &'s Policies {
        let cache = Cache::new(Arc::clone(&self.0));
        cached.insert(Cached { owner: Arc::as_ptr(&self.0), cache }).cache.load()
    }
}
