//! An answer on its way to whoever asked.
//!
//! Whoever asks may go away between the commit and the answer. For most writes that is fine:
//! they were asked for, and they are done. But a claim that nobody hears of holds tasks that
//! nobody runs until its lease expires. So it comes with something to be done if it is not
//! heard.

use std::fmt;

/// A committed answer.
#[derive(Debug)]
pub(crate) struct Delivery<T> {
    pub(crate) answer: T,
    pub(crate) unheard: Unheard,
}

/// Does something when it is dropped before the answer was [heard](Self::heard).
pub(crate) struct Unheard(Option<Box<dyn FnOnce() + Send>>);

impl Unheard {
    pub(crate) const NOTHING: Self = Self(None);

    pub(crate) fn new(done: impl FnOnce() + Send + 'static) -> Self {
        Self(Some(Box::new(done)))
    }

    /// The answer has reached whoever asked.
    pub(crate) fn heard(mut self) {
        self.0 = None;
    }
}

impl Drop for Unheard {
    fn drop(&mut self) {
        if let Some(done) = self.0.take() {
            done();
        }
    }
}

impl fmt::Debug for Unheard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unheard").finish_non_exhaustive()
    }
}
