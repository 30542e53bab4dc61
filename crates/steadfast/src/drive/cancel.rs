//! Calling a session off from outside (I6).
//!
//! Dropping a session's future cancels it already. A handle does the same from
//! somewhere else, wakes it if it waits, and lets it say so in its error.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use event_listener::{Event, EventListener};

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

    fn found_by(&self) -> Option<&str> {
        self.environment.found_by()
    }

    fn can_be_cancelled(&self) -> bool {
        true
    }

    /// Beside a handle that it has already, the next environment takes it.
    fn adopt(&mut self, handle: CancelHandle) {
        match &self.handle {
            None => self.handle = Some(handle),
            Some(_) => self.environment.adopt(handle),
        }
    }

    fn listen(&self, listeners: &mut Vec<EventListener>) {
        listeners.extend(self.handle.as_ref().map(|handle| handle.0.event.listen()));
        self.environment.listen(listeners);
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
        let mut listeners = Vec::new();
        self.listen(&mut listeners);
        if listeners.is_empty() {
            return self.environment.block(delay);
        }
        if !self.is_cancelled() {
            wait_for_any(listeners, delay);
        }
    }
}

/// Waits until one of them is told, or no longer than this.
fn wait_for_any(mut listeners: Vec<EventListener>, delay: Duration) {
    let began = Instant::now();
    let (wake, woken) = sync_channel(1);
    let waker = Waker::from(Arc::new(Wakes(wake)));
    let mut context = Context::from_waker(&waker);
    while !listeners.iter_mut().any(|each| Pin::new(each).poll(&mut context).is_ready()) {
        let left = delay.saturating_sub(began.elapsed());
        if woken.recv_timeout(left).is_err() {
            return;
        }
    }
}

/// Wakes the thread at the other end.
struct Wakes(SyncSender<()>);

impl Wake for Wakes {
    fn wake(self: Arc<Self>) {
        // One that is full has woken it already.
        let _ = self.0.try_send(());
    }
}
