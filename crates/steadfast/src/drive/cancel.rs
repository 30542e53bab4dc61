//! Cancellation of sessions through a handle (I6).
//!
//! Dropping a session's future cancels it. A handle cancels it from another task or thread, wakes
//! it if it waits, and makes it return an error with the reason `Cancelled`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

use super::environment::{BlockingSleeper, Environment, Sleeper};
use crate::Moment;
use crate::forward::forward;
use crate::sync::lock;

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
    waiting: Mutex<Waiting>,
}

/// The wakers of the sessions that wait, by slot.
#[derive(Debug, Default)]
struct Waiting {
    wakers: Vec<Option<Waker>>,
    free_slots: Vec<usize>,
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
        // Woken without the lock, because a waker may run code that drops a session.
        let wakers = lock(&self.0.waiting).take_wakers();
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Whether this is the only clone and it has cancelled nothing, so that it can be reused.
    #[inline]
    #[cfg(feature = "record")]
    pub(crate) fn is_unused(&self) -> bool {
        Arc::strong_count(&self.0) == 1 && !self.is_cancelled()
    }

    /// Whether it was cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
    }
}

/// A slot for a waker in a handle, freed when it is dropped.
#[derive(Debug)]
struct Registration {
    handle: CancelHandle,
    slot: usize,
}

impl Registration {
    fn new(handle: CancelHandle) -> Self {
        let slot = lock(&handle.0.waiting).reserve();
        Self { handle, slot }
    }

    /// Whether the handle is cancelled; if not, the waker is woken when it is.
    fn poll(&self, waker: &Waker) -> bool {
        lock(&self.handle.0.waiting).set(self.slot, Some(waker.clone()));
        // After the waker is set, so that a cancellation in between is not missed.
        self.handle.is_cancelled()
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let mut waiting = lock(&self.handle.0.waiting);
        waiting.set(self.slot, None);
        waiting.free_slots.push(self.slot);
    }
}

impl Waiting {
    fn take_wakers(&mut self) -> Vec<Waker> {
        self.wakers.iter_mut().filter_map(Option::take).collect()
    }

    fn reserve(&mut self) -> usize {
        self.free_slots.pop().unwrap_or_else(|| {
            self.wakers.push(None);
            self.wakers.len() - 1
        })
    }

    fn set(&mut self, slot: usize, waker: Option<Waker>) {
        if let Some(place) = self.wakers.get_mut(slot) {
            *place = waker;
        }
    }
}

/// An environment whose waits end on cancellation.
#[derive(Debug)]
pub struct Cancellable<Env> {
    environment: Env,
    /// A session that is only listed gets one when it first waits.
    handle: Option<CancelHandle>,
    registration: Option<Registration>,
}

impl<Env> Cancellable<Env> {
    pub(super) fn new(environment: Env, handle: Option<CancelHandle>) -> Self {
        Self { environment, handle, registration: None }
    }
}

impl<Env: Environment> Environment for Cancellable<Env> {
    type Sleep = Env::Sleep;

    forward! { self => self.environment;
        fn now(&self) -> Moment;
        fn has_real_clock(&self) -> bool;
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

    fn cancel_handles(&self, handles: &mut Vec<CancelHandle>) {
        handles.extend(self.handle.clone());
        self.environment.cancel_handles(handles);
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
        let registration =
            self.registration.get_or_insert_with(|| Registration::new(handle.clone()));
        if registration.poll(context.waker()) {
            return Poll::Ready(());
        }
        self.environment.poll_cancelled(context)
    }
}

impl<Env: Sleeper> Sleeper for Cancellable<Env> {
    forward!(self => self.environment; fn sleep(&self, delay: Duration) -> Self::Sleep;);
}

impl<Env: BlockingSleeper> BlockingSleeper for Cancellable<Env> {
    fn block(&self, delay: Duration) {
        let mut handles = Vec::new();
        self.cancel_handles(&mut handles);
        if handles.is_empty() {
            return self.environment.block(delay);
        }
        wait_for_any(handles, delay);
    }
}

/// Waits until one of the handles is cancelled, or for `delay`.
fn wait_for_any(handles: Vec<CancelHandle>, delay: Duration) {
    let start = Instant::now();
    let (wake, woken) = sync_channel(1);
    let waker = Waker::from(Arc::new(ChannelWaker(wake)));
    let registrations: Vec<_> = handles.into_iter().map(Registration::new).collect();
    while !registrations.iter().any(|registration| registration.poll(&waker)) {
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
