//! What a driver needs of the world: the time, a way to wait, and chance.
//!
//! One type holds all three so that a test or a simulator replaces them in one
//! place, and so that the core and the guards never reach for the real ones.

use std::future::Future;
use std::sync::OnceLock;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use event_listener::EventListener;

use super::cancel::CancelHandle;
use crate::Moment;

/// The time, and chance. [`Retry::environment`](crate::Retry::environment) shows one for tests.
pub trait Environment {
    /// Now, by a clock that never goes back.
    fn now(&self) -> Moment;

    /// A random number, uniform over all of `u64`.
    #[inline]
    fn draw(&mut self) -> u64 {
        fastrand::u64(..)
    }

    /// What the operation is called in logs, events and metrics.
    #[inline]
    fn operation(&self) -> Option<&str> {
        None
    }

    /// The name by which a registry found the policy.
    #[doc(hidden)]
    #[inline]
    fn found_by(&self) -> Option<&str> {
        None
    }

    /// Whether the session can be called off at all: then a wait may end early, and only the
    /// clock knows how long it was.
    #[inline]
    fn can_be_cancelled(&self) -> bool {
        false
    }

    /// Takes a handle that calls the session off.
    #[doc(hidden)]
    #[inline]
    fn adopt(&mut self, handle: CancelHandle) {
        let _ = handle;
    }

    /// Listens for everything that can call the session off.
    #[doc(hidden)]
    fn listen(&self, listeners: &mut Vec<EventListener>) {
        let _ = listeners;
    }

    /// Whether the session has been called off.
    #[inline]
    fn is_cancelled(&self) -> bool {
        false
    }

    /// The same for a task, which is woken when it happens.
    #[inline]
    fn poll_cancelled(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let _ = context;
        Poll::Pending
    }
}

/// A way to wait without blocking the thread.
///
/// ```
/// use std::future::{Ready, ready};
/// use std::time::Duration;
/// use steadfast::Moment;
/// use steadfast::drive::{Environment, Real, Sleeper};
///
/// /// The real clock, and no wait at all.
/// struct Hurried;
///
/// impl Environment for Hurried {
///     fn now(&self) -> Moment {
///         Real.now()
///     }
/// }
///
/// impl Sleeper for Hurried {
///     type Sleep = Ready<()>;
///
///     fn sleep(&self, _: Duration) -> Ready<()> {
///         ready(())
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot wait asynchronously",
    label = "no way to sleep",
    note = "enable the feature `tokio`, or give another runtime's timer with `.environment(...)`"
)]
pub trait Sleeper: Environment {
    /// The wait under way.
    type Sleep: Future<Output = ()>;

    /// Waits this long.
    fn sleep(&self, delay: Duration) -> Self::Sleep;
}

/// A way to wait that blocks the thread.
pub trait BlockingSleeper: Environment {
    /// Waits this long.
    fn block(&self, delay: Duration);
}

/// The real world: the system's monotonic clock, tokio's timer or the thread's
/// sleep, and a fast generator seeded by the system.
///
/// With tokio's paused test clock it follows that clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Real;

/// The moment that real moments are counted from.
fn origin() -> Instant {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    *ORIGIN.get_or_init(Instant::now)
}

impl Environment for Real {
    fn now(&self) -> Moment {
        let origin = origin();
        #[cfg(feature = "tokio")]
        let now = tokio::time::Instant::now().into_std();
        #[cfg(not(feature = "tokio"))]
        let now = Instant::now();
        Moment::ORIGIN + now.saturating_duration_since(origin)
    }
}

#[cfg(feature = "tokio")]
impl Sleeper for Real {
    type Sleep = tokio::time::Sleep;

    fn sleep(&self, delay: Duration) -> Self::Sleep {
        tokio::time::sleep(delay)
    }
}

impl BlockingSleeper for Real {
    fn block(&self, delay: Duration) {
        std::thread::sleep(delay);
    }
}

/// Another environment with its own chance, for runs that can be repeated.
#[derive(Clone, Debug)]
pub struct Seeded<Z> {
    environment: Z,
    random: fastrand::Rng,
}

impl<Z> Seeded<Z> {
    pub(crate) fn new(environment: Z, seed: u64) -> Self {
        Self { environment, random: fastrand::Rng::with_seed(seed) }
    }
}

impl<Z: Environment> Environment for Seeded<Z> {
    fn now(&self) -> Moment {
        self.environment.now()
    }

    fn draw(&mut self) -> u64 {
        self.random.u64(..)
    }

    fn operation(&self) -> Option<&str> {
        self.environment.operation()
    }

    fn found_by(&self) -> Option<&str> {
        self.environment.found_by()
    }

    fn can_be_cancelled(&self) -> bool {
        self.environment.can_be_cancelled()
    }

    fn adopt(&mut self, handle: CancelHandle) {
        self.environment.adopt(handle);
    }

    fn listen(&self, listeners: &mut Vec<EventListener>) {
        self.environment.listen(listeners);
    }

    fn is_cancelled(&self) -> bool {
        self.environment.is_cancelled()
    }

    fn poll_cancelled(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.environment.poll_cancelled(context)
    }
}

impl<Z: Sleeper> Sleeper for Seeded<Z> {
    type Sleep = Z::Sleep;

    fn sleep(&self, delay: Duration) -> Self::Sleep {
        self.environment.sleep(delay)
    }
}

impl<Z: BlockingSleeper> BlockingSleeper for Seeded<Z> {
    fn block(&self, delay: Duration) {
        self.environment.block(delay);
    }
}

/// Another environment in which the operation has a name: its own, or the one that a registry
/// found its policy by.
#[derive(Clone, Debug)]
pub struct Named<'n, Z, const FOUND: bool = false> {
    environment: Z,
    operation: &'n str,
}

impl<'n, Z, const FOUND: bool> Named<'n, Z, FOUND> {
    pub(crate) fn new(environment: Z, operation: &'n str) -> Self {
        Self { environment, operation }
    }
}

impl<Z: Environment, const FOUND: bool> Environment for Named<'_, Z, FOUND> {
    fn now(&self) -> Moment {
        self.environment.now()
    }

    #[inline]
    fn draw(&mut self) -> u64 {
        self.environment.draw()
    }

    #[inline]
    fn operation(&self) -> Option<&str> {
        Some(self.operation)
    }

    #[inline]
    fn found_by(&self) -> Option<&str> {
        if FOUND { Some(self.operation) } else { self.environment.found_by() }
    }

    #[inline]
    fn can_be_cancelled(&self) -> bool {
        self.environment.can_be_cancelled()
    }

    fn adopt(&mut self, handle: CancelHandle) {
        self.environment.adopt(handle);
    }

    fn listen(&self, listeners: &mut Vec<EventListener>) {
        self.environment.listen(listeners);
    }

    #[inline]
    fn is_cancelled(&self) -> bool {
        self.environment.is_cancelled()
    }

    #[inline]
    fn poll_cancelled(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.environment.poll_cancelled(context)
    }
}

impl<Z: Sleeper, const FOUND: bool> Sleeper for Named<'_, Z, FOUND> {
    type Sleep = Z::Sleep;

    #[inline]
    fn sleep(&self, delay: Duration) -> Self::Sleep {
        self.environment.sleep(delay)
    }
}

impl<Z: BlockingSleeper, const FOUND: bool> BlockingSleeper for Named<'_, Z, FOUND> {
    fn block(&self, delay: Duration) {
        self.environment.block(delay);
    }
}
