//! A guard against callers that go away before they receive an answer.
//!
//! A caller may go away between the commit and the answer. For most writes that is fine. But a
//! claim that no caller receives would hold its tasks until the lease expires. So its answer has a
//! guard that releases the tasks.

/// A committed answer with its guard.
pub(crate) struct Guarded<T> {
    pub(crate) answer: T,
    pub(crate) guard: CancelGuard,
}

/// Runs an action when it is dropped before it was [disarmed](Self::disarm).
pub(crate) struct CancelGuard(Option<Box<dyn FnOnce() + Send>>);

impl CancelGuard {
    pub(crate) const NONE: Self = Self(None);

    pub(crate) fn new(action: impl FnOnce() + Send + 'static) -> Self {
        Self(Some(Box::new(action)))
    }

    /// Disarms the guard: the caller has the answer.
    pub(crate) fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for CancelGuard {
    fn drop(&mut self) {
        if let Some(action) = self.0.take() {
            action();
        }
    }
}
