//! Cancellation of sessions through a handle (I6).
//!
//! Dropping a session's future cancels it. A handle cancels it from another task or thread, wakes
//! it if it waits, and makes it return an error with the reason `Cancelled`.

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
use crate::forward::forward;

/// Cancels every session that it was passed to.
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
    /// A new handle.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels the sessions.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Release);
        self.0.event.notify(usize::MAX);
    }

    /// Whether this is the only clone and it has cancelled nothing, so that it can be reused.
    #[inline]
    pub(crate) fn is_unused(&self) -> bool {
        Arc::strong_count(&self.0) == 1 && !self.is_cancelled()
    }

    /// Whether it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
    }
}

/// An environment whose waits end on cancellation.
#[derive(Debug)]
pub struct Cancellable<Env> {
    environment: Env,
    /// A session that is only listed gets one when it first waits.
    handle: Option<CancelHandle>,
    listener: Option<EventListener>,
}

impl<Env> Cancellable<Env> {
    pub(super) fn new(environment: Env, handle: Option<CancelHandle>) -> Self {
        Self { environment, handle, listener: None }
    }
}

impl<Env: Environment> Environment for Cancellable<Env> {
    forward! { self => self.environment;
        fn now(&self) -> Moment;
        fn operation(&self) -> Option<&str>;
        fn found_by(&self) -> Option<&str>;
    }

    forward!(mut self => self.environment; fn draw(&mut self) -> u64;);

    fn can_be_cancelled(&self) -> bool {
        true
    }

    /// If there is a handle already, the inner environment takes the new one.
    fn add_cancel_handle(&mut self, handle: CancelHandle) {
        match &self.handle {
            None => self.handle = Some(handle),
            Some(_) => self.environment.add_cancel_handle(handle),
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
        // Listen before the check, so that a cancellation in between is not missed.
        let listener = self.listener.get_or_insert_with(|| handle.0.event.listen());
        if handle.is_cancelled() || Pin::new(listener).poll(context).is_ready() {
            return Poll::Ready(());
        }
        self.environment.poll_cancelled(context)
    }
}

impl<Env: Sleeper> Sleeper for Cancellable<Env> {
    type Sleep = Env::Sleep;

    forward!(self => self.environment; fn sleep(&self, delay: Duration) -> Self::Sleep;);
}

impl<Env: BlockingSleeper> BlockingSleeper for Cancellable<Env> {
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

/// Waits until one of the listeners is notified, or for `delay`.
fn wait_for_any(mut listeners: Vec<EventListener>, delay: Duration) {
    let start = Instant::now();
    let (wake, woken) = sync_channel(1);
    let waker = Waker::from(Arc::new(ChannelWaker(wake)));
    let mut context = Context::from_waker(&waker);
    while !listeners.iter_mut().any(|each| Pin::new(each).poll(&mut context).is_ready()) {
        let left = delay.saturating_sub(start.elapsed());
        if woken.recv_timeout(left).is_err() {
            return;
        }
    }
}

/// Wakes the thread that receives from the channel.
struct ChannelWaker(SyncSender<()>);

impl Wake for ChannelWaker {
    fn wake(self: Arc<Self>) {
        // A full channel has woken the thread already.
        let _ = self.0.try_send(());
    }
}
