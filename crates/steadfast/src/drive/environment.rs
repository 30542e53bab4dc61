//! The environment of a driver: a clock, a timer and a source of randomness.
//!
//! One type provides all three, so that a test or a simulator replaces them together and the
//! decision core and the guards never read the real ones.

use std::future::Future;
use std::sync::OnceLock;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use super::cancel::CancelHandle;
use crate::Moment;
use crate::forward::forward;

/// A clock and a source of randomness. [`Retry::environment`](crate::Retry::environment) has an
/// example for tests.
pub trait Environment {
    /// The future of one wait; `()` in an environment that only blocks.
    type Sleep;

    /// The current time of a monotonic clock.
    fn now(&self) -> Moment;

    /// Whether [`now`](Self::now) is the time of [`Real`], which an attempt can read by itself.
    #[doc(hidden)]
    #[inline]
    fn has_real_clock(&self) -> bool {
        false
    }

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

    /// Adds each handle that can cancel the session.
    #[doc(hidden)]
    fn cancel_handles(&self, handles: &mut Vec<CancelHandle>) {
        let _ = handles;
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
///     type Sleep = Ready<()>;
///
///     fn now(&self) -> Moment {
///         Real.now()
///     }
/// }
///
/// impl Sleeper for NoWait {
///     fn sleep(&self, _: Duration) -> Ready<()> {
///         ready(())
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot wait asynchronously",
    label = "no async timer",
    note = "enable the feature `tokio`, or pass another runtime's timer to `.sleep(...)`"
)]
pub trait Sleeper: Environment<Sleep: Future> {
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
    #[cfg(feature = "tokio")]
    type Sleep = tokio::time::Sleep;
    #[cfg(not(feature = "tokio"))]
    type Sleep = ();

    fn now(&self) -> Moment {
        let origin = origin();
        #[cfg(feature = "tokio")]
        let now = tokio::time::Instant::now().into_std();
        #[cfg(not(feature = "tokio"))]
        let now = Instant::now();
        Moment::ORIGIN + now.saturating_duration_since(origin)
    }

    #[inline]
    fn has_real_clock(&self) -> bool {
        true
    }
}

#[cfg(feature = "tokio")]
impl Sleeper for Real {
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
    type Sleep = Env::Sleep;

    fn draw(&mut self) -> u64 {
        self.random.u64(..)
    }

    forward! { self => self.environment;
        fn now(&self) -> Moment;
        fn has_real_clock(&self) -> bool;
        fn operation(&self) -> Option<&str>;
        fn found_by(&self) -> Option<&str>;
        fn can_be_cancelled(&self) -> bool;
        fn cancel_handles(&self, handles: &mut Vec<CancelHandle>);
        fn is_cancelled(&self) -> bool;
    }

    forward! { mut self => self.environment;
        fn add_cancel_handle(&mut self, handle: CancelHandle);
        fn poll_cancelled(&mut self, context: &mut Context<'_>) -> Poll<()>;
    }
}

impl<Env: Sleeper> Sleeper for Seeded<Env> {
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
    type Sleep = Env::Sleep;

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
        fn has_real_clock(&self) -> bool;
        #[inline]
        fn can_be_cancelled(&self) -> bool;
        fn cancel_handles(&self, handles: &mut Vec<CancelHandle>);
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
    forward!(self => self.environment; #[inline] fn sleep(&self, delay: Duration) -> Self::Sleep;);
}

impl<Env: BlockingSleeper, const FOUND: bool> BlockingSleeper for Named<'_, Env, FOUND> {
    forward!(self => self.environment; fn block(&self, delay: Duration););
}

/// An environment with another timer.
#[derive(Clone, Copy, Debug)]
pub struct SleepBy<Env, F> {
    environment: Env,
    sleep: F,
}

impl<Env, F> SleepBy<Env, F> {
    pub(crate) fn new(environment: Env, sleep: F) -> Self {
        Self { environment, sleep }
    }
}

impl<Env: Environment, F: Fn(Duration) -> Wait, Wait> Environment for SleepBy<Env, F> {
    type Sleep = Wait;

    forward! { self => self.environment;
        fn now(&self) -> Moment;
        fn has_real_clock(&self) -> bool;
        fn operation(&self) -> Option<&str>;
        fn found_by(&self) -> Option<&str>;
        fn can_be_cancelled(&self) -> bool;
        fn cancel_handles(&self, handles: &mut Vec<CancelHandle>);
        fn is_cancelled(&self) -> bool;
    }

    forward! { mut self => self.environment;
        fn draw(&mut self) -> u64;
        fn add_cancel_handle(&mut self, handle: CancelHandle);
        fn poll_cancelled(&mut self, context: &mut Context<'_>) -> Poll<()>;
    }
}

impl<Env: Environment, F: Fn(Duration) -> Wait, Wait: Future> Sleeper for SleepBy<Env, F> {
    fn sleep(&self, delay: Duration) -> Wait {
        (self.sleep)(delay)
    }
}

impl<Env: Environment, F: Fn(Duration)> BlockingSleeper for SleepBy<Env, F> {
    fn block(&self, delay: Duration) {
        (self.sleep)(delay);
    }
}
