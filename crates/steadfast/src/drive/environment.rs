//! The environment of a driver: a clock, a timer and a source of randomness.
//!
//! One type provides all three, so that a test or a simulator replaces them together and the
//! decision core and the guards never read the real ones.

use std::future::Future;
use std::sync::OnceLock;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use event_listener::EventListener;

use super::cancel::CancelHandle;
use crate::Moment;
use crate::forward::forward;

/// A clock and a source of randomness. [`Retry::environment`](crate::Retry::environment) has an
/// example for tests.
pub trait Environment {
    /// The current time of a monotonic clock.
    fn now(&self) -> Moment;

    /// A random number, uniform over all of `u64`.
    #[inline]
    fn draw(&mut self) -> u64 {
        fastrand::u64(..)
    }

    /// The operation's name in logs, events and metrics.
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

    /// Whether the session can be cancelled: then a wait may end early, and its length must be
    /// read from the clock.
    #[inline]
    fn can_be_cancelled(&self) -> bool {
        false
    }

    /// Adds a handle that cancels the session.
    #[doc(hidden)]
    #[inline]
    fn add_cancel_handle(&mut self, handle: CancelHandle) {
        let _ = handle;
    }

    /// Adds a listener for each handle that can cancel the session.
    #[doc(hidden)]
    fn listen(&self, listeners: &mut Vec<EventListener>) {
        let _ = listeners;
    }

    /// Whether the session is cancelled.
    #[inline]
    fn is_cancelled(&self) -> bool {
        false
    }

    /// Polls for cancellation; wakes the task when it happens.
    #[inline]
    fn poll_cancelled(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let _ = context;
        Poll::Pending
    }
}

/// A timer that does not block the thread.
///
/// ```
/// use std::future::{Ready, ready};
/// use std::time::Duration;
/// use steadfast::Moment;
/// use steadfast::drive::{Environment, Real, Sleeper};
///
/// /// The real clock, without any waits.
/// struct NoWait;
///
/// impl Environment for NoWait {
///     fn now(&self) -> Moment {
///         Real.now()
///     }
/// }
///
/// impl Sleeper for NoWait {
///     type Sleep = Ready<()>;
///
///     fn sleep(&self, _: Duration) -> Ready<()> {
///         ready(())
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot wait asynchronously",
    label = "no async timer",
    note = "enable the feature `tokio`, or pass another runtime's timer to `.environment(...)`"
)]
pub trait Sleeper: Environment {
    /// The future of one wait.
    type Sleep: Future<Output = ()>;

    /// Waits this long.
    fn sleep(&self, delay: Duration) -> Self::Sleep;
}

/// A timer that blocks the thread.
pub trait BlockingSleeper: Environment {
    /// Waits this long.
    fn block(&self, delay: Duration);
}

/// The default environment: the system's monotonic clock, tokio's timer or the thread's sleep, and
/// a fast generator seeded by the system.
///
/// It follows tokio's paused test clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Real;

/// The origin of [`Real`]'s moments.
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

/// An environment with a seeded generator, for repeatable runs.
#[derive(Clone, Debug)]
pub struct Seeded<Env> {
    environment: Env,
    random: fastrand::Rng,
}

impl<Env> Seeded<Env> {
    pub(crate) fn new(environment: Env, seed: u64) -> Self {
        Self { environment, random: fastrand::Rng::with_seed(seed) }
    }
}

impl<Env: Environment> Environment for Seeded<Env> {
    fn draw(&mut self) -> u64 {
        self.random.u64(..)
    }

    forward! { self => self.environment;
        fn now(&self) -> Moment;
        fn operation(&self) -> Option<&str>;
        fn found_by(&self) -> Option<&str>;
        fn can_be_cancelled(&self) -> bool;
        fn listen(&self, listeners: &mut Vec<EventListener>);
        fn is_cancelled(&self) -> bool;
    }

    forward! { mut self => self.environment;
        fn add_cancel_handle(&mut self, handle: CancelHandle);
        fn poll_cancelled(&mut self, context: &mut Context<'_>) -> Poll<()>;
    }
}

impl<Env: Sleeper> Sleeper for Seeded<Env> {
    type Sleep = Env::Sleep;

    forward!(self => self.environment; fn sleep(&self, delay: Duration) -> Self::Sleep;);
}

impl<Env: BlockingSleeper> BlockingSleeper for Seeded<Env> {
    forward!(self => self.environment; fn block(&self, delay: Duration););
}

/// An environment in which the operation has a name: its own or, with `FOUND`, the name by which
/// a registry found its policy.
#[derive(Clone, Debug)]
pub struct Named<'n, Env, const FOUND: bool = false> {
    environment: Env,
    operation: &'n str,
}

impl<'n, Env, const FOUND: bool> Named<'n, Env, FOUND> {
    pub(crate) fn new(environment: Env, operation: &'n str) -> Self {
        Self { environment, operation }
    }
}

impl<Env: Environment, const FOUND: bool> Environment for Named<'_, Env, FOUND> {
    #[inline]
    fn operation(&self) -> Option<&str> {
        Some(self.operation)
    }

    #[inline]
    fn found_by(&self) -> Option<&str> {
        if FOUND { Some(self.operation) } else { self.environment.found_by() }
    }

    forward! { self => self.environment;
        fn now(&self) -> Moment;
        #[inline]
        fn can_be_cancelled(&self) -> bool;
        fn listen(&self, listeners: &mut Vec<EventListener>);
        #[inline]
        fn is_cancelled(&self) -> bool;
    }

    forward! { mut self => self.environment;
        #[inline]
        fn draw(&mut self) -> u64;
        fn add_cancel_handle(&mut self, handle: CancelHandle);
        #[inline]
        fn poll_cancelled(&mut self, context: &mut Context<'_>) -> Poll<()>;
    }
}

impl<Env: Sleeper, const FOUND: bool> Sleeper for Named<'_, Env, FOUND> {
    type Sleep = Env::Sleep;

    forward!(self => self.environment; #[inline] fn sleep(&self, delay: Duration) -> Self::Sleep;);
}

impl<Env: BlockingSleeper, const FOUND: bool> BlockingSleeper for Named<'_, Env, FOUND> {
    forward!(self => self.environment; fn block(&self, delay: Duration););
}
