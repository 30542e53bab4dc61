//! Calling a session off from outside (I6).
//!
//! Dropping a session's future cancels it already. A handle does the same from
//! somewhere else, wakes it if it waits, and lets it say so in its error.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use event_listener::{Event, EventListener, Listener};

use super::environment::{BlockingSleeper, Environment, Sleeper};
use crate::Moment;

/// Cancels every session that was given it.
///
/// ```
/// use steadfast::{CancelHandle, Policy, Reason, retry};
///
/// let handle = CancelHandle::new();
/// handle.cancel();
/// let policy = Policy::immediate().build()?;
/// let error = retry(&policy, || Ok::<_, std::io::Error>(())).cancel_with(&handle).call().unwrap_err();
/// assert_eq!(error.reason(), Reason::Cancelled);
/// assert!(handle.is_cancelled());
/// # Ok::<(), steadfast::policy::PolicyError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CancelHandle(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    cancelled: AtomicBool,
    event: Event,
}

impl CancelHandle {
    /// A handle that has cancelled nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Release);
        self.0.event.notify(usize::MAX);
    }

    /// Whether nobody else has it and it has cancelled nothing, so that it is as good as new.
    #[inline]
    pub(crate) fn is_unused(&self) -> bool {
        Arc::strong_count(&self.0) == 1 && !self.is_cancelled()
    }

    /// Whether it has cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
    }
}

/// An environment whose waits end when the handle cancels.
#[derive(Debug)]
pub struct Cancellable<Z> {
    environment: Z,
    /// A session that is only listed gets one when it lingers.
    handle: Option<CancelHandle>,
    listener: Option<EventListener>,
}

impl<Z> Cancellable<Z> {
    pub(super) fn new(environment: Z, handle: Option<CancelHandle>) -> Self {
        Self { environment, handle, listener: None }
    }
}

impl<Z: Environment> Environment for Cancellable<Z> {
    fn now(&self) -> Moment {
        self.environment.now()
    }

    fn draw(&mut self) -> u64 {
        self.environment.draw()
    }

    fn operation(&self) -> Option<&str> {
        self.environment.operation()
    }

    fn can_be_cancelled(&self) -> bool {
        true
    }

    fn adopt(&mut self, handle: CancelHandle) {
        self.handle.get_or_insert(handle);
    }

    #[inline]
    fn is_cancelled(&self) -> bool {
        self.handle.as_ref().is_some_and(CancelHandle::is_cancelled)
            || self.environment.is_cancelled()
    }

    fn poll_cancelled(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(handle) = &self.handle else {
            return self.environment.poll_cancelled(context);
        };
        // Listen first, then look: a cancellation in between is not missed.
        let listener = self.listener.get_or_insert_with(|| handle.0.event.listen());
        if handle.is_cancelled() || Pin::new(listener).poll(context).is_ready() {
            return Poll::Ready(());
        }
        self.environment.poll_cancelled(context)
    }
}

impl<Z: Sleeper> Sleeper for Cancellable<Z> {
    type Sleep = Z::Sleep;

    fn sleep(&self, delay: Duration) -> Self::Sleep {
        self.environment.sleep(delay)
    }
}

impl<Z: BlockingSleeper> BlockingSleeper for Cancellable<Z> {
    fn block(&self, delay: Duration) {
        let Some(handle) = &self.handle else {
            return self.environment.block(delay);
        };
        let listener = handle.0.event.listen();
        if !handle.is_cancelled() {
            listener.wait_timeout(delay);
        }
    }
}
